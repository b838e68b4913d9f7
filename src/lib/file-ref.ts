import type { FileContent } from "./file-content.ts";

/** Where the bytes of a file lie in an object of R2 that holds several. */
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
  readonly content?: FileContent | undefined;
  readonly pack?: FilePack | undefined;
}

/**
 * A stored file as a value inside a run. A class, so that no JSON a caller sends can pass for one:
 * only storage and the decoder of stored values make it.
 */
export class FileRef {
  /** Names the file. The object's key in R2, unless the file has `content` or a `pack`. */
  readonly key: string;
  /** Base name with extension, as a browser should save it. */
  readonly name: string;
  readonly contentType: string;
  readonly sizeBytes: number;
  /** Of the bytes in R2 where they must be these very ones; undefined for a run's own files. */
  readonly etag: string | undefined;
  /** Of its bytes, hexadecimal, where they were hashed as they were stored. */
  readonly sha256: string | undefined;
  /** Its bytes, where they travel with the reference and lie nowhere else. */
  readonly content: FileContent | undefined;
  /** The object in R2 that its bytes are a range of. */
  readonly pack: FilePack | undefined;

  constructor(fields: FileFields) {
    this.key = fields.key;
    this.name = fields.name;
    this.contentType = fields.contentType;
    this.sizeBytes = fields.sizeBytes;
    this.etag = fields.etag;
    this.sha256 = fields.sha256;
    this.content = fields.content;
    this.pack = fields.pack;
  }

  /** Whether the file is an object of R2 by itself, under its key. */
  get isObject(): boolean {
    return this.content === undefined && this.pack === undefined;
  }

  /** The same file but for these fields. */
  with(changed: Partial<FileFields>): FileRef {
    const { key, name, contentType, sizeBytes, etag, sha256, content, pack } = this;
    const same = { key, name, contentType, sizeBytes, etag, sha256, content, pack };
    return new FileRef({ ...same, ...changed });
  }
}
