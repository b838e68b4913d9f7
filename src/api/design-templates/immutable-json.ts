import { matchesEntityTag } from "../../lib/http/entity-tag.ts";
import type { RawReply } from "../define-endpoint.ts";
import { JSON_TYPE } from "./template-route.ts";

/** A JSON text that never changes at its address; 304 if the client has it. */
export function immutableJson(
  { text, etag }: { readonly text: string; readonly etag: string },
  ifNoneMatch: string | undefined,
): RawReply {
  const headers = { etag, "cache-control": "private, max-age=31536000, immutable" };
  return {
    response: matchesEntityTag(ifNoneMatch ?? null, etag)
      ? new Response(null, { status: 304, headers })
      : new Response(text, { headers: { ...headers, "content-type": JSON_TYPE } }),
  };
}
