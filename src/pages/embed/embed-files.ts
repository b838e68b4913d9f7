/** The built browser code: files of the pages, and the SDK for hosts. */
import manifest from "../../../dist/assets/embed/manifest.json";
import type { WebFile, WebManifest } from "../../contracts/embeds/web-manifest.ts";
import { AppError } from "../../lib/errors/errors.ts";
import type { AppContext } from "../../platform/context.ts";
import type { Page, PageRequest } from "../../platform/page.ts";

const { assets, sdk }: WebManifest = manifest;

/** Files of the pages. Their names contain a hash of their content, so caches keep them for good. */
export const embedAsset: Page = {
  path: "/embed/assets/{file}",
  operationId: "embedAsset",
  respond: (ctx, request) =>
    file(ctx, request, "assets", assets, {
      "cache-control": "public, max-age=31536000, immutable",
    }),
};

/** The SDK and its types, for pages of any origin. Its name is its major version, so caches ask again after five minutes. */
export const embedSdk: Page = {
  path: "/embed/sdk/{file}",
  operationId: "embedSdk",
  respond: (ctx, request) =>
    file(ctx, request, "sdk", sdk, {
      "cache-control": "public, max-age=300",
      "access-control-allow-origin": "*",
      "cross-origin-resource-policy": "cross-origin",
    }),
};

async function file(
  ctx: AppContext,
  { params, headers }: PageRequest,
  folder: "assets" | "sdk",
  files: Readonly<Record<string, WebFile>>,
  caching: Readonly<Record<string, string>>,
): Promise<Response> {
  const name = params["file"] ?? "";
  const known = Object.hasOwn(files, name) ? files[name] : undefined;
  const tag = headers.get("if-none-match");
  // The host of an assets binding is ignored; the path selects the file.
  const found =
    known === undefined
      ? undefined
      : await ctx.env.ASSETS?.fetch(`http://assets/embed/${folder}/${name}`, {
          headers: tag === null ? {} : { "if-none-match": tag },
        });
  if (known === undefined || found === undefined || (!found.ok && found.status !== 304)) {
    await found?.body?.cancel();
    throw new AppError("not_found", "This file does not exist.");
  }
  const etag = found.headers.get("etag");
  return new Response(found.status === 304 ? null : found.body, {
    status: found.status,
    headers: {
      "content-type": known.type,
      "x-content-type-options": "nosniff",
      ...caching,
      ...(etag !== null && { etag }),
    },
  });
}
