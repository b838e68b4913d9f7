import type { TemplateRecord } from "../../contracts/templates/template-object-api.ts";
import { AppError } from "../../lib/errors/errors.ts";
import type { CallerContext } from "../../platform/context.ts";
import {
  type TemplateRow,
  TemplateRows,
  type TemplateVersionRow,
} from "../../storage/d1/template-rows.ts";
import { templateDraftObject } from "../../storage/objects/template-draft-object.ts";

const REVISION = /^[1-9]\d{0,8}$/;

/** The row of a template of the caller's workspace, as lists show it. Throws `not_found`, `forbidden`. */
export async function requireTemplate(ctx: CallerContext, id: string): Promise<TemplateRow> {
  const found = await new TemplateRows(ctx.env, ctx.principal.workspaceId).find(id);
  if (found === "elsewhere") {
    throw new AppError(
      "forbidden",
      `The design template ${id} belongs to another workspace. Use a key of that workspace.`,
    );
  }
  if (found === undefined) {
    throw noSuchTemplate(id);
  }
  return found;
}

/** The current state of a template, from its object. Throws `not_found`, `forbidden`. */
export async function readRecord(ctx: CallerContext, id: string): Promise<TemplateRecord> {
  await requireTemplate(ctx, id);
  const record = await templateDraftObject(ctx, id).read({
    v: 1,
    workspace_id: ctx.principal.workspaceId,
  });
  if (record === null) {
    throw noSuchTemplate(id);
  }
  return record;
}

export function noSuchTemplate(id: string): AppError {
  return new AppError(
    "not_found",
    `There is no design template ${id}. It may have been deleted; GET /api/v1/design-templates?status=all lists all templates.`,
  );
}

/**
 * A published revision; `given` is the caller's text. Throws `not_found`, `forbidden`, `invalid_revision`.
 */
export async function requireVersion(
  ctx: CallerContext,
  id: string,
  given: string,
): Promise<{ readonly template: TemplateRow; readonly version: TemplateVersionRow }> {
  const template = await requireTemplate(ctx, id);
  const revision = parseRevision(given);
  const version = await new TemplateRows(ctx.env, ctx.principal.workspaceId).version(id, revision);
  if (version === undefined) {
    throw noSuchRevision(template, revision);
  }
  return { template, version };
}

export function noSuchRevision(
  { id, latest_revision }: Pick<TemplateRow, "id" | "latest_revision">,
  revision: number,
): AppError {
  return new AppError(
    "not_found",
    latest_revision === 0
      ? `The design template ${id} has no revision ${String(revision)}: it has not been published.`
      : `The design template ${id} has no revision ${String(revision)}; the latest is ${String(latest_revision)}.`,
  );
}

/** Throws `invalid_revision`. */
function parseRevision(given: string): number {
  if (!REVISION.test(given)) {
    throw new AppError(
      "invalid_revision",
      `"${given.slice(0, 80).toWellFormed()}" is not a revision. Send a whole number of at least 1.`,
    );
  }
  return Number(given);
}
