import {
  type ByteSource,
  SourceChangedError,
  SourceUnavailableError,
} from "../../lib/byte-source.ts";

/** Every read is of the very object that `etag` names. Throws SourceUnavailableError when the store does not answer. */
export class R2Source implements ByteSource {
  readonly sizeBytes: number;
  readonly etag: string;
  readonly #bucket: R2Bucket;
  readonly #key: string;

  /** `file.etag` is without quotes, as the bucket gave it. */
  constructor(
    bucket: R2Bucket,
    file: { readonly key: string; readonly sizeBytes: number; readonly etag: string },
  ) {
    this.#bucket = bucket;
    this.#key = file.key;
    this.sizeBytes = file.sizeBytes;
    this.etag = file.etag;
  }

  /** Throws SourceChangedError when the object is another one by now, or gone. */
  async read(from: number, to: number): Promise<Uint8Array> {
    const end = Math.min(to, this.sizeBytes);
    if (end <= from) {
      return new Uint8Array();
    }
    const object = await this.#get({ range: { offset: from, length: end - from } });
    return new Uint8Array(await reached(object.arrayBuffer()));
  }

  async stream(): Promise<ReadableStream<Uint8Array>> {
    const object = await this.#get({});
    return object.body;
  }

  async #get(options: R2GetOptions): Promise<R2ObjectBody> {
    const object = await reached(
      this.#bucket.get(this.#key, { ...options, onlyIf: { etagMatches: this.etag } }),
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
