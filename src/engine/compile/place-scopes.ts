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

export function opensAxis(draft: DraftNode): boolean {
  return (
    draft.type.role === "enumerator" ||
    (draft.type.role === "input" && draft.type.enumerate !== undefined)
  );
}

/**
 * Gives every node its scope and every axis its place in the total order [E4, E5]: repeatedly the
 * axis lowest in `nodes[]` among those whose enumerator varies only over axes already placed.
 * What an `innermost` aggregator closes depends on that order, so scopes and axes are found together.
 */
export function placeScopes(ordered: readonly DraftNode[], issues: IssueList): Scopes {
  const table = new ScopeTable();
  const axes: Axis[] = [];
  const of = new Map<DraftNode, { scope: number; outputScope: number; axis: number }>();
  const indexOf = new Map(ordered.map((draft, index) => [draft, index]));

  for (;;) {
    const candidates: { draft: DraftNode; scope: number }[] = [];
    for (const draft of ordered) {
      if (of.has(draft)) {
        continue;
      }
      const feeding = [...draft.sources.values()].flat().map((source) => of.get(source.node));
      if (feeding.includes(undefined)) {
        continue;
      }
      const joined = feeding.map((fed) => table.scopes[fed?.outputScope ?? 0]?.axes ?? []);
      const scope = table.intern(joined.flat());
      if (opensAxis(draft)) {
        candidates.push({ draft, scope });
      } else {
        checkMerge(draft, joined, issues);
        of.set(draft, { scope, outputScope: table.close(scope, draft), axis: -1 });
      }
    }
    const next = candidates.toSorted((a, b) => a.draft.position - b.draft.position)[0];
    if (next === undefined) {
      return { axes, scopes: table.scopes, of };
    }
    const axis = axes.length;
    axes.push({ index: axis, node: indexOf.get(next.draft) ?? -1, parentScope: next.scope });
    const parentAxes = table.scopes[next.scope]?.axes ?? [];
    const outputScope = table.intern([...parentAxes, axis]);
    of.set(next.draft, { scope: next.scope, outputScope, axis });
  }
}

function checkMerge(
  draft: DraftNode,
  joined: readonly (readonly number[])[],
  issues: IssueList,
): void {
  const distinct = new Set(joined.map((axes) => axes.join()));
  if (draft.type.role === "merge" && distinct.size > 1) {
    issues.add({
      code: "MERGE_SCOPE_MISMATCH",
      path: `nodes[${draft.position}]`,
      node_id: draft.definition.id,
      message: `The inputs of "${draft.definition.id}" do not iterate alike, so there is no one value to take for each element.`,
      suggestion: "Aggregate the iterated inputs first, or feed the merge from one iteration only.",
    });
  }
}

/** Every distinct set of axes once, prefixes included. */
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

  close(scope: number, draft: DraftNode): number {
    if (draft.type.role !== "aggregator") {
      return scope;
    }
    const isInnermost =
      draft.params !== undefined && draft.type.collapse(draft.params) === "innermost";
    return isInnermost ? Math.max(0, this.scopes[scope]?.prefix ?? 0) : 0;
  }
}
