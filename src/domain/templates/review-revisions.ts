import type {
  TemplateNodeReview,
  TemplateRevisions,
  UpgradedTemplates,
} from "../../contracts/templates/template-revisions.ts";
import { AppError } from "../../lib/errors/errors.ts";
import { parseJson } from "../../lib/json/exact-json.ts";
import type { CallerContext } from "../../platform/context.ts";
import { type TemplateRow, TemplateRows } from "../../storage/d1/template-rows.ts";
import {
  compareContracts,
  type ContractChange,
} from "../../templates/compatibility/compare-contracts.ts";
import { findCounterexamples } from "../../templates/compatibility/find-counterexample.ts";
import { definitionEtag, requireMatch } from "../workflows/definition/definition-etag.ts";
import { readDefinitionText } from "../workflows/definition/read-definition-text.ts";
import { replaceDefinition } from "../workflows/definition/replace-definition.ts";
import { loadContract } from "./load-revision.ts";
import { withRevisions } from "./pin-templates.ts";
import { proveCounterexample } from "./prove-counterexample.ts";
import { revisionOf, type TemplateNode, templateIdOf, templateNodesOf } from "./template-nodes.ts";

const ATTEMPTS_MAX = 10;

/** How each template node of a working definition stands to its template's latest revision. Throws `not_found`, `forbidden`, `design_render_busy`. */
export async function reviewRevisions(ctx: CallerContext, id: string): Promise<TemplateRevisions> {
  const { row, text } = await readDefinitionText(ctx, id);
  const nodes = templateNodesOf(parseJson(text));
  return {
    workflow: id,
    definition_etag: definitionEtag(row.revision).slice(1, -1),
    nodes: await reviewNodes(ctx, nodes, "with_examples"),
  };
}

/**
 * Moves the pins of nodes that are behind and compatible to the latest revision, and changes nothing else. Throws
 * `not_found`, `forbidden`, `precondition_failed`, `invalid_state` (archived), `validation_error` (an unknown node).
 */
export async function upgradeRevisions(
  ctx: CallerContext,
  id: string,
  nodeIds: readonly string[] | undefined,
  ifMatch: string | undefined,
): Promise<UpgradedTemplates> {
  for (let attempt = 0; attempt < ATTEMPTS_MAX; attempt += 1) {
    const { row, text } = await readDefinitionText(ctx, id);
    if (ifMatch !== undefined) {
      requireMatch(ifMatch, row.revision);
    }
    const etag = definitionEtag(row.revision);
    const definition = parseJson(text);
    const nodes = templateNodesOf(definition);
    requireNodes(nodes, nodeIds);
    const chosen = nodes.filter((node) => nodeIds?.includes(node.id) ?? true);
    const { upgraded, skipped } = sorted(await reviewNodes(ctx, chosen, "without_examples"));
    if (upgraded.length === 0) {
      return { upgraded, skipped, definition_etag: etag.slice(1, -1) };
    }
    const moved = withRevisions(
      definition,
      new Map(
        upgraded.map(({ node_id, to }) => [chosen.find((node) => node.id === node_id)?.index, to]),
      ),
    );
    try {
      const { revision } = await replaceDefinition(ctx, id, etag, moved);
      return { upgraded, skipped, definition_etag: definitionEtag(revision).slice(1, -1) };
    } catch (error) {
      // Another write came first; without If-Match the upgrade is made again on what it left.
      if (!(error instanceof AppError && error.code === "precondition_failed")) {
        throw error;
      }
    }
  }
  throw new AppError("service_unavailable", `The workflow ${id} is being changed. Try again.`);
}

function requireNodes(
  nodes: readonly TemplateNode[],
  nodeIds: readonly string[] | undefined,
): void {
  const unknown = nodeIds?.find((nodeId) => !nodes.some((node) => node.id === nodeId));
  if (unknown !== undefined) {
    const shown = unknown.slice(0, 80).toWellFormed();
    throw new AppError("validation_error", `node_ids: "${shown}" is not a template node.`, {
      errors: [
        { field: "node_ids", message: `"${shown}" is not a template node.`, node_id: shown },
      ],
    });
  }
}

function sorted(
  reviews: readonly TemplateNodeReview[],
): Pick<UpgradedTemplates, "upgraded" | "skipped"> {
  const result: Pick<UpgradedTemplates, "upgraded" | "skipped"> = { upgraded: [], skipped: [] };
  for (const review of reviews) {
    const { node_id, saved_revision: from, latest_revision: to } = review;
    const reason =
      from === null
        ? "unpinned"
        : review.template_status === null || to < from || isWithdrawn(review) || isUnknown(review)
          ? "unavailable"
          : review.is_current
            ? "current"
            : review.compatible
              ? undefined
              : "incompatible";
    if (reason !== undefined) {
      result.skipped.push({ node_id, reason });
    } else if (from !== null) {
      result.upgraded.push({ node_id, from, to });
    }
  }
  return result;
}

