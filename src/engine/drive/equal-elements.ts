/**
 * [E44] Equal elements of one run: the first is worked out, and the others wait for its result. Knows in memory which
 * element has which key; after a restart it reads that from the rows.
 */
import type { CellReader } from "./cell-reader.ts";
import { elementId, placeOf } from "./element-id.ts";
import type { CellRow, Commit, ReportedTask, RunRows } from "./run-rows.ts";
import type { Layout } from "../layout/layout.ts";
import { isAggregator } from "../plan/node-kind.ts";
import type { Plan, PlanNode } from "../plan/plan.ts";
import { unreadPorts } from "../plan/unread-ports.ts";
import type { ElementPlace } from "../step/cells.ts";
import { onceReader } from "../step/fold-aggregate.ts";
import { gatherInputs } from "../step/gather-inputs.ts";
import type { RunState } from "../step/run-state.ts";
import { elementScope } from "../reuse/forced-elements.ts";
import { definitionText } from "../reuse/match-nodes.ts";
import { ReceivedHash } from "../reuse/received-hash.ts";

/** [E46] Keys that a run knows at a time, some 10 MB. */
const KEYS_MAX = 100_000;
/** Elements that are read at once. */
const ELEMENTS_AT_ONCE = 128;
/** Characters of values that one piece of work may copy. */
const COPIED_CHARS_MAX = 4 * 1024 * 1024;

/** How a run takes results from its own elements. */
export interface EqualsOptions {
  /** Id of the run. */
  readonly execution: string;
  /** [E41] Whether elements of a node may be taken from the result cache. */
  readonly uses: (node: PlanNode) => boolean;
  readonly keysMax?: number;
}

/** An element whose wait is over. */
export interface DueElement extends ElementPlace {
  /** What it takes; null if it is worked out. */
  readonly result: Pick<CellRow, "body" | "digests" | "reused"> | null;
}

/** Nodes with the same definition. */
interface Group {
  readonly nodes: PlanNode[];
  /** Whether its keys are complete. */
  isRead: boolean;
}

export class EqualElements {
  readonly #layout: Layout;
  readonly #rows: RunRows;
  readonly #plan: Plan;
  readonly #execution: string;
  readonly #keysMax: number;
  readonly #cells: CellReader;
  readonly #groups = new Map<number, Group>();
  /** By key: the element that is worked out, or was. */
  readonly #known = new Map<string, number>();
  /** The same of the current piece of work, which is not committed yet. */
  #fresh = new Map<string, number>();
  /** By the element that is worked out: those that wait for it. */
  readonly #waiting = new Map<number, Set<number>>();
  /** The other way around. */
  readonly #holders = new Map<number, number>();
  /** Elements that others wait for, and which may have settled. */
  readonly #due = new Set<number>();
  /** Elements whose reports say that their result depends on what they received alone, of nodes where that may vary. */
  readonly #pure = new Set<number>();
  /** Elements that have no result for others. */
  readonly #useless = new Set<number>();

  /** `cells`: a reader of its own. `isNew`: nothing of the run is in the rows yet. */
  constructor(
    plan: Plan,
    layout: Layout,
    rows: RunRows,
    { execution, uses, keysMax = KEYS_MAX }: EqualsOptions,
    cells: CellReader,
    isNew: boolean,
  ) {
    this.#plan = plan;
    this.#layout = layout;
    this.#rows = rows;
    this.#execution = execution;
    this.#keysMax = keysMax;
    this.#cells = cells;
    const groups = new Map<string, Group>();
    for (const node of plan.nodes) {
      if (node.placement === "task" && node.axis < 0 && uses(node)) {
        const definition = definitionText(node, node.type.version);
        const group = groups.get(definition) ?? { nodes: [], isRead: isNew };
        group.nodes.push(node);
        groups.set(definition, group);
        this.#groups.set(node.index, group);
      }
    }
    if (!isNew) {
      // Also of nodes that this code would not have wait.
      for (const { node, element, equalTo } of rows.equalTasks()) {
        this.#wait(elementId(node, element), equalTo);
      }
    }
  }

