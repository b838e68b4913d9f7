import type { ByteRange } from "../../lib/http-range.ts";

/** What is answered of a file: its head, and as much of its body as was asked for. */
export interface OpenFile {
  readonly status: 200 | 206 | 304;
  readonly name: string;
  readonly contentType: string;
  readonly etag: string;
  /** Milliseconds since 1970; null where nobody knows. */
  readonly modifiedMs: number | null;
  readonly size: number;
  /** The part that is sent, when it is not the whole. */
  readonly range: ByteRange | undefined;
  /** Null for HEAD and 304. */
  readonly body: ReadableStream | string | null;
}
