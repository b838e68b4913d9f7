import { isJsonObject, type JsonValue } from "../../lib/exact-json.ts";
import { tryParseId } from "../../platform/ids.ts";
import { TemplateRows } from "../../storage/d1/template-rows.ts";
import type { ReferenceContext } from "../references/reference-context.ts";

const PINNED_TYPE = "design/template_render";

type Node = { readonly [member: string]: JsonValue };

/**
 * Writes the pins that a saved definition leaves out into its `design/template_render` nodes: the pin of the node with
 * the same id and template in the definition before, else the current revision of the published template
 * (docs/contract/templates.md#nodes). All else stays as it is.
 */
export async function pinTemplates(
  ctx: ReferenceContext,
  definition: JsonValue,
  previousText: string | undefined,
): Promise<JsonValue> {
  const unpinned = nodesOf(definition).filter(
    (node) => node["type"] === PINNED_TYPE && revisionOf(node) === undefined,
  );
  if (!isJsonObject(definition) || unpinned.length === 0) {
    return definition;
  }
  const before = new Map(
    previousText === undefined
      ? []
      : nodesOf(JSON.parse(previousText) as JsonValue).map((node) => [
          nameOf(node),
          revisionOf(node),
        ]),
  );
  const ids = unpinned.flatMap((node) => templateOf(node) ?? []);
  const rows = await new TemplateRows(ctx.env, ctx.principal.workspaceId).findAll(ids);
  const published = new Map(
    rows
      .filter(({ status }) => status === "published")
      .map(({ id, latest_revision }) => [id, latest_revision]),
  );
  const pinned = (node: Node): Node => {
    const revision = before.get(nameOf(node)) ?? published.get(templateOf(node) ?? "");
    return revision === undefined
      ? node
      : {
          ...node,
          parameters: { ...(node["parameters"] as object), template_revision: revision },
        };
  };
  const nodes = (definition["nodes"] as readonly JsonValue[]).map((node) =>
    unpinned.includes(node as Node) ? pinned(node as Node) : node,
  );
  return { ...definition, nodes };
}

function nodesOf(definition: JsonValue): Node[] {
  const nodes = isJsonObject(definition) ? definition["nodes"] : undefined;
  return Array.isArray(nodes)
    ? (nodes as readonly JsonValue[]).filter((node): node is Node => isJsonObject(node))
    : [];
}

function templateOf(node: Node): string | undefined {
  const parameters = node["parameters"];
  const id = isJsonObject(parameters) ? parameters["template_id"] : undefined;
  return typeof id === "string" ? tryParseId("template", id) : undefined;
}

function revisionOf(node: Node): JsonValue | undefined {
  const parameters = node["parameters"];
  return isJsonObject(parameters) ? parameters["template_revision"] : undefined;
}

/** Equal for the same use of the same template. */
function nameOf(node: Node): string {
  return JSON.stringify([node["type"], node["id"], templateOf(node)]);
}
