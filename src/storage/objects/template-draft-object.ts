import type { TemplateDraftApi } from "../../contracts/templates/template-object-api.ts";
import type { Env } from "../../platform/env.ts";

/** The object that owns a design template and its draft, named by the template's id. */
export function templateDraftObject(
  ctx: { readonly env: Pick<Env, "TEMPLATE_DRAFT"> },
  templateId: string,
): TemplateDraftApi {
  return ctx.env.TEMPLATE_DRAFT.get(ctx.env.TEMPLATE_DRAFT.idFromName(templateId));
}
