import { AppError } from "../../../lib/errors/errors.ts";

/** The ETag of a working definition. */
export function definitionEtag(revision: number): string {
  return `"rev-${revision}"`;
}

/**
 * Whether an `If-Match` or `If-None-Match` header contains this revision (RFC 9110 §13.1): `*`, or
 * a list of ETags. A proxy that compresses makes an ETag weak; it still identifies the same
 * revision.
 */
export function isMatch(header: string, revision: number): boolean {
  const given = header.split(",").map((part) => part.trim().replace(/^W\//, ""));
  return given.includes("*") || given.includes(definitionEtag(revision));
}

/** Checks an `If-Match` header. Throws `precondition_failed` with the current ETag. */
export function requireMatch(ifMatch: string, revision: number): void {
  if (!isMatch(ifMatch, revision)) {
    const current = definitionEtag(revision);
    throw new AppError(
      "precondition_failed",
      `The definition has changed: If-Match is ${ifMatch.slice(0, 80)}, the current ETag is ${current}. Read it again, apply your change to it, and send that ETag.`,
      { headers: { etag: current } },
    );
  }
}
