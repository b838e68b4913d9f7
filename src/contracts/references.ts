/**
 * References from a node's parameters to stored things: a template, a model. The caller of the
 * compiler fetches them first (`domain/references`), so that compilation stays pure.
 */
import type { JsonValue } from "../lib/json/exact-json.ts";
import type { IssueCode } from "./workflows/definition-issue.ts";

export interface Reference {
  /** The kind of the reference: `template`, `model`, … Each kind has a resolver. */
  readonly kind: string;
  readonly id: string;
  /** The revision that the parameters pin; null for the current one. */
  readonly revision: string | null;
}

/** The referenced content at the time of the fetch. */
export interface ResolvedReference extends Reference {
  /** Permanent name of this content: other content has another version. */
  readonly version: string;
  /** The parts that ports, checks, costs and tasks need. Plain JSON. */
  readonly content: JsonValue;
  /** Why a definition cannot use it. Definitions that compile have none. */
  readonly failed?: { readonly code: IssueCode; readonly message: string };
}

/** A fetched reference and its position in a node's parameters. */
export interface NodeReference extends ResolvedReference {
  /** Path below `parameters`: `template_id`, `fallback_models[1]`. */
  readonly path: string;
}

/** A node's references by their path. */
export type StoredReferences = ReadonlyMap<string, NodeReference>;

/**
 * The content of the reference at a path; undefined if it was not fetched. `T` is the type that the resolver of its kind
 * makes (`domain/references`). Only this service writes it, so it is not checked again.
 */
export function contentAt<T>(stored: StoredReferences, path: string): T | undefined {
  return stored.get(path)?.content as T | undefined;
}

export const NOTHING_STORED: StoredReferences = new Map();

/** Equal for references to the same thing. */
export function referenceKey({ kind, id, revision }: Reference): string {
  return JSON.stringify([kind, id, revision]);
}

/** Fetches the references that exist and omits the others. */
export type ResolveReferences = (
  references: readonly Reference[],
) => Promise<readonly ResolvedReference[]>;
