import { MODEL_CAPABILITIES, type ModelCapability } from "../../contracts/models/model.ts";
import type { ModelDefault, ModelDefaultList } from "../../contracts/models/model-default.ts";
import { AppError } from "../../lib/errors/errors.ts";
import type { AppContext } from "../../platform/context.ts";
import { ModelDefaultStore } from "../../storage/d1/model-default-store.ts";
import { requireWorkspace } from "../admin/require-tenant.ts";
import { type CatalogPage, catalogPage } from "../catalog/catalog-page.ts";
import { currentModels, forgetProviders } from "./workspace-models.ts";

/** A page of a workspace's own defaults, in the order of the capabilities. Throws `not_found` for an unknown workspace, and `invalid_request` for a cursor that is not in the list. */
export async function listModelDefaults(
  ctx: AppContext,
  workspaceId: string,
  page: CatalogPage,
): Promise<ModelDefaultList> {
  await requireWorkspace(ctx, workspaceId);
  const rows = await new ModelDefaultStore(ctx.env, workspaceId).list();
  const chosen = new Map(rows.map(({ capability, model }) => [capability, model]));
  const defaults = MODEL_CAPABILITIES.flatMap((capability): ModelDefault[] => {
    const model = chosen.get(capability);
    return model === undefined ? [] : [{ capability, model }];
  });
  return catalogPage(defaults, ({ capability }) => capability, page, "default");
}

/**
 * Makes a model the default of a capability for a workspace. Throws `not_found` for an unknown workspace or
 * capability, and `validation_error` for a model that the workspace cannot use or that lacks the capability.
 */
export async function putModelDefault(
  ctx: AppContext,
  workspaceId: string,
  name: string,
  model: string,
): Promise<ModelDefault> {
  const capability = requireCapability(name);
  await requireWorkspace(ctx, workspaceId);
  const { available } = await currentModels(ctx, workspaceId);
  const found = available.find(({ entry }) => entry.model === model);
  if (found?.entry.capabilities.includes(capability) !== true) {
    const message =
      found === undefined
        ? "Is not a model that this workspace can use."
        : `Is a model without the capability ${capability}.`;
    throw new AppError("validation_error", `model: ${message} List its models for their slugs.`, {
      errors: [{ field: "model", message }],
    });
  }
  await new ModelDefaultStore(ctx.env, workspaceId).put({ capability, model }, ctx.nowMs());
  forgetProviders();
  return { capability, model };
}

/** Returns to the system's default. Throws `not_found` for an unknown workspace or capability. */
export async function deleteModelDefault(
  ctx: AppContext,
  workspaceId: string,
  name: string,
): Promise<void> {
  const capability = requireCapability(name);
  await requireWorkspace(ctx, workspaceId);
  await new ModelDefaultStore(ctx.env, workspaceId).delete(capability);
  forgetProviders();
}

function requireCapability(name: string): ModelCapability {
  const known = MODEL_CAPABILITIES.find((capability) => capability === name);
  if (known === undefined) {
    throw new AppError(
      "not_found",
      `There is no capability "${name.slice(0, 80).toWellFormed()}". GET /api/v1/capabilities lists them.`,
    );
  }
  return known;
}
