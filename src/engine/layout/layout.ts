/**
 * The positions of elements. Elements of a scope are numbered from 0 in lexicographic order of their indices on its
 * axes (an `element`). The layout converts the sizes that enumerators report to counts, indices and projections between
 * scopes. Integers only; at most MATERIALIZED_MAX elements per scope.
 */
import type { Plan } from "../plan/plan.ts";

/** The result of an enumerator at each element of its scope: the number of items, and their state. */
export interface AxisTable {
  readonly counts: readonly number[];
  /** Parents at which the enumerator was absent. */
  readonly absentParents: ReadonlySet<number>;
}

/** Larger scopes are not laid out, because their nodes exceed the iteration limit. */
export const MATERIALIZED_MAX = 100_000;

interface Laid {
  readonly count: number;
  /** For each element, its element in the prefix scope. */
  readonly parent: Int32Array;
  /** For each element of the prefix scope, the first element here; plus one entry for the end. */
  readonly first: Int32Array;
}

const EMPTY_SCOPE: Laid = {
  count: 1,
  parent: new Int32Array(1),
  first: new Int32Array([0, 1]),
};

export class Layout {
  readonly #plan: Pick<Plan, "axes" | "scopes">;
  readonly #axes: (AxisTable | undefined)[] = [];
  readonly #laid: (Laid | undefined)[] = [EMPTY_SCOPE];
  readonly #projections = new Map<string, Int32Array>();

  constructor(plan: Pick<Plan, "axes" | "scopes">) {
    this.#plan = plan;
  }

  resolveAxis(axis: number, table: AxisTable): void {
    this.#axes[axis] = table;
  }

  isAxisResolved(axis: number): boolean {
    return this.#axes[axis] !== undefined;
  }

  isResolved(scope: number): boolean {
    return this.#axesOf(scope).every((axis) => this.#axes[axis] !== undefined);
  }

  /** Number of elements of a resolved scope; Infinity when too many to lay out. */
  count(scope: number): number {
    const laid = this.#laid[scope];
    if (laid !== undefined) {
      return laid.count;
    }
    const axes = this.#axesOf(scope);
    const last = axes[axes.length - 1] ?? 0;
    const prefix = this.#plan.scopes[scope]?.prefix ?? 0;
    const prefixCount = this.count(prefix);
    const table = this.#axes[last];
    const parentScope = this.#plan.axes[last]?.parentScope ?? 0;
    if (table === undefined) {
      throw new Error(`axis ${last} is not resolved`);
    }
    if (parentScope === 0) {
      const size = table.counts[0] ?? 0;
      // An empty independent axis empties the scope, however large the other axes are.
      const count = size === 0 ? 0 : prefixCount * size;
      return count > MATERIALIZED_MAX ? Infinity : this.#lay(scope, prefix, last).count;
    }
    if (prefixCount === Infinity) {
      return Infinity;
    }
    let count = 0;
    for (const parent of this.project(prefix, parentScope)) {
      count += table.counts[parent] ?? 0;
    }
    return count > MATERIALIZED_MAX ? Infinity : this.#lay(scope, prefix, last).count;
  }

  /** For each element of `from`, the element of `to` (a subset of its axes) that it projects to. */
  project(from: number, to: number): Int32Array {
    const key = `${from}>${to}`;
    let projection = this.#projections.get(key);
    if (projection === undefined) {
      projection = this.#buildProjection(from, to);
      this.#projections.set(key, projection);
    }
    return projection;
  }

  /** The elements of `scope` below one element of a prefix of it: a contiguous range. */
  rangeOver(scope: number, prefix: number, prefixIndex: number): { from: number; to: number } {
    if (scope === prefix) {
      return { from: prefixIndex, to: prefixIndex + 1 };
    }
    const path: number[] = [];
    for (let at = scope; at !== prefix; at = this.#plan.scopes[at]?.prefix ?? 0) {
      path.unshift(at);
    }
    let from = prefixIndex;
    let to = prefixIndex + 1;
    for (const step of path) {
      const { first } = this.#get(step);
      from = first[from] ?? 0;
      to = first[to] ?? 0;
    }
    return { from, to };
  }

  /** The index of an element on each axis of its scope, in the order of axes. */
  indices(scope: number, elementIndex: number): number[] {
    const indices: number[] = [];
    let at = scope;
    let element = elementIndex;
    while (at !== 0) {
      const laid = this.#get(at);
      const parent = laid.parent[element] ?? 0;
      indices.unshift(element - (laid.first[parent] ?? 0));
      element = parent;
      at = this.#plan.scopes[at]?.prefix ?? 0;
    }
    return indices;
  }

