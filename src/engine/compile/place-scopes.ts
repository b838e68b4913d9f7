import { opensAxis } from "../../nodes/define-node.ts";
import type { Axis, Scope } from "../plan/plan.ts";
import type { DraftNode, IssueList } from "./draft.ts";

export interface Scopes {
  readonly axes: readonly Axis[];
  readonly scopes: readonly Scope[];
  readonly of: ReadonlyMap<
    DraftNode,
    { readonly scope: number; readonly outputScope: number; readonly axis: number }
  >;
}

/** Axes by the enumerator that opens them; undefined while an axis depends on an order that is not known yet. */
type AxisSet = ReadonlySet<DraftNode> | undefined;

const NONE: ReadonlySet<DraftNode> = new Set();

/**
 * Assigns every node its scope and every axis its position in the total order [E4, E5]: repeatedly the axis lowest in
 * `nodes[]` among those whose enumerator varies only over placed axes. The axes that an `innermost` aggregator closes
 * depend on that order, so the sets are recomputed each time.
 */
export function placeScopes(ordered: readonly DraftNode[], issues: IssueList): Scopes {
  const placed: DraftNode[] = [];
  const waiting = new Set(ordered.filter((draft) => opensAxis(draft.type)));
  while (waiting.size > 0) {
    const { joined } = spread(ordered, placed);
    const next = [...waiting]
      .filter((draft) => isPlaced(joined.get(draft), placed))
      .toSorted((a, b) => a.position - b.position)[0];
    if (next === undefined) {
      throw new Error("an enumerator depends on an axis that only it could place");
    }
    waiting.delete(next);
    placed.push(next);
  }
  return toScopes(ordered, placed, issues);
}

function isPlaced(axes: AxisSet, placed: readonly DraftNode[]): boolean {
  return axes !== undefined && [...axes].every((axis) => placed.includes(axis));
}

/** Returns for every node the axes that it varies over, and those that its outputs vary over. */
function spread(ordered: readonly DraftNode[], placed: readonly DraftNode[]) {
  const joined = new Map<DraftNode, AxisSet>();
  const given = new Map<DraftNode, AxisSet>();
  for (const draft of ordered) {
    let axes: AxisSet = NONE;
    for (const source of [...draft.sources.values()].flat()) {
      const more = given.get(source.node);
      axes = axes === undefined || more === undefined ? undefined : union(axes, more);
    }
    joined.set(draft, axes);
    if (draft.type.role === "aggregator") {
      given.set(draft, collapse(draft, axes, placed));
    } else {
      given.set(
        draft,
        opensAxis(draft.type) && axes !== undefined ? union(axes, new Set([draft])) : axes,
      );
    }
  }
  return { joined, given };
}

function union(a: ReadonlySet<DraftNode>, b: ReadonlySet<DraftNode>): ReadonlySet<DraftNode> {
  return b.size === 0 ? a : a.size === 0 ? b : new Set([...a, ...b]);
}

/** `all` closes every axis in any order; `innermost` closes the last, which is any axis not placed yet. */
function collapse(draft: DraftNode, axes: AxisSet, placed: readonly DraftNode[]): AxisSet {
  const isInnermost =
    draft.type.role === "aggregator" &&
    draft.params !== undefined &&
    draft.type.collapse(draft.params) === "innermost";
  if (!isInnermost) {
    return NONE;
  }
  if (axes === undefined) {
    return undefined;
  }
  const unplaced = [...axes].filter((axis) => !placed.includes(axis));
  if (unplaced.length > 1) {
    return undefined;
  }
  const inOrder = [...placed.filter((axis) => axes.has(axis)), ...unplaced];
  return new Set(inOrder.slice(0, -1));
}

function toScopes(
  ordered: readonly DraftNode[],
  placed: readonly DraftNode[],
  issues: IssueList,
): Scopes {
  const table = new ScopeTable();
  const indexOf = new Map(ordered.map((draft, index) => [draft, index]));
  const axisOf = new Map(placed.map((draft, axis) => [draft, axis]));
  const { joined, given } = spread(ordered, placed);
  const numbers = (axes: AxisSet) => [...(axes ?? NONE)].map((axis) => axisOf.get(axis) ?? -1);
  const of = new Map(
    ordered.map((draft) => {
      const scope = table.intern(numbers(joined.get(draft)));
      const outputScope = table.intern(numbers(given.get(draft)));
      return [draft, { scope, outputScope, axis: axisOf.get(draft) ?? -1 }];
    }),
  );
  for (const draft of ordered) {
    checkOnce(draft, joined.get(draft), given, issues);
    checkColumns(draft, joined, given, issues);
    checkIterated(draft, given, issues);
    checkMerge(
      draft,
      [...draft.sources.values()].flat().map((source) => of.get(source.node)?.outputScope ?? 0),
      issues,
    );
  }
  const axes = placed.map((draft, index) => ({
    index,
    node: indexOf.get(draft) ?? -1,
    parentScope: of.get(draft)?.scope ?? 0,
  }));
  return { axes, scopes: table.scopes, of };
}

