import { matchesEntityTag, namesEntityTag } from "../../lib/http/entity-tag.ts";
import { AppError } from "../../lib/errors/errors.ts";
import { parseHttpDate } from "../../lib/http/http-date.ts";
import { type ByteRange, parseRange } from "../../lib/http/http-range.ts";

/** Evaluates the conditions and ranges in a request for a file (RFC 9110 §13, §14). */
export interface FileRequest {
  readonly isHead: boolean;
  readonly range: string | null;
  readonly ifRange: string | null;
  readonly ifMatch: string | null;
  readonly ifNoneMatch: string | null;
  readonly ifModifiedSince: string | null;
  readonly ifUnmodifiedSince: string | null;
}

/** The properties of a file that conditions are compared with. */
export interface FileState {
  /** Strong, with quotes. */
  readonly etag: string;
  readonly size: number;
  /** Milliseconds since 1970; null if unknown. */
  readonly modifiedMs: number | null;
}

/** The relevant headers of a request for a file. */
export function fileRequest({ method, headers }: Request): FileRequest {
  return {
    isHead: method === "HEAD",
    range: headers.get("range"),
    ifRange: headers.get("if-range"),
    ifMatch: headers.get("if-match"),
    ifNoneMatch: headers.get("if-none-match"),
    ifModifiedSince: headers.get("if-modified-since"),
    ifUnmodifiedSince: headers.get("if-unmodified-since"),
  };
}

/** Whether the response is the whole file in any case. */
export function isUnconditional(request: FileRequest): boolean {
  const { isHead, ifRange: _, ...conditions } = request;
  return !isHead && Object.values(conditions).every((value) => value === null);
}

/**
 * Selects the response to a request for a file, in the order of RFC 9110 §13.2.2. `HEAD` has no
 * range (§14.2). Throws `precondition_failed`, `range_not_satisfiable`.
 */
export function selectResponse(
  request: FileRequest,
  file: FileState,
): { readonly status: 200 | 206 | 304; readonly range: ByteRange | undefined } {
  if (isChanged(request, file)) {
    throw new AppError(
      "precondition_failed",
      "The file has changed since the state in If-Match or If-Unmodified-Since. Read its ETag again.",
      { headers: { etag: file.etag } },
    );
  }
  if (isKnown(request, file)) {
    return { status: 304, range: undefined };
  }
  const range =
    !request.isHead && isSame(request.ifRange, file)
      ? parseRange(request.range, file.size)
      : undefined;
  if (range === "unsatisfiable") {
    throw new AppError(
      "range_not_satisfiable",
      `The file has ${String(file.size)} bytes; the range "${(request.range ?? "").slice(0, 60)}" is outside of it.`,
      { headers: { "content-range": `bytes */${String(file.size)}` } },
    );
  }
  return { status: range === undefined ? 200 : 206, range };
}

/** A date counts only without a tag. */
function isChanged({ ifMatch, ifUnmodifiedSince }: FileRequest, file: FileState): boolean {
  if (ifMatch !== null) {
    return !namesEntityTag(ifMatch, file.etag);
  }
  const sinceMs = parseHttpDate(ifUnmodifiedSince);
  return sinceMs !== undefined && file.modifiedMs !== null && wholeSeconds(file) > sinceMs;
}

function isKnown({ ifNoneMatch, ifModifiedSince }: FileRequest, file: FileState): boolean {
  if (ifNoneMatch !== null) {
    return matchesEntityTag(ifNoneMatch, file.etag);
  }
  const sinceMs = parseHttpDate(ifModifiedSince);
  return sinceMs !== undefined && file.modifiedMs !== null && wholeSeconds(file) <= sinceMs;
}

/**
 * If-Range: a part is sent only of the same bytes that the caller has a part of, compared by tag or
 * by date.
 */
function isSame(ifRange: string | null, file: FileState): boolean {
  if (ifRange === null || ifRange === file.etag) {
    return true;
  }
  const atMs = parseHttpDate(ifRange);
  return atMs !== undefined && file.modifiedMs !== null && wholeSeconds(file) === atMs;
}

/** In seconds, like `Last-Modified`. */
function wholeSeconds({ modifiedMs }: FileState): number {
  return Math.floor((modifiedMs ?? 0) / 1000) * 1000;
}
