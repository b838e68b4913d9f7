import type { Definition } from "../../../contracts/definition.ts";
import { parseDefinition } from "../../../contracts/parse-definition.ts";
import { compile } from "../../../engine/compile/compile.ts";
import type { Compiled, Plan } from "../../../engine/plan/plan.ts";
import { findNodeType } from "../../../nodes/registry.ts";
import { CACHE_LIMITS } from "../../cache-limits.ts";
import { WeightedCache } from "../../weighted-cache.ts";
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
  /** The text as published: its number tokens are the author's. */
  readonly definition_json: string;
  readonly plan: Plan;
  /** What its nodes refer to, and what was there when the plan was made. */
  readonly needed: readonly Reference[];
  readonly references: References;
}

/**
 * The one cache of an isolate, for requests and for run objects: least recently used first out, by
 * what each weighs. Versions are immutable, so an isolate keeps them until it needs the room.
 */
const versions = new WeightedCache<CompiledVersion>(
  CACHE_LIMITS.definitions.charsMax,
  CACHE_LIMITS.definitions.bytesOfChar,
);

/** A version that was compiled in this isolate before; undefined when it was not, or had to go. */
export function knownVersion(key: VersionKey): CompiledVersion | undefined {
  return versions.get(nameOf(key));
}

/**
 * Compiles a version with what it refers to and keeps it, in the place of one that was compiled with
 * something else; one that does not compile under this code is not kept.
 */
export function compileVersion(
  key: VersionKey,
  text: string,
  references: References = NO_REFERENCES,
  find: FindNodeType = findNodeType,
): { readonly version: CompiledVersion } | { readonly issues: Compiled["issues"] } {
  const definition = parseDefinition(text);
  const { plan, issues } = compile(definition, find, [], references);
  if (plan === undefined) {
    return { issues };
  }
  const needed = referencesIn(definition, find);
  const version = { definition, definition_json: text, plan, needed, references };
  versions.set(nameOf(key), version, text.length + CACHE_LIMITS.definitions.each);
  return { version };
}

function nameOf({ workspaceId, workflowId, version }: VersionKey): string {
  return `${workspaceId}/${workflowId}/${version}`;
}
