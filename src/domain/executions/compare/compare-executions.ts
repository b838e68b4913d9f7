/** Compares two ended runs of a workspace (docs/contract/executions.md#comparison). */
import type {
  ItemChange,
  ItemDifference,
  ItemSide,
  NodeDifference,
  OutputDifference,
  RunComparison,
} from "../../../contracts/runs/comparison.ts";
import type { ComparableRun } from "../../../contracts/runs/run-comparison-api.ts";
import { AppError } from "../../../lib/errors/errors.ts";
import type { CallerContext } from "../../../platform/context.ts";
import { type ComparedDefinitions, compareDefinitions } from "./compare-definitions.ts";
import { compareInputs } from "./compare-inputs.ts";
import { compareElements, type ComparedPlace } from "./compare-elements.ts";
import { ComparedRun } from "./compared-run.ts";
import { type DescribedValue, describeValue, shownDifference } from "./describe-value.ts";

export interface ComparisonPage {
  readonly limit: number;
  readonly startingAfter: string | null;
  readonly key: string | null;
  readonly change: ItemChange | null;
}

/** Bytes of compared texts and JSON up to which a page of items goes on: it ends early where they are many. */
const PAGE_VALUE_BYTES_MAX = 4 * 1024 * 1024;

/**
 * Throws `not_found`, `forbidden`, `not_completed`, `outputs_expired`, and `invalid_request` for an invalid cursor.
 */
export async function compareExecutions(
  ctx: CallerContext,
  aId: string,
  bId: string,
  page: ComparisonPage,
): Promise<RunComparison> {
  const after = readCursor(page.startingAfter);
  const [a, b] = await Promise.all([ComparedRun.read(ctx, aId), ComparedRun.read(ctx, bId)]);
  const definitions = compareDefinitions(a.run, b.run);
  const found = await compareItems(a, b, page, after);
  const inputs = await compareInputs(ctx, a, b);
  const items = await describeItems(ctx, a, b, found, page.limit);
  const { totals } = found;
  const isSameStatus = a.run.execution.status === b.run.execution.status;
  const differing = totals.items_compared - totals.same;
  return {
    a: sideOf(a.run),
    b: sideOf(b.run),
    is_identical:
      isSameStatus && differing === 0 && inputs.length === 0 && definitions.difference.is_same,
    relation: relationOf(a.run, b.run),
    inputs,
    definition: {
      ...definitions.difference,
      nodes: definitions.difference.nodes.map(({ patch, ...node }) => ({
        ...node,
        ...(patch !== undefined && { patch: patch === null ? null : [...patch] }),
      })),
      connections: {
        added: [...definitions.difference.connections.added],
        removed: [...definitions.difference.connections.removed],
      },
    },
    nodes: compareNodes(a.run, b.run, definitions),
    outputs: found.outputs,
    totals: {
      ...totals,
      credits_delta: delta(creditsOf(a.run), creditsOf(b.run)),
      duration_delta_ms: durationDelta(
        a.run.trace.totals.duration_ms,
        b.run.trace.totals.duration_ms,
      ),
    },
    items,
  };
}

function sideOf({ execution, trace }: ComparableRun): RunComparison["a"] {
  const { id, workflow, workflow_version, is_draft, status, credits_used, created_at } = execution;
  return {
    id,
    workflow,
    workflow_version,
    is_draft,
    status,
    ...(credits_used !== undefined && { credits_used }),
    duration_ms: trace.totals.duration_ms,
    created_at,
  };
}

function relationOf(
  { execution: a }: ComparableRun,
  { execution: b }: ComparableRun,
): RunComparison["relation"] {
  const isChain =
    a.id !== b.id &&
    (a.retry_root ?? a.id) === (b.retry_root ?? b.id) &&
    (a.retry_of !== null || b.retry_of !== null);
  if (isChain) {
    return "retry";
  }
  if (a.workflow !== b.workflow) {
    return "unrelated";
  }
  // Working definitions have no version of their own.
  const isSameVersion = a.workflow_version === b.workflow_version && !a.is_draft && !b.is_draft;
  return isSameVersion ? "same_version" : "same_workflow";
}

function creditsOf({ execution }: ComparableRun): number {
  return execution.credits_used ?? 0;
}

