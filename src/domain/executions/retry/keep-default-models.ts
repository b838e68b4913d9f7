import {
  type ResolvedReference,
  type ResolveReferences,
  referenceKey,
} from "../../../contracts/references.ts";
import { References } from "../../../engine/compile/references.ts";
import { asJson, isJsonObject, type JsonValue } from "../../../lib/json/exact-json.ts";
import { sha256Hex } from "../../../lib/sha256.ts";

const DEFAULTS = "default_models";

/**
 * The references of a retry, in which a node that names no model has the one that its source fixed, as it is today,
 * while the workspace has it.
 */
export async function keepDefaultModels(
  references: References,
  source: readonly ResolvedReference[],
  resolve: ResolveReferences,
): Promise<References> {
  const before = new Map(source.map((reference) => [referenceKey(reference), reference]));
  const list = await Promise.all(
    references.list.map(async (reference) => {
      const known = reference.kind === DEFAULTS ? before.get(referenceKey(reference)) : undefined;
      return known === undefined || known.version === reference.version
        ? reference
        : await withModelsOf(reference, known, resolve);
    }),
  );
  return new References(list);
}

async function withModelsOf(
  reference: ResolvedReference,
  known: ResolvedReference,
  resolve: ResolveReferences,
): Promise<ResolvedReference> {
  const chosen = membersOf(reference.content);
  const slugs = new Map(
    Object.entries(membersOf(known.content)).flatMap(([capability, model]) => {
      const slug = slugOf(model);
      return slug === undefined ? [] : [[capability, slug] as const];
    }),
  );
  const found = await resolve(
    [...new Set(slugs.values())].map((id) => ({ kind: "model", id, revision: null })),
  );
  const content = asJson(
    Object.fromEntries(
      Object.entries(chosen).map(([capability, model]) => [
        capability,
        found.find(({ id }) => id === slugs.get(capability))?.content ?? model,
      ]),
    ),
  );
  return { ...reference, content, version: await sha256Hex(JSON.stringify(content)) };
}

function membersOf(content: JsonValue): { readonly [key: string]: JsonValue } {
  return isJsonObject(content) ? content : {};
}

function slugOf(model: JsonValue): string | undefined {
  const slug = isJsonObject(model) ? model["model"] : undefined;
  return typeof slug === "string" ? slug : undefined;
}
