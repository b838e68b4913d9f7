import type { Definition } from "../../contracts/workflows/definition.ts";
import {
  type NodeReference,
  NOTHING_STORED,
  type Reference,
  referenceKey,
  type ResolvedReference,
  type StoredReferences,
} from "../../contracts/references.ts";
import type { NamedReference } from "../../nodes/define-ports.ts";
import type { NodeType } from "../../nodes/define-roles.ts";

/** [E32] The resources that were fetched for a definition before it is compiled. */
export class References {
  readonly list: readonly ResolvedReference[];
  readonly #byKey: ReadonlyMap<string, ResolvedReference>;

  constructor(list: readonly ResolvedReference[]) {
    this.list = list;
    this.#byKey = new Map(list.map((reference) => [referenceKey(reference), reference]));
  }

  find(reference: Reference): ResolvedReference | undefined {
    return this.#byKey.get(referenceKey(reference));
  }

  /** Whether both have the same versions of all these resources. */
  agreesOn(references: readonly Reference[], other: References): boolean {
    return references.every(
      (reference) => this.find(reference)?.version === other.find(reference)?.version,
    );
  }
}

export const NO_REFERENCES = new References([]);

/** Returns each resource that the nodes of a definition refer to, once. Invalid parameters refer to nothing. */
export function referencesIn(
  definition: Definition,
  findNodeType: (type: string) => NodeType | undefined,
): Reference[] {
  const found = new Map<string, Reference>();
  for (const node of definition.nodes) {
    const type = findNodeType(node.type);
    const params =
      type?.references === undefined ? undefined : type.params.safeParse(node.parameters);
    if (type === undefined || params?.success !== true) {
      continue;
    }
    for (const { kind, id, revision } of type.references?.(params.data) ?? []) {
      found.set(referenceKey({ kind, id, revision }), { kind, id, revision });
    }
  }
  return [...found.values()];
}

/** Returns a node's resources by path, and the references that were not found or cannot be used. */
export function storedFor(
  type: NodeType,
  params: unknown,
  references: References,
): { readonly stored: StoredReferences; readonly missing: readonly NamedReference[] } {
  const named = type.references?.(params as never) ?? [];
  if (named.length === 0) {
    return { stored: NOTHING_STORED, missing: [] };
  }
  const stored = new Map<string, NodeReference>();
  const missing: NamedReference[] = [];
  for (const reference of named) {
    const resolved = references.find(reference);
    if (resolved === undefined) {
      missing.push(reference);
    } else if (resolved.failed !== undefined) {
      const { code: missingCode, message: missingMessage } = resolved.failed;
      missing.push({ ...reference, missingCode, missingMessage });
    } else {
      stored.set(reference.path, { ...resolved, path: reference.path });
    }
  }
  return { stored, missing };
}
