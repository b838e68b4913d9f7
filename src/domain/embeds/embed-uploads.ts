import { isMadeBy } from "../../contracts/embeds/embed-origin.ts";
import { extensionOf } from "../../contracts/files/asset-types.ts";
import { AppError } from "../../lib/errors/errors.ts";
import { LIMITS } from "../../lib/limits/limits-table.ts";
import type { CallerContext, EmbedContext } from "../../platform/context.ts";
import { EmbedAssetStore, type EmbedUpload } from "../../storage/d1/embed-asset-store.ts";
import { rateLimiterObject } from "../../storage/objects/rate-limiter-object.ts";
import { configFields } from "./config-fields.ts";
import { embedWorkflow } from "./embed-workflow.ts";

const UPLOADS_MAX = LIMITS.embed_uploads.value;
const WINDOW_MS = 3_600_000;

/** Throws `invalid_file_type` for the name of a file that no field of the form accepts. */
export type CheckName = (name: string) => void;

/**
 * Counts one upload of a token, and returns the check of its file's name (docs/contract/embeds.md#uploads). Throws
 * `rate_limited`, and the errors of `embedWorkflow`.
 */
export async function admitUpload(
  ctx: EmbedContext,
  interfaceGiven: string | null,
): Promise<CheckName> {
  const { loaded, entry } = await embedWorkflow(ctx, interfaceGiven);
  const { embed } = ctx;
  const outcome = await rateLimiterObject(ctx, `embed-uploads:${embed.ws_id}:${embed.jti}`).take({
    v: 1,
    limit: UPLOADS_MAX,
    window_ms: WINDOW_MS,
  });
  if (!outcome.is_allowed) {
    const seconds = Math.max(1, Math.ceil(outcome.retry_after_ms / 1000));
    throw new AppError(
      "rate_limited",
      `More than ${UPLOADS_MAX} uploads with this embed token in an hour. Try again in ${seconds} s.`,
      { headers: { "retry-after": String(seconds) } },
    );
  }
  const fields = configFields(loaded.plan, entry, { presets: [], effects: [] });
  const accepted = new Set(fields.flatMap(({ accept }) => accept ?? []));
  return (name) => {
    if (!accepted.has(`.${extensionOf(name)}`)) {
      const which =
        accepted.size === 0
          ? "The form takes no files"
          : `Send one of: ${[...accepted].join(", ")}`;
      throw new AppError(
        "invalid_file_type",
        `"${name.slice(0, 100).toWellFormed()}" is not a file that a field of this form accepts. ${which}.`,
      );
    }
  };
}

/** Notes who uploads a file, if an embed token does, before anybody can find the file. */
export async function noteEmbedUpload(
  ctx: CallerContext,
  upload: Omit<EmbedUpload, "nowMs">,
): Promise<void> {
  const { embedViewer, workspaceId } = ctx.principal;
  if (embedViewer !== undefined) {
    const store = new EmbedAssetStore(ctx.env, workspaceId);
    await store.note({ ...upload, nowMs: ctx.nowMs() }, embedViewer);
  }
}

/** Throws `forbidden` if an embed token names a stored file that neither it nor another of its person uploaded. */
export async function requireEmbedAsset(
  ctx: CallerContext,
  path: string,
  field: string,
): Promise<void> {
  const { embedViewer, workspaceId } = ctx.principal;
  if (embedViewer === undefined) {
    return;
  }
  const owner = await new EmbedAssetStore(ctx.env, workspaceId).ownerOf(path);
  if (owner === undefined || !isMadeBy(embedViewer, owner.origin, owner.workflowId)) {
    throw new AppError(
      "forbidden",
      `${field}: this embed token may use the files alone that were uploaded with it. Upload the file again.`,
    );
  }
}

/** Throws `not_found` for an upload session that neither the token nor another of its person opened. */
export async function requireEmbedUpload(ctx: EmbedContext, uploadId: string): Promise<void> {
  const { embedViewer, workspaceId } = ctx.principal;
  const owner = await new EmbedAssetStore(ctx.env, workspaceId).ownerOfUpload(uploadId);
  if (
    owner === undefined ||
    embedViewer === undefined ||
    !isMadeBy(embedViewer, owner.origin, owner.workflowId)
  ) {
    throw new AppError("not_found", `There is no upload session ${uploadId}.`);
  }
}
