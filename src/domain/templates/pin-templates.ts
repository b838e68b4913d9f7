import type { Definition } from "../../contracts/workflows/definition.ts";
import { parsePins, type TemplatePin } from "../../contracts/templates/template-pins.ts";
import type { ReferencedTemplate } from "../../contracts/templates/template-reference.ts";
import type { References } from "../../engine/compile/references.ts";
import { isJsonObject, type JsonValue } from "../../lib/json/exact-json.ts";
import { type TemplateRow, TemplateRows } from "../../storage/d1/template-rows.ts";
import type { ReferenceContext } from "../references/reference-context.ts";
import { hashOf } from "./load-revision.ts";
import { revisionOf, type TemplateNode, templateIdOf, templateNodesOf } from "./template-nodes.ts";

const PINNED_TYPE = "design/template_render";

export interface PinnedDefinition {
  readonly definition: JsonValue;
  readonly pins: readonly TemplatePin[];
}

/**
 * Writes the pins that a saved definition leaves out into its `design/template_render` nodes: the pin of the node with
 * the same id and template in the definition before, else the current revision of the published template. All else stays
 * as it is. Returns with it the identity and hashes of every pinned revision whose template is published, and of those
 * that the definition before had (docs/contract/templates.md#pins).
 */
export async function pinTemplates(
  ctx: ReferenceContext,
  definition: JsonValue,
  previous?: { readonly text: string; readonly templatePins: string | null },
): Promise<PinnedDefinition> {
  const nodes = templateNodesOf(definition);
  if (nodes.length === 0) {
    return { definition, pins: [] };
  }
  const ids = nodes.flatMap((node) => templateIdOf(node) ?? []);
  const rows = await new TemplateRows(ctx.env, ctx.principal.workspaceId).findAll(ids);
  const byId = new Map(rows.map((row) => [row.id, row]));
  const before = pinsBefore(previous?.text);
  const missing = new Map<number, JsonValue>();
  for (const node of nodes) {
    const row = byId.get(templateIdOf(node) ?? "");
    const current = row?.status === "published" ? row.latest_revision : undefined;
    const revision = before.get(nameOf(node)) ?? current;
    if (
      node.type === PINNED_TYPE &&
      node.parameters["template_revision"] === undefined &&
      revision !== undefined
    ) {
      missing.set(node.index, revision);
    }
  }
  const pinned = withRevisions(definition, missing);
  const known = parsePins(previous?.templatePins ?? null);
  return { definition: pinned, pins: await savedPins(ctx, pinned, byId, known) };
}

/** A definition whose nodes at these positions have other revisions. */
export function withRevisions(
  definition: JsonValue,
  revisions: ReadonlyMap<number | undefined, JsonValue>,
): JsonValue {
  if (!isJsonObject(definition) || revisions.size === 0) {
    return definition;
  }
  const nodes = (definition["nodes"] as readonly JsonValue[]).map((node, index) => {
    const revision = revisions.get(index);
    return revision === undefined || !isJsonObject(node)
      ? node
      : {
          ...node,
          parameters: { ...(node["parameters"] as object), template_revision: revision },
        };
  });
  return { ...definition, nodes };
}

/** The pins of a stored definition, by `nameOf`. A value that is not a revision, as in a definition with errors, is left out. */
function pinsBefore(text: string | undefined): ReadonlyMap<string, number> {
  const pins = new Map<string, number>();
  for (const node of text === undefined ? [] : templateNodesOf(JSON.parse(text) as JsonValue)) {
    const revision = revisionOf(node);
    if (revision !== undefined && !pins.has(nameOf(node))) {
      pins.set(nameOf(node), revision);
    }
  }
  return pins;
}

async function savedPins(
  ctx: ReferenceContext,
  definition: JsonValue,
  rows: ReadonlyMap<string, TemplateRow>,
  known: readonly TemplatePin[],
): Promise<readonly TemplatePin[]> {
  const named = new Map<string, { readonly id: string; readonly revision: number }>();
  for (const node of templateNodesOf(definition)) {
    const id = templateIdOf(node);
    const revision = revisionOf(node);
    if (id !== undefined && revision !== undefined) {
      named.set(`${id} ${revision}`, { id, revision });
    }
  }
  const pins = await Promise.all(
    [...named.values()].map(async ({ id, revision }) => {
      const isPublished = rows.get(id)?.status === "published";
      return isPublished
        ? await pinOf(ctx, { id, named: String(revision), revision })
        : known.find((pin) => pin.template_id === id && pin.revision === revision);
    }),
  );
  return pins.filter((pin) => pin !== undefined);
}

/** The identity and hashes of a revision; undefined if there is none. */
async function pinOf(
  ctx: ReferenceContext,
  { id, named, revision }: { id: string; named: string; revision: number },
): Promise<TemplatePin | undefined> {
  const store = new TemplateRows(ctx.env, ctx.principal.workspaceId);
  const version = await store.version(id, revision);
  return (
    version && {
      template_id: id,
      named,
      revision,
      version_id: version.id,
      content_hash: hashOf(version.content_hash),
      contract_hash: hashOf(version.contract_hash),
      fields: [],
    }
  );
}

/** What a version freezes of each template that a valid definition names, with the fields that are connected. */
export async function publishedPins(
  ctx: ReferenceContext,
  definition: Definition,
  references: References,
): Promise<readonly TemplatePin[]> {
  const ports = connectedPorts(definition);
  const pins = await Promise.all(
    references.list.map(async ({ kind, revision: named, content }) => {
      // Of another kind it has other members, of which this reads none.
      const found = content as unknown as Partial<ReferencedTemplate>;
      if (kind !== "template" || found.fields === undefined) {
        return [];
      }
      const template = found as ReferencedTemplate;
      const { template_id: id } = template;
      const fields = template.fields.filter(({ code }) => ports.get(id)?.has(code) === true);
      const number = Number.parseInt(named ?? "", 10);
      const pin =
        named !== null && Number.isFinite(number)
          ? await pinOf(ctx, { id, named, revision: number })
          : undefined;
      const { revision, version_id, content_hash, contract_hash } = pin ?? template;
      return [
        { template_id: id, named, revision, version_id, content_hash, contract_hash, fields },
      ];
    }),
  );
  return pins.flat();
}

/** Connected inputs of template nodes, by template. */
function connectedPorts({ nodes, connections }: Definition): Map<string, Set<string>> {
  // Parameters, typed `unknown`, were read from JSON.
  const templates = new Map(
    templateNodesOf({ nodes } as unknown as JsonValue).map((node) => [node.id, templateIdOf(node)]),
  );
  const ports = new Map<string, Set<string>>();
  for (const { to } of connections) {
    const template = templates.get(to.node);
    if (template !== undefined) {
      ports.set(template, (ports.get(template) ?? new Set<string>()).add(to.port));
    }
  }
  return ports;
}

/** Equal for nodes with the same id and template. The type is not part of it: a node that changes its type keeps its pin. */
function nameOf(node: TemplateNode): string {
  return JSON.stringify([node.id, templateIdOf(node)]);
}
