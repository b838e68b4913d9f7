import {
  type ByteSource,
  SourceChangedError,
  SourceUnavailableError,
} from "../../lib/files/byte-source.ts";
import type { FilePack } from "../../lib/files/file-ref.ts";
import { getPacked } from "./get-packed.ts";

/** Reads always refer to the object version of `etag`. Throws SourceUnavailableError if the store does not respond. */
export class R2Source implements ByteSource {
  readonly sizeBytes: number;
  readonly etag: string;
  readonly #bucket: R2Bucket;
  readonly #object: { readonly key: string; readonly etag: string };
  readonly #pack: FilePack | undefined;

  /**
   * `file.etag` is the object's ETag from the bucket, without quotes. For a file in a pack, `sha256` identifies its
   * bytes.
   */
  constructor(
    bucket: R2Bucket,
    file: {
      readonly key: string;
      readonly sizeBytes: number;
      readonly etag: string;
      readonly pack?: FilePack | undefined;
      readonly sha256?: string | undefined;
    },
  ) {
    const { key, sizeBytes, etag, pack, sha256 } = file;
    this.#bucket = bucket;
    this.#object = { key, etag };
    this.#pack = pack;
    this.sizeBytes = sizeBytes;
    this.etag = pack === undefined ? etag : (sha256 ?? `${etag}-${String(pack.offset)}`);
  }

  /** Throws SourceChangedError if the object has changed or is gone. */
  async read(from: number, to: number): Promise<Uint8Array> {
    const end = Math.min(to, this.sizeBytes);
    if (end <= from) {
      return new Uint8Array();
    }
    const object = await this.#get({ offset: from, length: end - from });
    return new Uint8Array(await reached(object.arrayBuffer()));
  }

  async stream(): Promise<ReadableStream<Uint8Array>> {
    const object = await this.#get(
      this.#pack === undefined ? undefined : { offset: 0, length: this.sizeBytes },
    );
    return object.body;
  }

  async #get(
    range: { readonly offset: number; readonly length: number } | undefined,
  ): Promise<R2ObjectBody> {
    const { key, etag } = this.#object;
    const onlyIf = { etagMatches: etag };
    const object = await reached(
      this.#pack === undefined || range === undefined
        ? this.#bucket.get(key, { onlyIf, ...(range !== undefined && { range }) })
        : getPacked(this.#bucket, this.#pack, range.offset, range.length, { onlyIf }),
    );
    if (object === null || !("body" in object)) {
      throw new SourceChangedError();
    }
    return object;
  }
}

async function reached<T>(response: Promise<T>): Promise<T> {
  try {
    return await response;
  } catch (cause) {
    throw new SourceUnavailableError(cause);
  }
}
