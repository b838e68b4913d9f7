/** What the nodes that ask models refer to: models, the workspace's defaults, presets and effects. */
import { MODEL_CAPABILITIES } from "../../contracts/models/model.ts";
import type { Reference, ResolvedReference } from "../../contracts/references.ts";
import { asJson, type JsonValue } from "../../lib/json/exact-json.ts";
import { sha256Hex } from "../../lib/sha256.ts";
import { readEffects, readPresets } from "../catalog/built-vocabulary.ts";
import { defaultModel } from "../models/default-models.ts";
import { referencedModel } from "../models/referenced-model.ts";
import { type WorkspaceModels, workspaceModels } from "../models/workspace-models.ts";
import type { ReferenceContext } from "./reference-context.ts";

/** Models that the workspace can use, by slug. */
export async function resolveModels(
  ctx: ReferenceContext,
  references: readonly Reference[],
): Promise<readonly ResolvedReference[]> {
  const { available } = await workspaceModels(ctx);
  return await resolveEach(references, (slug) => {
    const found = available.find(({ entry }) => entry.model === slug);
    return found && asJson(referencedModel(found));
  });
}

/** The default model of each capability of a list, by capability; not found if none of them has one. */
export async function resolveDefaultModels(
  ctx: ReferenceContext,
  references: readonly Reference[],
): Promise<readonly ResolvedReference[]> {
  const models = await workspaceModels(ctx);
  return await resolveEach(references, (list) => defaultsOf(models, list.split(",")));
}

function defaultsOf(
  { available, overrides }: WorkspaceModels,
  wanted: readonly string[],
): JsonValue | undefined {
  const found = MODEL_CAPABILITIES.filter((each) => wanted.includes(each)).flatMap((capability) => {
    const { model } = defaultModel(available, overrides, capability);
    const chosen = available.find(({ entry }) => entry.model === model);
    return chosen === undefined ? [] : [[capability, referencedModel(chosen)] as const];
  });
  return found.length === 0 ? undefined : asJson(Object.fromEntries(found));
}

/** Presets by `category/code`. */
export async function resolvePresets(
  ctx: ReferenceContext,
  references: readonly Reference[],
): Promise<readonly ResolvedReference[]> {
  const presets = await readPresets(ctx.env);
  return await resolveEach(references, (id) => {
    const found = presets.find(({ category, code }) => `${category}/${code}` === id);
    return found && { prompt_fragment: found.prompt_fragment };
  });
}

/** Effects by code. */
export async function resolveEffects(
  ctx: ReferenceContext,
  references: readonly Reference[],
): Promise<readonly ResolvedReference[]> {
  const effects = await readEffects(ctx.env);
  return await resolveEach(references, (id) => {
    const found = effects.find(({ code }) => code === id);
    return (
      found && {
        prompt_fragment: found.prompt_fragment,
        supports_intensity: found.supports_intensity,
      }
    );
  });
}

/** The content that is found, in a version of its own: its digest. */
async function resolveEach(
  references: readonly Reference[],
  find: (id: string) => JsonValue | undefined,
): Promise<readonly ResolvedReference[]> {
  const found = await Promise.all(
    references.map(async (reference): Promise<ResolvedReference | undefined> => {
      const content = find(reference.id);
      return content === undefined
        ? undefined
        : { ...reference, version: await sha256Hex(JSON.stringify(content)), content };
    }),
  );
  return found.filter((one) => one !== undefined);
}
