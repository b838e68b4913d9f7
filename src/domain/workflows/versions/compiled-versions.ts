import type { Definition } from "../../../contracts/workflows/definition.ts";
import { parseDefinition } from "../../../contracts/workflows/parse-definition.ts";
import { compile } from "../../../engine/compile/compile.ts";
import type { Compiled, Plan } from "../../../engine/plan/plan.ts";
import { findNodeType } from "../../../nodes/registry.ts";
import { CACHE_LIMITS } from "../../cache-limits.ts";
import { WeightedCache } from "../../../lib/memory/weighted-cache.ts";
import type { Reference } from "../../../contracts/references.ts";
import type { FindNodeType } from "../../../engine/compile/read-nodes.ts";
import {
  NO_REFERENCES,
  type References,
  referencesIn,
} from "../../../engine/compile/references.ts";

/** A published version, which never changes. */
export interface VersionKey {
  readonly workspaceId: string;
  readonly workflowId: string;
  readonly version: number;
}

export interface CompiledVersion {
  readonly definition: Definition;
  /** The text as published, with the author's number tokens. */
  readonly definition_json: string;
  readonly plan: Plan;
  /** The references of its nodes, and their content when the plan was compiled. */
  readonly needed: readonly Reference[];
  readonly references: References;
  /** The stored pins of its templates; undefined if it was compiled by a run, which has its references. */
  readonly templatePins: string | null | undefined;
}

/**
 * The only plan cache of an isolate, for requests and for run objects: the least recently used is
 * removed first, by weight. Versions are immutable, so plans are kept until their room is needed.
 */
const versions = new WeightedCache<CompiledVersion>(
  CACHE_LIMITS.definitions.charsMax,
  CACHE_LIMITS.definitions.bytesOfChar,
);

/** A version that was compiled in this isolate before; undefined if it was not, or was removed. */
export function knownVersion(key: VersionKey): CompiledVersion | undefined {
  return versions.get(nameOf(key));
}

/**
 * Compiles a version with its references and caches it, replacing a plan with other references; a
 * version that does not compile with this code is not cached.
 */
export function compileVersion(
  key: VersionKey,
  text: string,
  references: References = NO_REFERENCES,
  find: FindNodeType = findNodeType,
  templatePins: string | null | undefined = versions.get(nameOf(key))?.templatePins,
): { readonly version: CompiledVersion } | { readonly issues: Compiled["issues"] } {
  const definition = parseDefinition(text);
  const { plan, issues } = compile(definition, find, [], references);
  if (plan === undefined) {
    return { issues };
  }
  const needed = referencesIn(definition, find);
  const version = { definition, definition_json: text, plan, needed, references, templatePins };
  versions.set(nameOf(key), version, text.length + CACHE_LIMITS.definitions.each);
  return { version };
}

function nameOf({ workspaceId, workflowId, version }: VersionKey): string {
  return `${workspaceId}/${workflowId}/${version}`;
}
