import type { DesignTemplate } from "../../contracts/templates/design-template.ts";
import type { TemplateChange } from "../../contracts/templates/template-object-api.ts";
import { unwrap } from "../../lib/result.ts";
import type { CallerContext } from "../../platform/context.ts";
import { templateDraftObject } from "../../storage/objects/template-draft-object.ts";
import { readRecord, requireTemplate } from "./require-template.ts";
import { templateOfRecord } from "./template-view.ts";

/** The current state of a template. Throws `not_found`, `forbidden`. */
export async function readTemplate(ctx: CallerContext, id: string): Promise<DesignTemplate> {
  return templateOfRecord(await readRecord(ctx, id));
}

/**
 * Changes a template itself, not its draft; repeats have no effect. Throws `not_found`, `forbidden`, `archived`,
 * `invalid_state`.
 */
export async function changeTemplate(
  ctx: CallerContext,
  id: string,
  change: TemplateChange,
): Promise<DesignTemplate> {
  await requireTemplate(ctx, id);
  const record = unwrap(
    await templateDraftObject(ctx, id).change({
      v: 1,
      workspace_id: ctx.principal.workspaceId,
      change,
    }),
  );
  return templateOfRecord(record);
}
