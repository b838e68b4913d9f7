import { AppError } from "../../lib/errors/errors.ts";
import type { ByteRange } from "../../lib/http/http-range.ts";
import type { CallerContext } from "../../platform/context.ts";
import { FontStore } from "../../storage/d1/font-store.ts";
import type { OpenFile } from "../files/open-file.ts";
import { type FileRequest, selectResponse } from "../files/select-response.ts";
import { requireFontFamily } from "./require-font-family.ts";
import type { Env } from "../../platform/env.ts";
import type { SystemFontFile } from "./system-family.ts";

export interface FontFilePlace {
  readonly familyGuid: string;
  readonly versionGuid: string;
  readonly which: { readonly fileId: string } | { readonly variant: string };
}

/**
 * The day on which the families of the service were added: a different file would be another
 * version.
 */
const SYSTEM_FONTS_MS = Date.UTC(2026, 10, 20);

/** Metadata of a file, known before its bytes are read. */
interface Located {
  readonly name: string;
  readonly format: "ttf" | "otf";
  readonly sha256: string;
  readonly size: number;
  /** Time of the upload, in milliseconds since 1970. */
  readonly modifiedMs: number;
  readonly read: (range: ByteRange | undefined) => Promise<ReadableStream | null>;
}

/**
 * Opens one file of one revision, of an archived family too (docs/contract/fonts.md#uploads). Its
 * tag is the SHA-256 of its bytes, which never change. Throws `not_found`, `forbidden`,
 * `precondition_failed`, `range_not_satisfiable`.
 */
export async function openFontFile(
  ctx: CallerContext,
  place: FontFilePlace,
  request: FileRequest,
): Promise<OpenFile> {
  const found = await locate(ctx, place);
  if (found === undefined) {
    const what =
      "fileId" in place.which
        ? `file ${place.which.fileId}`
        : `variant ${place.which.variant.slice(0, 40).toWellFormed()}`;
    throw new AppError(
      "not_found",
      `The font family ${place.familyGuid} has no ${what} in the version ${place.versionGuid}. GET /api/v1/fonts lists the files of each family's current version.`,
    );
  }
  const { name, format, sha256, size, modifiedMs } = found;
  const file = {
    name,
    contentType: `font/${format}`,
    etag: `"${sha256}"`,
    modifiedMs,
    size,
  };
  const { status, range } = selectResponse(request, file);
  const body = request.isHead || status === 304 ? null : await found.read(range);
  return { ...file, status, range, body };
}

async function locate(
  ctx: CallerContext,
  { familyGuid, versionGuid, which }: FontFilePlace,
): Promise<Located | undefined> {
  const family = await requireFontFamily(ctx, familyGuid);
  if ("system" in family) {
    const { system } = family;
    const file = system.files.find((one) =>
      "fileId" in which ? one.fileGuid === which.fileId : one.variant === which.variant,
    );
    return file === undefined || system.versionGuid !== versionGuid
      ? undefined
      : {
          name: `${system.family}-${file.variant}.${file.format}`.replaceAll(" ", ""),
          format: file.format,
          sha256: file.sha256,
          size: file.sizeBytes,
          modifiedMs: SYSTEM_FONTS_MS,
          read: async (range) => cut(await openSystemFontFile(ctx.env, file), range),
        };
  }
  const row = await new FontStore(ctx.env, ctx.principal.workspaceId).findFile(
    familyGuid,
    versionGuid,
    which,
  );
  return (
    row && {
      name: `${row.post_script_name}.${row.format}`,
      format: row.format,
      sha256: row.sha256,
      size: row.size_bytes,
      modifiedMs: row.created_at_ms,
      read: async (range) => {
        const object = await ctx.env.FILES.get(row.key, range === undefined ? {} : { range });
        if (object === null) {
          throw new Error(`The bytes of a font file are not there: ${row.id}.`);
        }
        return object.body;
      },
    }
  );
}

/** A part of one of the service's own files, which are known to be small. */
async function cut(
  whole: ReadableStream<Uint8Array>,
  range: ByteRange | undefined,
): Promise<ReadableStream<Uint8Array>> {
  if (range === undefined) {
    return whole;
  }
  const bytes = await new Response(whole).blob();
  return bytes.slice(range.offset, range.offset + range.length).stream();
}

/**
 * The bytes of a system font, as a stream of `sizeBytes`. They are static assets of the deployment,
 * read through the binding only: they have no public address. Throws if the deployment does not
 * have them, which is a defect of the deployment.
 */
export async function openSystemFontFile(
  env: Pick<Env, "ASSETS">,
  file: SystemFontFile,
): Promise<ReadableStream<Uint8Array>> {
  // The host is ignored by an assets binding; the path identifies the file.
  const found = await env.ASSETS?.fetch(`http://assets/${file.asset}`);
  if (found?.ok !== true || found.body === null) {
    await found?.body?.cancel();
    throw new Error(
      `The system font ${file.asset} is not among the deployment's assets: build them (npm run build:assets) and deploy again.`,
    );
  }
  return found.body;
}
