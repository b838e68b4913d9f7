import { isJsonObject, type JsonValue } from "../../lib/json/exact-json.ts";
import { tryParseId } from "../../platform/ids.ts";

const TEMPLATE_NODES: ReadonlySet<unknown> = new Set([
  "design/template_render",
  "document/pdf",
  "aggregate/pdf",
]);

/** A node of a definition, valid or not, that prints a template. */
export interface TemplateNode {
  readonly index: number;
  readonly id: string;
  readonly type: string;
  readonly parameters: { readonly [name: string]: JsonValue };
}

/** Nodes that print templates, in order, of a definition that may be invalid. */
export function templateNodesOf(definition: JsonValue): TemplateNode[] {
  const nodes = isJsonObject(definition) ? definition["nodes"] : undefined;
  return (Array.isArray(nodes) ? (nodes as readonly JsonValue[]) : []).flatMap((node, index) => {
    if (!isJsonObject(node) || !TEMPLATE_NODES.has(node["type"])) {
      return [];
    }
    const { id, type, parameters } = node;
    return typeof id === "string" && typeof type === "string"
      ? [{ index, id, type, parameters: isJsonObject(parameters) ? parameters : {} }]
      : [];
  });
}

export function templateIdOf({ parameters }: TemplateNode): string | undefined {
  const id = parameters["template_id"];
  return typeof id === "string" ? tryParseId("template", id) : undefined;
}

/** The revision that a node is pinned to; undefined for none, and for a value that is not a revision. */
export function revisionOf({ parameters }: TemplateNode): number | undefined {
  const revision = parameters["template_revision"];
  return typeof revision === "number" && Number.isSafeInteger(revision) && revision > 0
    ? revision
    : undefined;
}
