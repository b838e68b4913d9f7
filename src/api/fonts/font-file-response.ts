import type { Context } from "hono";
import { type FontFilePlace, openFontFile } from "../../domain/fonts/open-font-file.ts";
import { fileRequest } from "../../domain/files/select-response.ts";
import { contentDisposition } from "../../lib/http/content-disposition.ts";
import { httpDate } from "../../lib/http/http-date.ts";
import { safeFileName } from "../../lib/files/safe-file-name.ts";
import type { CallerContext } from "../../platform/context.ts";
import type { AppEnv } from "../app-env.ts";

/** The documented responses of both font-file routes. */
export const FONT_FILE_RESPONSES = {
  200: { description: "The file", contentType: "application/octet-stream" },
  206: { description: "A part of the file", contentType: "application/octet-stream" },
  304: { description: "Not modified since the tag that was sent" },
} as const;

/** Returns one file of a revision as a response to this request. Throws the errors of `openFontFile`. */
export async function fontFileResponse(
  ctx: CallerContext,
  c: Context<AppEnv>,
  place: FontFilePlace,
): Promise<{ readonly response: Response }> {
  const file = await openFontFile(ctx, place, fileRequest(c.req.raw));
  const headers = new Headers({
    etag: file.etag,
    ...(file.modifiedMs !== null && { "last-modified": httpDate(file.modifiedMs) }),
    // The bytes of an exact file never change; the token makes them private to the caller.
    "cache-control": "private, max-age=31536000, immutable",
    vary: "authorization",
    "content-disposition": contentDisposition("attachment", safeFileName(file.name, "font")),
  });
  if (file.status !== 304) {
    headers.set("content-type", file.contentType);
    headers.set("accept-ranges", "bytes");
    headers.set("content-length", String(file.range?.length ?? file.size));
    if (file.range !== undefined) {
      const { offset, length } = file.range;
      headers.set("content-range", `bytes ${offset}-${offset + length - 1}/${file.size}`);
    }
  }
  return { response: new Response(file.body, { status: file.status, headers }) };
}
