/** The runner's service that detects the type of a file from its first bytes, called by the API Worker. */

export interface FileTypeRequest {
  readonly v: 1;
  /** The beginning of the file. Only its first 64 KiB are read. */
  readonly head: Uint8Array;
}

export interface FileTypesApi {
  /** The usual extension of the type, without a dot; null if the bytes have no known type. */
  detect(request: FileTypeRequest): Promise<string | null>;
}
