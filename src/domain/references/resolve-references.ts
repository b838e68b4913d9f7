import type {
  Reference,
  ResolvedReference,
  ResolveReferences,
} from "../../contracts/references.ts";
import type { ReferenceContext } from "./reference-context.ts";
import { resolveColorProfiles } from "./resolve-color-profiles.ts";
import {
  resolveDefaultModels,
  resolveEffects,
  resolveModels,
  resolvePresets,
} from "./resolve-models.ts";
import { resolveTemplates } from "./resolve-templates.ts";

/**
 * Fetches references of one kind for one caller, in one call if possible; omits those that the
 * caller's workspace does not have. The result for a version never changes.
 */
export type ReferenceResolver = (
  ctx: ReferenceContext,
  references: readonly Reference[],
) => Promise<readonly ResolvedReference[]>;

/** By kind. A node type with a new kind of reference adds an entry. */
export const REFERENCE_RESOLVERS: Readonly<Record<string, ReferenceResolver>> = {
  color_profile: resolveColorProfiles,
  default_models: resolveDefaultModels,
  effect: resolveEffects,
  model: resolveModels,
  preset: resolvePresets,
  template: resolveTemplates,
};

/** Fetches for this caller; a kind without a resolver has no results. */
export function resolverOf(
  ctx: ReferenceContext,
  resolvers: Readonly<Record<string, ReferenceResolver>> = REFERENCE_RESOLVERS,
): ResolveReferences {
  return async (references) => {
    const byKind = Map.groupBy(references, ({ kind }) => kind);
    const found = await Promise.all(
      [...byKind].map(async ([kind, named]) => {
        const resolver = Object.hasOwn(resolvers, kind) ? resolvers[kind] : undefined;
        return resolver === undefined ? [] : await resolver(ctx, named);
      }),
    );
    return found.flat();
  };
}