/** [E29] An input that an aggregator reads once for each result must have a single value there. */
function checkOnce(
  draft: DraftNode,
  joined: AxisSet,
  given: ReadonlyMap<DraftNode, AxisSet>,
  issues: IssueList,
): void {
  const kept = given.get(draft) ?? NONE;
  const { type } = draft;
  const closed = type.role === "aggregator" ? [...(joined ?? NONE)] : [];
  const variesCode =
    (type.role === "aggregator" ? type.variesCode : undefined) ?? "AGGREGATE_INPUT_VARIES";
  for (const axis of closed.filter((each) => !kept.has(each))) {
    for (const [port, sources] of draft.sources) {
      const isOnce = draft.inputs.get(port)?.once === true;
      const varying = sources.filter((source) => isOnce && given.get(source.node)?.has(axis));
      for (const { connection } of varying) {
        issues.add({
          code: variesCode,
          path: `connections[${connection}]`,
          node_id: draft.definition.id,
          message: `Input "${port}" of "${draft.definition.id}" is read once for each result, but its source varies over the items of "${axis.definition.id}", which the node aggregates.`,
        });
      }
    }
  }
}

/** [E35] Columns that describe the same elements vary over the same axes, all of them below one. */
function checkColumns(
  draft: DraftNode,
  joined: ReadonlyMap<DraftNode, AxisSet>,
  given: ReadonlyMap<DraftNode, AxisSet>,
  issues: IssueList,
): void {
  const { type, definition } = draft;
  const code = type.role === "aggregator" ? type.columnsCode : undefined;
  if (code === undefined) {
    return;
  }
  const columns = [...draft.inputs.values()]
    .filter(({ once }) => once !== true)
    .flatMap(({ name }) =>
      (draft.sources.get(name) ?? []).map(({ node, connection }) => ({
        name,
        connection,
        axes: given.get(node) ?? NONE,
      })),
    );
  const [first, ...others] = columns;
  if (first === undefined) {
    return;
  }
  const namesOf = (axes: ReadonlySet<DraftNode>) =>
    axes.size === 0
      ? "nothing"
      : [...axes].map((axis) => `the items of "${axis.definition.id}"`).join(" and ");
  for (const { name, connection, axes } of others) {
    if (axes.size !== first.axes.size || union(axes, first.axes).size !== axes.size) {
      issues.add({
        code,
        path: `connections[${connection}]`,
        node_id: definition.id,
        message: `Input "${name}" of "${definition.id}" varies over ${namesOf(axes)}, and "${first.name}" over ${namesOf(first.axes)}. All of them must vary over the same.`,
      });
    }
  }
  const roots = [...first.axes].filter((axis) => (joined.get(axis) ?? NONE).size === 0);
  if (roots.length > 1) {
    issues.add({
      code,
      path: `connections[${first.connection}]`,
      node_id: definition.id,
      message: `Input "${first.name}" of "${definition.id}" varies over ${namesOf(new Set(roots))}, which are independent of each other.`,
    });
  }
}

/** A node that runs once only takes no input that varies. */
function checkIterated(
  draft: DraftNode,
  given: ReadonlyMap<DraftNode, AxisSet>,
  issues: IssueList,
): void {
  const { iterated } = draft.type;
  if (iterated === undefined) {
    return;
  }
  for (const source of [...draft.sources.values()].flat()) {
    if ((given.get(source.node) ?? NONE).size > 0) {
      issues.add({
        code: iterated.code,
        path: `connections[${source.connection}]`,
        node_id: draft.definition.id,
        message: iterated.message,
      });
    }
  }
}

function checkMerge(draft: DraftNode, feeding: readonly number[], issues: IssueList): void {
  if (draft.type.role === "merge" && new Set(feeding).size > 1) {
    issues.add({
      code: "MERGE_SCOPE_MISMATCH",
      path: `nodes[${draft.position}]`,
      node_id: draft.definition.id,
      message: `The inputs of "${draft.definition.id}" iterate differently, so they have no common element to merge.`,
    });
  }
}

/** Every distinct set of axes once, including prefixes. */
class ScopeTable {
  readonly scopes: Scope[] = [{ index: 0, axes: [], prefix: -1 }];
  readonly #byKey = new Map<string, number>([["", 0]]);

  intern(axes: readonly number[]): number {
    const sorted = [...new Set(axes)].toSorted((a, b) => a - b);
    const key = sorted.join();
    const known = this.#byKey.get(key);
    if (known !== undefined) {
      return known;
    }
    const prefix = this.intern(sorted.slice(0, -1));
    const index = this.scopes.length;
    this.scopes.push({ index, axes: sorted, prefix });
    this.#byKey.set(key, index);
    return index;
  }
}
