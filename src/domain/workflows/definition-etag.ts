import { AppError } from "../../lib/errors.ts";

/** The ETag of a working definition. */
export function definitionEtag(revision: number): string {
  return `"rev-${revision}"`;
}

/**
 * Checks an `If-Match` header (RFC 9110 §13.1.1): `*`, or a list that names the current ETag. A
 * proxy that compresses makes an ETag weak; it still names the same revision.
 * Throws `precondition_failed` with the current ETag.
 */
export function requireMatch(ifMatch: string, revision: number): void {
  const current = definitionEtag(revision);
  const given = ifMatch.split(",").map((part) => part.trim().replace(/^W\//, ""));
  if (!given.includes("*") && !given.includes(current)) {
    throw new AppError(
      "precondition_failed",
      `The definition was changed since: If-Match says ${ifMatch.slice(0, 80)}, the current ETag is ${current}. Read it again, apply your change to it, and send that ETag.`,
      { headers: { etag: current } },
    );
  }
}
