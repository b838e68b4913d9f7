/**
 * The reason why an element has no value: the upstream failure that it depends on. Of several, the one of the first
 * node in topological order, then of the lowest element, as for the run's own error [E16].
 */
import type { Layout } from "../layout/layout.ts";
import { isEnumerator } from "../plan/node-kind.ts";
import type { Outline, OutlineNode } from "../plan/outline.ts";
import type { CellFailure } from "../step/cells.ts";
import type { Cause } from "./view-input.ts";
import { project } from "../step/gather-inputs.ts";
import type { CellStatus, RunState } from "../step/run-state.ts";

/** End states of a node's elements, read from rows. `failure` is JSON text for a failed element. */
export interface CauseRows {
  settledBetween(
    node: number,
    from: number,
    to: number,
  ): readonly {
    readonly element: number;
    readonly status: CellStatus;
    readonly failure: string | null;
  }[];
  axisRows(axis: number): readonly {
    readonly parent: number;
    readonly status: CellStatus;
    readonly failure: CellFailure | null;
  }[];
}

interface Ended {
  readonly status: CellStatus;
  readonly failure: CellFailure | null;
}

interface Found {
  readonly node: OutlineNode;
  readonly element: number;
  readonly failure: CellFailure;
}

/** Elements read at once: neighbors on a page mostly depend on neighbors. A poll asks for one cause among a hundred outputs. */
const BLOCK_ELEMENTS = 64;
/** Cached blocks; further ones are read again. */
const BLOCKS_MAX = 256;

/** Finds causes for one response; rows are cached until it ends. */
export class FirstCause {
  readonly #outline: Outline;
  readonly #layout: Layout;
  readonly #state: RunState;
  readonly #rows: CauseRows;
  readonly #blocks = new Map<string, ReadonlyMap<number, Ended>>();
  readonly #axes = new Map<number, ReadonlyMap<number, Ended>>();

  constructor(outline: Outline, layout: Layout, state: RunState, rows: CauseRows) {
    this.#outline = outline;
    this.#layout = layout;
    this.#state = state;
    this.#rows = rows;
  }

  /** The cause of one failed or blocked element of a node; null for any other. */
  of(index: number, element: number): Cause | null {
    const node = this.#outline.nodes[index];
    const found = node === undefined ? null : this.#at(node, element, new Map());
    return found === null
      ? null
      : { code: found.failure.code, message: found.failure.message, node_id: found.node.id };
  }

  /** `seen`: causes found so far, since many paths may lead to one node. */
  #at(node: OutlineNode, element: number, seen: Map<string, Found | null>): Found | null {
    const whole = this.#state.nodes[node.index]?.whole;
    if (whole?.status === "failed") {
      return { node, element: 0, failure: whole };
    }
    const key = whole == null ? `${node.index}.${element}` : `${node.index}`;
    const known = seen.get(key);
    if (known !== undefined) {
      return known;
    }
    // A graph has no cycle, so this entry is set before it is read.
    seen.set(key, null);
    const found =
      whole == null ? this.#element(node, element, seen) : this.#behindWhole(node, seen);
    seen.set(key, found);
    return found;
  }

  #element(node: OutlineNode, element: number, seen: Map<string, Found | null>): Found | null {
    if (isEnumerator(node)) {
      // Its one blocked element represents the parent at which it could not enumerate.
      const parent = project(this.#layout, node.outputScope, node.scope, element);
      const opened = this.#openedAt(node, parent);
      if (opened?.failure != null) {
        return { node, element: parent, failure: opened.failure };
      }
      return opened?.status === "blocked" ? this.#behind(node, parent, seen) : null;
    }
    const ended = this.#endedAt(node, element);
    if (ended === undefined || ended.status === "ok" || ended.status === "absent") {
      return null;
    }
    if (ended.failure !== null) {
      return { node, element, failure: ended.failure };
    }
    return node.closesAxes
      ? this.#behindList(node, element, seen)
      : this.#behind(node, element, seen);
  }

  /** The first cause among the inputs of one element. */
  #behind(node: OutlineNode, element: number, seen: Map<string, Found | null>): Found | null {
    let first: Found | null = null;
    for (const index of node.upstream) {
      const feeder = this.#outline.nodes[index];
      if (feeder !== undefined) {
        const at = project(this.#layout, node.scope, feeder.outputScope, element);
        first = earlier(first, this.#at(feeder, at, seen));
      }
    }
    return first;
  }

  /** A blocked aggregator has only failed elements: the first of them has the cause. */
  #behindList(node: OutlineNode, element: number, seen: Map<string, Found | null>): Found | null {
    const { from, to } = this.#layout.rangeOver(node.scope, node.outputScope, element);
    for (let at = from; at < to; at++) {
      const found = this.#behind(node, at, seen);
      if (found !== null) {
        return found;
      }
    }
    return null;
  }

  /** A node that is blocked as a whole depends on another one that ended as a whole [E15]. */
  #behindWhole(node: OutlineNode, seen: Map<string, Found | null>): Found | null {
    let first: Found | null = null;
    for (const index of node.upstream) {
      const feeder = this.#outline.nodes[index];
      if (feeder !== undefined && (this.#state.nodes[index]?.whole ?? null) !== null) {
        first = earlier(first, this.#at(feeder, 0, seen));
      }
    }
    return first;
  }

  #endedAt(node: OutlineNode, element: number): Ended | undefined {
    const from = Math.floor(element / BLOCK_ELEMENTS) * BLOCK_ELEMENTS;
    const key = `${node.index}.${from}`;
    let block = this.#blocks.get(key);
    if (block === undefined) {
      block = new Map(
        this.#rows
          .settledBetween(node.index, from, from + BLOCK_ELEMENTS)
          .map(({ element: at, status, failure }) => [
            at,
            { status, failure: failure === null ? null : (JSON.parse(failure) as CellFailure) },
          ]),
      );
      const [oldest] = this.#blocks.keys();
      if (this.#blocks.size >= BLOCKS_MAX && oldest !== undefined) {
        this.#blocks.delete(oldest);
      }
      this.#blocks.set(key, block);
    }
    return block.get(element);
  }

  #openedAt(node: OutlineNode, parent: number): Ended | undefined {
    let rows = this.#axes.get(node.axis);
    if (rows === undefined) {
      rows = new Map(this.#rows.axisRows(node.axis).map((row) => [row.parent, row]));
      this.#axes.set(node.axis, rows);
    }
    return rows.get(parent);
  }
}

function earlier(a: Found | null, b: Found | null): Found | null {
  if (a === null || b === null) {
    return a ?? b;
  }
  const isLater =
    b.node.index === a.node.index ? b.element >= a.element : b.node.index > a.node.index;
  return isLater ? a : b;
}
