import type { NodeReference } from "../../contracts/references.ts";
import {
  asJson,
  isJsonObject,
  type JsonValue,
  parseJson,
  stringifyJson,
} from "../../lib/json/exact-json.ts";
import type { Plan, PlanNode } from "../plan/plan.ts";
import { canonicalJson } from "../values/canonical-json.ts";

/** The version of each node's type when a run started, by index in its plan: code that was deployed later may differ. */
export type TypeVersions = readonly string[];

/**
 * [E36] Returns the node of the source for each node of a plan, by index: the one with the same id, type, type version,
 * parameters, resources that these refer to, and connected ports. Undefined for a node without one, and for inputs.
 */
export function matchNodes(
  plan: Plan,
  source: Plan,
  sourceVersions: TypeVersions,
): readonly (PlanNode | undefined)[] {
  const known = new Map(source.nodes.map((node) => [node.id, node]));
  return plan.nodes.map((node) => {
    const other = known.get(node.id);
    if (other === undefined || node.type.role === "input") {
      return undefined;
    }
    const version = sourceVersions[other.index] ?? "";
    return definitionText(node, node.type.version) === definitionText(other, version)
      ? other
      : undefined;
  });
}

/** The parts of a node that its elements have in common, as one text. `version`: of its type when its run started. */
export function definitionText(node: PlanNode, version: string): string {
  const ports = node.inputs.flatMap(({ port, sources }) =>
    sources.length === 0 ? [] : [[port, sources.length]],
  );
  return JSON.stringify([
    node.type.type,
    version,
    // Parameters are JSON by their schemas, except for properties that are undefined, which have no text.
    canonicalJson(parseJson(stringifyJson(node.params as JsonValue))),
    (node.references ?? []).map((reference) => [
      reference.path,
      reference.kind,
      contentOf(reference),
    ]),
    ports.toSorted(([a], [b]) => (String(a) < String(b) ? -1 : 1)),
  ]);
}

/**
 * What a reference means for results: of models their names and revisions, which prices and limits do not change; of a template
 * its revision, which its reports name, the hash of its content and the revisions of its fonts, whatever its status.
 */
function contentOf({ kind, content, version }: NodeReference): JsonValue {
  if (!isJsonObject(content)) {
    return version;
  }
  if (kind === "template" && typeof content["content_hash"] === "string") {
    const { version_id = null, content_hash, font_pins = [], unavailable = null } = content;
    return [version_id, content_hash, font_pins, unavailable];
  }
  const models =
    kind === "model" ? [content] : kind === "default_models" ? Object.values(content) : [];
  const named = models.map((model) =>
    isJsonObject(model) && typeof model["revision"] === "string"
      ? [model["model"] ?? null, model["revision"]]
      : null,
  );
  // Models from before revisions were kept, and everything else.
  return named.length === 0 || named.includes(null) ? version : asJson(named);
}