/** Credits have three decimals. */
function delta(a: number, b: number): number {
  return Math.round((b - a) * 1000) / 1000;
}

function durationDelta(a: number | null, b: number | null): number | null {
  return a === null || b === null ? null : b - a;
}

function compareNodes(
  a: ComparableRun,
  b: ComparableRun,
  { order, changed }: ComparedDefinitions,
): NodeDifference[] {
  const nodesOf = ({ trace }: ComparableRun) =>
    new Map(trace.nodes.map((node) => [node.node_id, node]));
  const contentsOf = ({ contents }: ComparableRun) =>
    new Map(contents.map(({ node_id, digest }) => [node_id, digest]));
  const [inA, inB] = [nodesOf(a), nodesOf(b)];
  const [contentsA, contentsB] = [contentsOf(a), contentsOf(b)];
  const ids = new Set([...order, ...inB.keys(), ...inA.keys()]);
  return [...ids].map((id) => {
    const [before, after] = [inA.get(id), inB.get(id)];
    const isChanged =
      changed.has(id) ||
      iterationsOf(before) !== iterationsOf(after) ||
      contentsA.get(id) !== contentsB.get(id);
    const side = (node: typeof before) =>
      node === undefined
        ? null
        : {
            state: node.state,
            iterations: node.iterations,
            credits: node.credits,
            duration_ms: node.duration_ms,
          };
    return {
      node_id: id,
      change:
        before === undefined
          ? "added"
          : after === undefined
            ? "removed"
            : isChanged
              ? "changed"
              : "same",
      a: side(before),
      b: side(after),
      credits_delta: delta(before?.credits ?? 0, after?.credits ?? 0),
      duration_delta_ms: durationDelta(before?.duration_ms ?? null, after?.duration_ms ?? null),
    };
  });
}

/** As text, without how many were taken over from another run. */
function iterationsOf(node: ComparableRun["trace"]["nodes"][number] | undefined): string {
  return JSON.stringify({ ...node?.iterations, reused: 0 });
}

/** An item that differs, before its values are read. */
interface FoundItem {
  readonly key: string;
  readonly type: string;
  readonly aNode: number;
  readonly bNode: number;
  readonly place: ComparedPlace;
  /** Position among all items that differ. */
  readonly ordinal: number;
}

interface FoundItems {
  readonly outputs: OutputDifference[];
  readonly totals: Pick<
    RunComparison["totals"],
    "items_compared" | "same" | "changed" | "added" | "removed" | "state_changed"
  >;
  /** Those of the page. */
  readonly page: readonly FoundItem[];
  readonly hasMore: boolean;
  /** How many match the filters. */
  readonly count: number;
}

const COUNTS = {
  same: "same",
  changed: "changed",
  added: "added",
  removed: "removed",
  state: "state_changed",
} as const;

async function compareItems(
  a: ComparedRun,
  b: ComparedRun,
  { limit, key: onlyKey, change: onlyChange }: ComparisonPage,
  after: number,
): Promise<FoundItems> {
  const inA = new Map(a.run.outputs.map((output) => [output.key, output]));
  const inB = new Map(b.run.outputs.map((output) => [output.key, output]));
  const keys = [...new Set([...inA.keys(), ...inB.keys()])].toSorted();
  const outputs: OutputDifference[] = [];
  const page: FoundItem[] = [];
  let ordinal = -1;
  let count = 0;
  let hasMore = false;
  for (const key of keys) {
    const [outA, outB] = [inA.get(key), inB.get(key)];
    const counts = { same: 0, changed: 0, added: 0, removed: 0, state_changed: 0 };
    const reader = (run: ComparedRun, output: typeof outA) =>
      output === undefined ? null : (from: number) => run.elements(output.node, from);
    await compareElements(reader(a, outA), reader(b, outB), (place) => {
      counts[COUNTS[place.change]]++;
      if (place.change === "same") {
        return;
      }
      ordinal++;
      if (
        (onlyKey !== null && onlyKey !== key) ||
        (onlyChange !== null && onlyChange !== place.change)
      ) {
        return;
      }
      count++;
      if (ordinal <= after) {
        return;
      }
      if (page.length === limit) {
        hasMore = true;
        return;
      }
      const type = outB?.type ?? outA?.type ?? "";
      page.push({ key, type, aNode: outA?.node ?? -1, bNode: outB?.node ?? -1, place, ordinal });
    });
    outputs.push({ key, ...counts, a_state: outA?.state ?? null, b_state: outB?.state ?? null });
  }
  const sum = (of: (typeof COUNTS)[keyof typeof COUNTS]) =>
    outputs.reduce((total, output) => total + output[of], 0);
  const totals = {
    same: sum("same"),
    changed: sum("changed"),
    added: sum("added"),
    removed: sum("removed"),
    state_changed: sum("state_changed"),
  };
  const items_compared = Object.values(totals).reduce((total, part) => total + part, 0);
  return { outputs, totals: { items_compared, ...totals }, page, hasMore, count };
}

