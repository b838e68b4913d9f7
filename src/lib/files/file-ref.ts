import type { FileContent } from "./file-content.ts";

/** Position of a file's bytes in an R2 object that contains several files. */
export interface FilePack {
  readonly key: string;
  readonly offset: number;
}

interface FileFields {
  readonly key: string;
  readonly name: string;
  readonly contentType: string;
  readonly sizeBytes: number;
  readonly etag?: string | undefined;
  readonly sha256?: string | undefined;
  readonly canonical?: string | undefined;
  readonly content?: FileContent | undefined;
  readonly pack?: FilePack | undefined;
}

/**
 * A stored file as a value inside a run. It is a class, so that no JSON from a caller can be
 * mistaken for one: only storage and the decoder of stored values create it.
 */
export class FileRef {
  /** Identifier of the file: its R2 key, unless the file has `content` or a `pack`. */
  readonly key: string;
  /** Base name with extension, for downloads. */
  readonly name: string;
  readonly contentType: string;
  readonly sizeBytes: number;
  /**
   * ETag of the bytes in R2, if the reader needs exactly these bytes; undefined for a run's own
   * files.
   */
  readonly etag: string | undefined;
  /** SHA-256 of its bytes in hexadecimal, if they were hashed when stored. */
  readonly sha256: string | undefined;
  /**
   * Of a JSON value over 64 KiB: the key of its canonical text (`canonicalKey`), which is the same however the value is spelled.
   * Undefined for values that were stored before it was kept.
   */
  readonly canonical: string | undefined;
  /** Its bytes, if they are sent with the reference and stored nowhere else. */
  readonly content: FileContent | undefined;
  /** The R2 object that contains its bytes as a range. */
  readonly pack: FilePack | undefined;

  constructor(fields: FileFields) {
    this.key = fields.key;
    this.name = fields.name;
    this.contentType = fields.contentType;
    this.sizeBytes = fields.sizeBytes;
    this.etag = fields.etag;
    this.sha256 = fields.sha256;
    this.canonical = fields.canonical;
    this.content = fields.content;
    this.pack = fields.pack;
  }

  /** Whether the file is an R2 object by itself, under its key. */
  get isObject(): boolean {
    return this.content === undefined && this.pack === undefined;
  }

  /** Its `sha256`. Throws TypeError if its bytes were not hashed when stored: an empty digest would be a false report. */
  requireSha256(): string {
    if (this.sha256 === undefined) {
      throw new TypeError("The file was stored without a digest.");
    }
    return this.sha256;
  }

  /** A copy of the file with some fields replaced. */
  with(changed: Partial<FileFields>): FileRef {
    const { key, name, contentType, sizeBytes, etag, sha256, canonical, content, pack } = this;
    const same = { key, name, contentType, sizeBytes, etag, sha256, canonical, content, pack };
    return new FileRef({ ...same, ...changed });
  }
}
