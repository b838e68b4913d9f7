import * as z from "zod";
import type { OpenFile } from "../../domain/files/open-file.ts";
import { fileRequest } from "../../domain/files/select-response.ts";
import { openThumbnail } from "../../domain/files/open-thumbnail.ts";
import { openOutputFile } from "../../domain/files/open-output-file.ts";
import { contentDisposition } from "../../lib/http/content-disposition.ts";
import { downloadName } from "../../lib/http/download-name.ts";
import { AppError } from "../../lib/errors/errors.ts";
import { httpDate } from "../../lib/http/http-date.ts";
import { hasFileAccess } from "../../platform/file-access.ts";
import { isAssetKey } from "../../platform/file-url.ts";
import { previewExpiryMs } from "../../platform/preview-key.ts";
import { defineEndpoint } from "../define-endpoint.ts";

/** Types that a browser would execute as a document of this origin. */
const ACTIVE =
  /^(?:text\/html|application\/xhtml\+xml|text\/xml|application\/xml|[\w.-]+\/[\w.-]+\+xml)\b/i;
/** Types that a browser displays safely. */
const SHOWN = /^(?:image|audio|video)\/|^(?:text\/plain|application\/(?:json|pdf))\b/i;

export const getFile = defineEndpoint({
  method: "get",
  path: "/files/{key+}",
  operationId: "getFile",
  summary: "Download a file",
  description:
    "The address of an output as results return it, or of an asset. It needs no token: its path contains 256 random bits. If the deployment signs addresses, it expires after one hour. Accepts `Range`, `If-Range`, `If-Match`, `If-None-Match`, `If-Modified-Since`, `If-Unmodified-Since` and HEAD. Pages of any origin may read it.",
  tag: "Files",
  access: "public",
  isCrossOrigin: true,
  request: {
    params: z.object({ key: z.string() }),
    query: z.object({
      name: z
        .union([z.string(), z.array(z.string())])
        .optional()
        .describe("The file name for the download. The extension of the file is kept."),
      size: z
        .enum(["thumbnail"])
        .optional()
        .describe("`thumbnail`: a picture of at most 512 px on its longest side."),
    }),
  },
  responses: {
    200: { description: "The file", contentType: "application/octet-stream" },
    206: { description: "A part of the file", contentType: "application/octet-stream" },
    304: { description: "Not modified since the tag that was sent" },
  },
  errors: [
    "not_found",
    "forbidden",
    "service_unavailable",
    "precondition_failed",
    "range_not_satisfiable",
  ],
  handle: async (ctx, { params, query }, c) => {
    if (!hasFileAccess(ctx.env, c.req.url, ctx.nowMs())) {
      throw new AppError(
        "forbidden",
        "This address is not signed, or it has expired. Get a new one: read the result again, or GET /api/v1/assets/download-url.",
      );
    }
    const open = query.size === "thumbnail" ? openThumbnail : openOutputFile;
    const file = await open(ctx, params.key, fileRequest(c.req.raw));
    return {
      response: new Response(file.body, {
        status: file.status,
        headers: headersOf(file, query.name, cacheControl(ctx.env.FILE_ACCESS, params.key)),
      }),
    };
  },
});

/**
 * An output never changes; the hour limits how long a cache shows a deleted output. An asset may be deleted at any
 * time, and a preview's image expires.
 */
function cacheControl(access: string | undefined, key: string): string {
  if (isAssetKey(key) || previewExpiryMs(key) !== undefined) {
    return "private, no-cache";
  }
  return access === "private" ? "private, max-age=3600" : "public, max-age=3600, immutable";
}

function headersOf(
  file: OpenFile,
  wished: string | readonly string[] | undefined,
  cache: string,
): Headers {
  const isShown = SHOWN.test(file.contentType) || ACTIVE.test(file.contentType);
  const headers = new Headers({
    etag: file.etag,
    "cache-control": cache,
    ...(file.modifiedMs !== null && { "last-modified": httpDate(file.modifiedMs) }),
    "content-disposition": contentDisposition(
      isShown ? "inline" : "attachment",
      downloadName(file.name, typeof wished === "string" ? wished : wished?.[0]),
    ),
  });
  if (ACTIVE.test(file.contentType)) {
    headers.set(
      "content-security-policy",
      "default-src 'none'; style-src 'unsafe-inline'; img-src data:; font-src data:; sandbox",
    );
  }
  if (file.status === 304) {
    return headers;
  }
  headers.set("content-type", file.contentType);
  headers.set("accept-ranges", "bytes");
  headers.set("content-length", String(file.range?.length ?? file.size));
  if (file.range !== undefined) {
    const { offset, length } = file.range;
    headers.set(
      "content-range",
      `bytes ${String(offset)}-${String(offset + length - 1)}/${String(file.size)}`,
    );
  }
  return headers;
}