async function describeItems(
  ctx: CallerContext,
  a: ComparedRun,
  b: ComparedRun,
  found: FoundItems,
  limit: number,
): Promise<RunComparison["items"]> {
  const data: ItemDifference[] = [];
  let bytes = 0;
  let last = -1;
  // A few at a time: each value has up to 64 KiB, and stored ones have more.
  for (let at = 0; at < found.page.length && bytes <= PAGE_VALUE_BYTES_MAX; at += AT_ONCE) {
    const some = found.page.slice(at, at + AT_ONCE);
    const [aValues, bValues] = await Promise.all([
      presentValues(a, some, "a"),
      presentValues(b, some, "b"),
    ]);
    for (const [i, item] of some.entries()) {
      if (bytes > PAGE_VALUE_BYTES_MAX) {
        break;
      }
      const [before, after] = [aValues[i] ?? null, bValues[i] ?? null];
      bytes += shownBytes(before) + shownBytes(after);
      data.push({
        key: item.key,
        input_indices: [...item.place.indices],
        change: item.place.change === "same" ? "changed" : item.place.change,
        type: item.type,
        a: itemSide(item.place.a?.state, before),
        b: itemSide(item.place.b?.state, after),
        ...(before !== null &&
          after !== null &&
          (await shownDifference(ctx, before, after, item.type))),
      });
      last = item.ordinal;
    }
  }
  const hasMore = found.hasMore || data.length < Math.min(found.page.length, limit);
  return {
    data,
    has_more: hasMore,
    next_cursor: hasMore ? `d${String(last)}` : null,
    total_count: found.count,
  };
}

/** Of a value whose text is compared. */
function shownBytes(value: DescribedValue | null): number {
  return value === null || value.text === null ? 0 : value.size_bytes;
}

/** Items whose values are read at a time. */
const AT_ONCE = 16;

async function presentValues(
  run: ComparedRun,
  items: readonly FoundItem[],
  side: "a" | "b",
): Promise<(DescribedValue | null)[]> {
  const asked = items.flatMap(({ place, ...item }, at) => {
    const found = place[side];
    const node = side === "a" ? item.aNode : item.bNode;
    return found?.state.startsWith("p") === true
      ? [{ at, type: item.type, node, element: found.element }]
      : [];
  });
  const values = await run.values(asked.map(({ node, element }) => ({ node, element })));
  const described = items.map((): DescribedValue | null => null);
  for (const [i, { at, type }] of asked.entries()) {
    const value = values[i] ?? null;
    described[at] = value === null ? null : describeValue(value, type);
  }
  return described;
}

function itemSide(state: string | undefined, value: DescribedValue | null): ItemSide | null {
  if (state === undefined) {
    return null;
  }
  return {
    presence: state.startsWith("p") ? "present" : state === "a" ? "absent" : "missing",
    sha256: value?.sha256 ?? null,
    size_bytes: value?.size_bytes ?? null,
    content_type: value?.content_type ?? null,
  };
}

/** A cursor is the position of the last item of a page among all items that differ. */
function readCursor(text: string | null): number {
  if (text === null) {
    return -1;
  }
  const match = /^d(0|[1-9]\d{0,8})$/.exec(text);
  if (match === null) {
    throw new AppError(
      "invalid_request",
      `starting_after "${text.slice(0, 40)}" is not a cursor of this list. Send next_cursor of the previous page, as it was returned.`,
    );
  }
  return Number(match[1]);
}
