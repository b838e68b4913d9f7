/**
 * A stored file as a value inside a run. A class, so that no JSON a caller sends can pass for one:
 * only storage and the decoder of stored values make it.
 */
export class FileRef {
  /** The object's key in R2. */
  readonly key: string;
  /** Base name with extension, as a browser should save it. */
  readonly name: string;
  readonly contentType: string;
  readonly sizeBytes: number;
  /** Of the bytes in R2 where they must be these very ones; undefined for a run's own files. */
  readonly etag: string | undefined;
  /** Of its bytes, hexadecimal, where they were hashed as they were stored. */
  readonly sha256: string | undefined;

  constructor(fields: {
    key: string;
    name: string;
    contentType: string;
    sizeBytes: number;
    etag?: string | undefined;
    sha256?: string | undefined;
  }) {
    this.key = fields.key;
    this.name = fields.name;
    this.contentType = fields.contentType;
    this.sizeBytes = fields.sizeBytes;
    this.etag = fields.etag;
    this.sha256 = fields.sha256;
  }
}