  /**
   * Output ports of a node that nothing reads, neither of it nor of a node with the same definition, which may take its
   * results.
   */
  unreadPorts(node: PlanNode): readonly string[] {
    const nodes = this.#groups.get(node.index)?.nodes ?? [node];
    return nodes
      .map((one) => unreadPorts(this.#plan, one))
      .reduce((all, ports) => all.filter((port) => ports.includes(port)));
  }

  /** A piece of work begins. What the last one found and did not commit is forgotten. */
  begin(): void {
    this.#fresh = new Map();
  }

  /** [E46] Reads the keys of these nodes from the rows, if this object has not seen all of their elements. */
  prepare(nodes: readonly PlanNode[], state: RunState): void {
    for (const node of nodes) {
      const group = this.#groups.get(node.index);
      if (group?.isRead === false) {
        for (const one of group.nodes) {
          this.#read(one, state);
        }
        group.isRead = true;
      }
    }
  }

  /**
   * The element that this one, which is ready to be worked out, waits for; undefined if it is worked out. `received`: the digest
   * of what it received, undefined if some of that has none.
   */
  find(node: PlanNode, element: number, received: string | undefined): ElementPlace | undefined {
    return this.isAlone(node) ? undefined : this.#place(node, element, received);
  }

  /** The same for a result of an aggregator, whose elements it reads. */
  findResult(node: PlanNode, element: number, state: RunState): ElementPlace | undefined {
    return this.isAlone(node)
      ? undefined
      : this.#place(node, element, this.#resultDigest(node, element, state));
  }

  /** The outcome of an element has been reported. */
  reported({ node, element, outcome }: Pick<ReportedTask, "node" | "element" | "outcome">): void {
    if (mayFetch(this.#plan.nodes[node])) {
      (outcome.isPure === true ? this.#pure : this.#useless).add(elementId(node, element));
    }
  }

  /** A commit has made these tasks and settled these cells. */
  committed({ cells = [], tasks = [] }: Pick<Commit, "cells" | "tasks">): void {
    for (const [key, id] of this.#fresh) {
      // As the latest.
      this.#known.delete(key);
      this.#known.set(key, id);
    }
    this.#fresh = new Map();
    for (const key of this.#known.keys()) {
      if (this.#known.size <= this.#keysMax) {
        break;
      }
      this.#known.delete(key);
    }
    for (const { node, element, equalTo } of tasks) {
      if (equalTo !== undefined) {
        this.#wait(elementId(node, element), equalTo);
      }
    }
    for (const { node, element, status } of cells) {
      const id = elementId(node, element);
      if (status !== "ok" && this.#groups.has(node)) {
        this.#useless.add(id);
      }
      if (this.#waiting.has(id)) {
        this.#due.add(id);
      }
    }
  }

  /**
   * The next elements whose wait is over, at most `limit`: those that are worked out, or else some of one node that take
   * results. Empty if all wait.
   */
  next(limit: number): readonly DueElement[] {
    const taking: DueElement[] = [];
    let chars = 0;
    for (const holder of this.#due) {
      const ids = this.#waiting.get(holder);
      const { node, element } = placeOf(holder);
      const [cell] = ids === undefined ? [] : this.#rows.wholeCellsAt(node, [element]);
      if (ids === undefined || cell === undefined) {
        this.#due.delete(holder);
        continue;
      }
      const result = this.#resultOf(cell);
      if (result === null) {
        return [...ids].slice(0, limit).map((id) => ({ ...placeOf(id), result }));
      }
      for (const id of ids) {
        const place = placeOf(id);
        if (place.node === (taking[0] ?? place).node) {
          chars += result.body.length;
          if (taking.length >= limit || (taking.length > 0 && chars > COPIED_CHARS_MAX)) {
            return taking;
          }
          taking.push({ ...place, result });
        }
      }
    }
    return taking;
  }

  /** A commit has ended the waits of these elements. */
  left(places: readonly ElementPlace[]): void {
    for (const { node, element } of places) {
      const id = elementId(node, element);
      const holder = this.#holders.get(id) ?? -1;
      const ids = this.#waiting.get(holder);
      this.#holders.delete(id);
      ids?.delete(id);
      if (ids?.size === 0) {
        this.#waiting.delete(holder);
      }
    }
  }

  /** [E45] Null for a failure, and for a result that may depend on more than what was received. */
  #resultOf(cell: CellRow): DueElement["result"] {
    const holder = this.#plan.nodes[cell.node];
    if (holder === undefined) {
      throw new Error(`Elements wait for node ${cell.node}, which the plan lacks.`);
    }
    const isPure = !mayFetch(holder) || this.#pure.has(elementId(cell.node, cell.element));
    if (cell.status !== "ok" || !isPure) {
      return null;
    }
    const { body, digests, charge } = cell;
    const reused = cell.reused ?? {
      execution: this.#execution,
      milliCredits: charge?.milliCredits ?? holder.costMilliCredits,
      isCached: true as const,
    };
    return { body, digests, reused };
  }

  /** A node with one element, and no other node like it, waits for nobody. */
  isAlone(node: PlanNode): boolean {
    const group = this.#groups.get(node.index);
    return (
      group === undefined ||
      (group.nodes.length === 1 && this.#layout.count(elementScope(node)) === 1)
    );
  }

  #place(node: PlanNode, element: number, digest: string | undefined): ElementPlace | undefined {
    if (digest === undefined) {
      return undefined;
    }
    const own = elementId(node.index, element);
    const key = this.#keyOf(node, digest);
    const known = this.#fresh.get(key) ?? this.#known.get(key);
    if (known !== undefined && known !== own) {
      return this.#useless.has(known) ? undefined : placeOf(known);
    }
    this.#fresh.set(key, own);
    return undefined;
  }

  /** By the first node of its kind: a definition may be long. */
  #keyOf(node: PlanNode, digest: string): string {
    return `${this.#groups.get(node.index)?.nodes[0]?.index ?? -1} ${digest}`;
  }

  #wait(id: number, { node, element }: ElementPlace): void {
    const holder = elementId(node, element);
    const ids = this.#waiting.get(holder) ?? new Set();
    this.#waiting.set(holder, ids.add(id));
    this.#holders.set(id, holder);
    this.#due.add(holder);
  }

  /** Adds the elements of a node that are worked out, or were with success, and wait for no other. */
  #read(node: PlanNode, state: RunState): void {
    const now = state.nodes[node.index];
    if (
      now === undefined ||
      now.whole !== null ||
      (now.phase !== "open" && now.phase !== "settled")
    ) {
      return;
    }
    for (let at = 0; at < now.cursor; at += ELEMENTS_AT_ONCE) {
      const length = Math.min(ELEMENTS_AT_ONCE, now.cursor - at);
      const elements = Array.from({ length }, (_, i) => at + i);
      const cells = new Map(
        this.#rows.wholeCellsAt(node.index, elements).map((cell) => [cell.element, cell]),
      );
      const own = elements.filter((element) => {
        const cell = cells.get(element);
        const isTaken = cell !== undefined && (cell.status !== "ok" || cell.reused !== undefined);
        return !isTaken && !this.#holders.has(elementId(node.index, element));
      });
      this.#addPage(node, own, state);
    }
    this.#cells.release();
  }

