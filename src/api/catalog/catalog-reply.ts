import { matchesEntityTag } from "../../lib/http/entity-tag.ts";
import { sha256Hex } from "../../lib/sha256.ts";

/** Cache headers for the OpenAPI document. */
export const CATALOG_HEADERS = {
  ETag: "Changes with the content. Send it as `If-None-Match`.",
  "Content-Language": "Always `en`.",
  "Cache-Control": "`private, max-age=60`",
};

/** A catalog response (docs/contract/catalog.md#node-types): English, cacheable privately, 304 if unchanged. */
export async function catalogReply(
  request: Request,
  body: unknown,
): Promise<{ response: Response }> {
  const text = JSON.stringify(body);
  const etag = `"${(await sha256Hex(text)).slice(0, 32)}"`;
  const headers = {
    etag,
    "content-language": "en",
    "cache-control": "private, max-age=60",
  };
  if (matchesEntityTag(request.headers.get("if-none-match"), etag)) {
    return { response: new Response(null, { status: 304, headers }) };
  }
  const type = { "content-type": "application/json; charset=utf-8" };
  return { response: new Response(text, { headers: { ...headers, ...type } }) };
}
