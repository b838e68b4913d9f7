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

  constructor(fields: { key: string; name: string; contentType: string; sizeBytes: number }) {
    this.key = fields.key;
    this.name = fields.name;
    this.contentType = fields.contentType;
    this.sizeBytes = fields.sizeBytes;
  }
}