  #addPage(node: PlanNode, elements: readonly number[], state: RunState): void {
    if (!isAggregator(node)) {
      this.#cells.load([node], state, elements);
    }
    const read = this.#cells.read(state);
    for (const element of elements) {
      const digest = isAggregator(node)
        ? this.#resultDigest(node, element, state)
        : gatherInputs(node, element, this.#layout, read).kind === "ready"
          ? new ReceivedHash(node, this.#layout).add(element, read).digest()
          : undefined;
      const key = digest === undefined ? undefined : this.#keyOf(node, digest);
      if (key !== undefined && !this.#known.has(key)) {
        this.#known.set(key, elementId(node.index, element));
      }
    }
  }

  #resultDigest(node: PlanNode, element: number, state: RunState): string | undefined {
    const hash = new ReceivedHash(node, this.#layout);
    this.#cells.load([onceReader(node)], state, [element]);
    hash.add(element, this.#cells.read(state), true);
    const { from, to } = this.#layout.rangeOver(node.scope, node.outputScope, element);
    for (let at = from; at < to; at += ELEMENTS_AT_ONCE) {
      const length = Math.min(ELEMENTS_AT_ONCE, to - at);
      const members = Array.from({ length }, (_, i) => at + i);
      this.#cells.load([node], state, members);
      const read = this.#cells.read(state);
      for (const member of members) {
        hash.add(member, read);
      }
    }
    this.#cells.release();
    return hash.digest();
  }
}

/** A render may read pictures at addresses, which return what they like. */
function mayFetch(node: PlanNode | undefined): boolean {
  return node?.type.needs?.includes("templates") === true;
}
