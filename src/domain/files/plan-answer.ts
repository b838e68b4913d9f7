import { matchesEntityTag } from "../../lib/entity-tag.ts";
import { AppError } from "../../lib/errors.ts";
import { type ByteRange, parseRange } from "../../lib/http-range.ts";

/** What a request for a file's bytes says about which of them it wants (RFC 9110 §13, §14). */
export interface FileRequest {
  readonly isHead: boolean;
  readonly range: string | null;
  readonly ifRange: string | null;
  readonly ifNoneMatch: string | null;
}

/** Which answer a request gets for a file of this size and strong tag. Throws `range_not_satisfiable`. */
export function planAnswer(
  request: FileRequest,
  file: { readonly etag: string; readonly size: number },
): { readonly status: 200 | 206 | 304; readonly range: ByteRange | undefined } {
  if (matchesEntityTag(request.ifNoneMatch, file.etag)) {
    return { status: 304, range: undefined };
  }
  // If-Range: a part is sent only of the very bytes that the caller has a part of.
  const isSame = request.ifRange === null || request.ifRange === file.etag;
  const range = isSame ? parseRange(request.range, file.size) : undefined;
  if (range === "unsatisfiable") {
    throw new AppError(
      "range_not_satisfiable",
      `The file has ${String(file.size)} bytes and the range "${(request.range ?? "").slice(0, 60)}" lies outside of them.`,
      { headers: { "content-range": `bytes */${String(file.size)}` } },
    );
  }
  return { status: range === undefined ? 200 : 206, range };
}
