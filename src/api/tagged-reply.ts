import * as z from "zod";
import { matchesEntityTag } from "../lib/http/entity-tag.ts";
import { sha256Hex } from "../lib/sha256.ts";

/** The request header of `taggedReply`. */
export const IF_NONE_MATCH = {
  "if-none-match": z.string().optional().describe("The `ETag` of your copy."),
};

/** The response header of `taggedReply`. */
export const ETAG = { ETag: "Changes whenever the body changes" } as const;

/** The response of `taggedReply` to a caller that has the body. */
export const NOT_MODIFIED = { description: "Not modified since the `ETag` that was sent" } as const;

/** A response with the entity tag of its body: 304 without it if the caller's `If-None-Match` has that tag. */
export async function taggedReply<const B>(
  body: B,
  ifNoneMatch: string | undefined,
  given: Readonly<Record<string, string>> = {},
) {
  const etag = `"${(await sha256Hex(JSON.stringify(body))).slice(0, 32)}"`;
  const headers = { ...given, etag, "cache-control": "private, no-cache" };
  return matchesEntityTag(ifNoneMatch ?? null, etag)
    ? ({ status: 304, headers } as const)
    : ({ status: 200, body, headers } as const);
}
