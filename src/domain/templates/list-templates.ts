import type * as z from "zod";
import type {
  DesignTemplateList,
  TemplateStatus,
  TemplateVersionList,
} from "../../contracts/templates/design-template.ts";
import type { CallerContext } from "../../platform/context.ts";
import { tryParseId } from "../../platform/ids.ts";
import { TemplateRows } from "../../storage/d1/template-rows.ts";
import { requireTemplate } from "./require-template.ts";
import { templateOfRow, versionView } from "./template-view.ts";
import { badCursor, pageOf } from "../list-page.ts";

/** A page of templates, newest first. Throws `invalid_request` for an unknown cursor. */
export async function listTemplates(
  ctx: CallerContext,
  given: {
    readonly limit: number;
    readonly startingAfter: string | undefined;
    /** Contained in the name, ignoring case. */
    readonly name: string | undefined;
    readonly tag: string | undefined;
    readonly status: TemplateStatus | "all";
  },
): Promise<z.output<typeof DesignTemplateList>> {
  const store = new TemplateRows(ctx.env, ctx.principal.workspaceId);
  const { rows, total } = await store.list({
    status: given.status === "all" ? null : given.status,
    name: given.name ?? null,
    tag: given.tag ?? null,
    belowSeq: await cursorOf(store, given.startingAfter),
    // One item more than the page shows whether there is another page.
    limit: given.limit + 1,
  });
  return pageOf(
    { rows, total },
    given.limit,
    (row) => templateOfRow(row),
    ({ id }) => id,
  );
}

async function cursorOf(store: TemplateRows, given: string | undefined): Promise<number | null> {
  if (given === undefined) {
    return null;
  }
  const id = tryParseId("template", given);
  const seq = id === undefined ? undefined : await store.seqOf(id);
  if (seq === undefined) {
    throw badCursor(given, "a design template of this workspace");
  }
  return seq;
}

/** A page of a template's revisions, newest first; the cursor is a revision. */
export async function listTemplateVersions(
  ctx: CallerContext,
  id: string,
  given: { readonly limit: number; readonly startingAfter: string | undefined },
): Promise<z.output<typeof TemplateVersionList>> {
  const template = await requireTemplate(ctx, id);
  const after = given.startingAfter;
  if (
    after !== undefined &&
    !(/^\d{1,9}$/.test(after) && Number(after) <= template.latest_revision)
  ) {
    throw badCursor(after, `a revision of ${id}`);
  }
  const { rows, total } = await new TemplateRows(ctx.env, ctx.principal.workspaceId).versions(
    id,
    after === undefined ? Number.MAX_SAFE_INTEGER : Number(after),
    given.limit + 1,
  );
  return pageOf(
    { rows, total },
    given.limit,
    (row) => versionView(id, template.latest_revision, row),
    ({ revision }) => String(revision),
  );
}
