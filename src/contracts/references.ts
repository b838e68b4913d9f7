/**
 * What a node's parameters name that is stored elsewhere: a template, a model. Whoever compiles a
 * definition fetches it first (`domain/references`), so that compiling stays pure.
 */
import type { JsonValue } from "../lib/exact-json.ts";

export interface Reference {
  /** What is named: `template`, `model`, … Each kind has a resolver. */
  readonly kind: string;
  readonly id: string;
  /** The revision that the parameters pin; null for the current one. */
  readonly revision: string | null;
}

/** What stood there when it was fetched. */
export interface ResolvedReference extends Reference {
  /** Names this state of it for ever: other content has another version. */
  readonly version: string;
  /** As much of it as ports, checks, costs and tasks need. Plain JSON. */
  readonly content: JsonValue;
}

/** A reference where a node's parameters hold it, fetched. */
export interface NodeReference extends ResolvedReference {
  /** Below `parameters`: `template_id`, `fallback_models[1]`. */
  readonly path: string;
}

/** A node's references by their path. */
export type StoredReferences = ReadonlyMap<string, NodeReference>;

export const NOTHING_STORED: StoredReferences = new Map();

/** Equal for references that name the same. */
export function referenceKey({ kind, id, revision }: Reference): string {
  return JSON.stringify([kind, id, revision]);
}

/** Fetches what is there; what is not is left out. */
export type ResolveReferences = (
  references: readonly Reference[],
) => Promise<readonly ResolvedReference[]>;
