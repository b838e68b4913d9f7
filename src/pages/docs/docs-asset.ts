import { AppError } from "../../lib/errors/errors.ts";
import type { Page } from "../../platform/page.ts";

/** Files of the pages, built into the assets by `scripts/build-assets.ts`. No other file of their folder is served. */
const FILES: ReadonlyMap<string, string> = new Map([
  ["site.css", "text/css; charset=utf-8"],
  ["site.js", "text/javascript; charset=utf-8"],
  ["theme.js", "text/javascript; charset=utf-8"],
  ["mark.svg", "image/svg+xml"],
  ["hero-code.svg", "image/svg+xml"],
]);

/**
 * Style sheets, scripts and pictures of the pages. Browsers revalidate their copies each time, because a deployment
 * changes all files at once.
 */
export const docsAsset: Page = {
  path: "/docs/assets/{file}",
  operationId: "docsAsset",
  respond: async (ctx, { params, headers }) => {
    const name = params["file"] ?? "";
    const type = FILES.get(name);
    const tag = headers.get("if-none-match");
    // The host of an assets binding is ignored; the path selects the file.
    const found =
      type === undefined
        ? undefined
        : await ctx.env.ASSETS?.fetch(`http://assets/site/${name}`, {
            headers: tag === null ? {} : { "if-none-match": tag },
          });
    if (type === undefined || found === undefined || (!found.ok && found.status !== 304)) {
      await found?.body?.cancel();
      throw new AppError("not_found", "This file does not exist.");
    }
    const etag = found.headers.get("etag");
    return new Response(found.status === 304 ? null : found.body, {
      status: found.status,
      headers: {
        "content-type": type,
        "cache-control": "public, max-age=0, must-revalidate",
        "x-content-type-options": "nosniff",
        ...(etag !== null && { etag }),
      },
    });
  },
};
