import type {
  DesignTemplate,
  ReadinessCheck,
  TemplateVersion,
} from "../../contracts/templates/design-template.ts";
import type {
  PublishedVersion,
  TemplateRecord,
} from "../../contracts/templates/template-object-api.ts";
import { draftEtag } from "../../lib/http/draft-etag.ts";
import { AppError } from "../../lib/errors/errors.ts";
import { unwrap } from "../../lib/result.ts";
import type { CallerContext } from "../../platform/context.ts";
import { newId } from "../../platform/ids.ts";
import { templateDraftObject } from "../../storage/objects/template-draft-object.ts";
import {
  deleteTemplateFiles,
  newTemplateFolder,
  putTemplateFiles,
} from "../../storage/r2/template-files.ts";
import { draftIsBusy, draftRequest, type DraftWrite } from "./change-draft.ts";
import { checkDraft } from "./check-readiness.ts";
import { contractHash } from "./stored-contract.ts";
import { readRecord, requireTemplate } from "./require-template.ts";
import { templateOfRecord, versionView } from "./template-view.ts";

const ATTEMPTS_MAX = 10;

export interface Published {
  readonly status: 200 | 201;
  readonly etag: string;
  readonly isReplay: boolean;
  readonly body: {
    readonly version: TemplateVersion;
    readonly template: DesignTemplate;
    readonly draft_etag: string;
  };
}

/**
 * Freezes the draft as the next revision. Its files are written first, into a folder of their own, and become a revision
 * with the commit: a publication that is cut off leaves the template as it was, and its object deletes the files of folders
 * that were announced and never committed. An edit that is committed meanwhile makes
 * the ETag stale. Throws what a draft write throws, `publish_not_ready` and `design_render_busy`.
 */
export async function publishTemplate(
  ctx: CallerContext,
  id: string,
  write: DraftWrite,
): Promise<Published> {
  await requireTemplate(ctx, id);
  const object = templateDraftObject(ctx, id);
  const request = draftRequest(ctx, write);
  for (let attempt = 0; attempt < ATTEMPTS_MAX; attempt += 1) {
    const opened = unwrap(await object.open({ ...request, wants_content: true }));
    if (opened.kind === "replay") {
      const { status, body } = opened.replay;
      const record = await readRecord(ctx, id);
      const version = JSON.parse(body ?? "null") as PublishedVersion;
      return published(record, version, status === 201 ? 201 : 200, true);
    }
    const { record, content } = opened;
    const version = await freeze(ctx, record, content ?? new Uint8Array());
    const committed = await commit(ctx, record, request, version);
    if (committed !== "moved") {
      return committed;
    }
  }
  throw draftIsBusy(id);
}

type NewVersion = Omit<PublishedVersion, "revision">;

/** Checks the draft and writes the files of a new revision, unless the latest one has the same content. */
async function freeze(
  ctx: CallerContext,
  record: TemplateRecord,
  content: Uint8Array,
): Promise<NewVersion> {
  const nowMs = ctx.nowMs();
  const { latest } = record;
  if (latest?.content_hash === record.content_hash) {
    return latest;
  }
  const { checks, isReady, contract, fontPins } = await checkDraft(ctx, record, content);
  if (!isReady || contract === null) {
    throw notReady(checks);
  }
  const folder = newTemplateFolder(record.workspace_id, record.id);
  unwrap(
    await templateDraftObject(ctx, record.id).announceFiles({
      v: 1,
      workspace_id: record.workspace_id,
      folder,
    }),
  );
  const encoder = new TextEncoder();
  await putTemplateFiles(ctx.env.FILES, folder, {
    document: content,
    contract: encoder.encode(JSON.stringify(contract)),
  });
  return {
    id: newId("templateVersion", nowMs),
    content_hash: record.content_hash,
    contract_hash: await contractHash(contract),
    page_count: record.page_count,
    folder,
    font_pins: fontPins,
    published_at_ms: nowMs,
  };
}

function notReady(checks: readonly ReadinessCheck[]): AppError {
  const blocking = checks.filter(({ severity }) => severity === "blocking");
  const others = blocking.length === 1 ? "" : ` ${blocking.length - 1} more block it.`;
  return new AppError(
    "publish_not_ready",
    `The draft cannot be published: ${blocking[0]?.message ?? ""}${others}`,
    { members: { checks } },
  );
}

async function commit(
  ctx: CallerContext,
  record: TemplateRecord,
  request: ReturnType<typeof draftRequest>,
  version: NewVersion,
): Promise<Published | "moved"> {
  let isUsed = version === record.latest;
  try {
    const result = unwrap(
      await templateDraftObject(ctx, record.id).publish({
        ...request,
        base_revision: record.draft_revision,
        is_announced: version !== record.latest,
        version: {
          id: version.id,
          content_hash: version.content_hash,
          contract_hash: version.contract_hash,
          page_count: version.page_count,
          folder: version.folder,
          font_pins: version.font_pins,
          published_at_ms: version.published_at_ms,
        },
      }),
    );
    if (result.kind === "moved") {
      return "moved";
    }
    if (result.kind === "replay") {
      const now = await readRecord(ctx, record.id);
      const known = JSON.parse(result.replay.body ?? "null") as PublishedVersion;
      return published(now, known, result.replay.status === 201 ? 201 : 200, true);
    }
    isUsed ||= result.is_new;
    return published(result.record, result.version, result.is_new ? 201 : 200, false);
  } catch (error) {
    // The commit may have succeeded although its response was lost: the files are kept unless it was refused.
    isUsed ||= !(error instanceof AppError);
    throw error;
  } finally {
    if (!isUsed) {
      await deleteTemplateFiles(ctx.env.FILES, version.folder);
    }
  }
}

function published(
  record: TemplateRecord,
  version: PublishedVersion,
  status: 200 | 201,
  isReplay: boolean,
): Published {
  const etag = draftEtag(record);
  return {
    status,
    etag,
    isReplay,
    body: {
      version: versionView(record.id, record.latest?.revision ?? 0, version),
      template: templateOfRecord(record),
      draft_etag: etag,
    },
  };
}
