import type { ByteRange } from "../../lib/http/http-range.ts";

/** The response for a file: its headers, and the requested part of its body. */
export interface OpenFile {
  readonly status: 200 | 206 | 304;
  readonly name: string;
  readonly contentType: string;
  readonly etag: string;
  /** Milliseconds since 1970; null if unknown. */
  readonly modifiedMs: number | null;
  readonly size: number;
  /** The returned part, if it is not the whole file. */
  readonly range: ByteRange | undefined;
  /** Null for HEAD and 304. */
  readonly body: ReadableStream | string | null;
}