  /** The element with these indices, in the order of the scope's axes; undefined if there is none. */
  elementAt(scope: number, indices: readonly number[]): number | undefined {
    if (indices.length !== this.#axesOf(scope).length || this.count(scope) === Infinity) {
      return undefined;
    }
    const path: number[] = [];
    for (let at = scope; at !== 0; at = this.#plan.scopes[at]?.prefix ?? 0) {
      path.unshift(at);
    }
    let element = 0;
    for (const [depth, at] of path.entries()) {
      const index = indices[depth] ?? -1;
      const { first } = this.#get(at);
      const from = first[element] ?? 0;
      if (index < 0 || index >= (first[element + 1] ?? 0) - from) {
        return undefined;
      }
      element = from + index;
    }
    return element;
  }

  /**
   * Whether one of `axes` is absent as a whole below an element of `over` (a scope whose axes come before them): its
   * enumerator has elements there and all of them are absent [E13].
   */
  hasAbsentAxis(axes: readonly number[], over: number, overIndex: number): boolean {
    return axes.some((axis) => this.#isAbsentBelow(axis, over, overIndex));
  }

  #isAbsentBelow(axis: number, over: number, overIndex: number): boolean {
    const table = this.#axes[axis];
    const parentScope = this.#plan.axes[axis]?.parentScope ?? 0;
    if (table === undefined || table.absentParents.size === 0) {
      return false;
    }
    if (parentScope === over) {
      return table.absentParents.has(overIndex);
    }
    const overAxes = this.#axesOf(over);
    const shared = this.#axesOf(parentScope).filter((parentAxis) => overAxes.includes(parentAxis));
    const wanted = this.#indicesOn(over, overIndex, shared);
    let any = false;
    for (let parent = 0; parent < table.counts.length; parent++) {
      const at = this.#indicesOn(parentScope, parent, shared);
      if (at.every((index, i) => index === wanted[i])) {
        if (!table.absentParents.has(parent)) {
          return false;
        }
        any = true;
      }
    }
    return any;
  }

  #indicesOn(scope: number, elementIndex: number, axes: readonly number[]): number[] {
    if (axes.length === 0) {
      return [];
    }
    const all = this.#axesOf(scope);
    const indices = this.indices(scope, elementIndex);
    return axes.map((axis) => indices[all.indexOf(axis)] ?? -1);
  }

  #buildProjection(from: number, to: number): Int32Array {
    const { count } = this.#get(from);
    if (from === to) {
      return Int32Array.from({ length: count }, (_, elementIndex) => elementIndex);
    }
    const projection = new Int32Array(count);
    if (to === 0) {
      return projection;
    }
    const prefix = this.#plan.scopes[from]?.prefix ?? 0;
    const { parent, first } = this.#get(from);
    const toAxes = this.#axesOf(to);
    const lastAxis = this.#axesOf(from).at(-1) ?? -1;
    if (!toAxes.includes(lastAxis)) {
      const above = this.project(prefix, to);
      for (let elementIndex = 0; elementIndex < count; elementIndex++) {
        projection[elementIndex] = above[parent[elementIndex] ?? 0] ?? 0;
      }
      return projection;
    }
    // The last axis is common: its index is unchanged, the rest is the projection of the prefixes.
    const toPrefix = this.#plan.scopes[to]?.prefix ?? 0;
    const above = this.project(prefix, toPrefix);
    const { first: toFirst } = this.#get(to);
    for (let elementIndex = 0; elementIndex < count; elementIndex++) {
      const element = parent[elementIndex] ?? 0;
      projection[elementIndex] =
        (toFirst[above[element] ?? 0] ?? 0) + elementIndex - (first[element] ?? 0);
    }
    return projection;
  }

  #get(scope: number): Laid {
    if (this.count(scope) === Infinity) {
      throw new Error(`scope ${scope} is too large to lay out`);
    }
    const laid = this.#laid[scope];
    if (laid === undefined) {
      throw new Error(`scope ${scope} is not laid out`);
    }
    return laid;
  }

  #lay(scope: number, prefix: number, axis: number): Laid {
    const table = this.#axes[axis];
    const parentScope = this.#plan.axes[axis]?.parentScope ?? 0;
    const prefixCount = this.count(prefix);
    if (prefixCount === Infinity) {
      // Reached only if the axis is empty: no elements.
      const none = { count: 0, parent: new Int32Array(0), first: new Int32Array(1) };
      this.#laid[scope] = none;
      return none;
    }
    const toParent = this.project(prefix, parentScope);
    const first = new Int32Array(prefixCount + 1);
    for (let element = 0; element < prefixCount; element++) {
      first[element + 1] = (first[element] ?? 0) + (table?.counts[toParent[element] ?? 0] ?? 0);
    }
    const count = first[prefixCount] ?? 0;
    const parent = new Int32Array(count);
    for (let element = 0; element < prefixCount; element++) {
      parent.fill(element, first[element], first[element + 1]);
    }
    const laid = { count, parent, first };
    this.#laid[scope] = laid;
    return laid;
  }

  #axesOf(scope: number): readonly number[] {
    return this.#plan.scopes[scope]?.axes ?? [];
  }
}