/** The later revision belongs to a template that is not published now: no definition can be pinned to it. */
function isWithdrawn({
  template_status: status,
  is_current: isCurrent,
}: TemplateNodeReview): boolean {
  return !isCurrent && status !== "published";
}

/** One of the revisions cannot be read, so that they were not compared. */
function isUnknown({ compatible, changes }: TemplateNodeReview): boolean {
  return !compatible && changes.length === 0;
}

async function reviewNodes(
  ctx: CallerContext,
  nodes: readonly TemplateNode[],
  examples: "with_examples" | "without_examples",
): Promise<TemplateNodeReview[]> {
  const ids = nodes.flatMap((node) => templateIdOf(node) ?? []);
  const rows = await new TemplateRows(ctx.env, ctx.principal.workspaceId).findAll(ids);
  const byId = new Map(rows.map((row) => [row.id, row]));
  // Nodes with the same pin share one comparison, and its renders.
  const compared = new Map<string, Promise<Comparison | undefined>>();
  const reviews: TemplateNodeReview[] = [];
  for (const node of nodes) {
    const row = byId.get(templateIdOf(node) ?? "");
    const pin = revisionOf(node) ?? null;
    const key = `${row?.id ?? ""} ${pin ?? ""}`;
    const comparison =
      row === undefined || pin === null
        ? undefined
        : (compared.get(key) ?? compareWithLatest(ctx, row, pin, examples));
    if (comparison !== undefined) {
      compared.set(key, comparison);
    }
    reviews.push(reviewNode(node, row, await comparison));
  }
  return reviews;
}

interface Comparison {
  readonly changes: ContractChange[];
  readonly counterexample: TemplateNodeReview["counterexample"];
}

function reviewNode(
  node: TemplateNode,
  row: TemplateRow | undefined,
  compared: Comparison | undefined,
): TemplateNodeReview {
  const savedRevision = revisionOf(node) ?? null;
  const policy = node.parameters["template_version_policy"];
  const changes = compared?.changes ?? [];
  const isUnreadable = row !== undefined && savedRevision !== null && compared === undefined;
  const paths = (...wanted: readonly ContractChange["code"][]) =>
    changes.filter(({ code }) => wanted.includes(code)).map(({ path }) => path);
  return {
    node_id: node.id,
    node_type: node.type,
    template_id: templateIdOf(node) ?? "",
    template_name: row?.name ?? null,
    template_status: row?.status ?? null,
    template_version_policy: policy === "latest_compatible" ? policy : "pinned",
    saved_revision: savedRevision,
    latest_revision: row?.latest_revision ?? 0,
    is_current: row !== undefined && savedRevision === row.latest_revision,
    changed_fields: {
      added: paths("field_added", "item_key_added"),
      removed: paths("field_removed", "item_key_removed"),
      retyped: paths("field_retyped", "item_key_retyped"),
      required: paths("required_added", "item_required_added"),
    },
    // Not so if one of the two cannot be read: then nothing is known.
    compatible: !isUnreadable && changes.every(({ compatible }) => compatible),
    changes,
    counterexample: compared?.counterexample ?? null,
  };
}

async function compareWithLatest(
  ctx: CallerContext,
  row: TemplateRow,
  savedRevision: number,
  examples: "with_examples" | "without_examples",
): Promise<Comparison | undefined> {
  const { workspaceId } = ctx.principal;
  const store = new TemplateRows(ctx.env, workspaceId);
  const [saved, latest] = await Promise.all([
    store.version(row.id, savedRevision),
    store.version(row.id, row.latest_revision),
  ]);
  if (saved === undefined || latest === undefined) {
    return undefined;
  }
  const [from, to] = await Promise.all(
    [saved, latest].map(async (version) => await loadContract(ctx.env, workspaceId, version)),
  );
  if (from === undefined || to === undefined) {
    return undefined;
  }
  const changes = compareContracts(from.contract, to.contract);
  if (changes.length === 0 && saved.content_hash !== latest.content_hash) {
    changes.push({ code: "restyled", path: "", from: null, to: null, compatible: true });
  }
  const candidates = findCounterexamples(from.contract, to.contract, changes);
  const counterexample =
    examples === "with_examples" ? await proveCounterexample(ctx, saved, latest, candidates) : null;
  return { changes, counterexample };
}
