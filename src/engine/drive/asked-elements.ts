/**
 * [E47] Elements that a run looks up in the result cache before a worker may have them: many at a time, by the digest of what
 * they received. The rows keep which elements wait for an answer; what was answered is in memory until it is settled.
 */
import type { CacheAnswer, FoundEntry, WantedEntry } from "../../contracts/runs/result-cache.ts";
import type { KeptMemory } from "../../lib/memory/memory-budget.ts";
import type { Layout } from "../layout/layout.ts";
import { isAggregator } from "../plan/node-kind.ts";
import type { Plan, PlanNode } from "../plan/plan.ts";
import { definitionDigest, receivedKey } from "../reuse/cache-key.ts";
import type { CacheUse } from "../reuse/cache-mode.ts";
import { ReceivedHash } from "../reuse/received-hash.ts";
import type { ElementPlace } from "../step/cells.ts";
import type { RunState } from "../step/run-state.ts";
import type { CellReader } from "./cell-reader.ts";
import { elementId, placeOf } from "./element-id.ts";
import type { Commit, ReportedTask, RunRows } from "./run-rows.ts";
import { ELEMENTS_AT_ONCE } from "./slice-driver.ts";
import { rowBytes, type RunMemory } from "./work-memory.ts";

/** Elements of one look-up. Each takes a call of every object of the cache, and a commit there. */
const ASKED_MAX = 2_560;
/** While there is other work, fewer elements wait for more. After a look-up that found all, ASKED_MAX are waited for. */
const ASKED_MIN = 250;

/** What was found is not counted below this: most pages. */
const UNCOUNTED_CHARS = 32 * 1024;

/** How a run looks its elements up in the result cache. */
export interface LookUps {
  readonly workspaceId: string;
  /** [E41] How a node uses the cache; undefined if it does not. */
  readonly use: (node: PlanNode) => CacheUse | undefined;
  /** Returns an answer for each key, in order. What cannot be reached is not there. Never rejects. */
  lookUp(wanted: readonly WantedEntry[]): Promise<readonly CacheAnswer[]>;
}

/** [E47] Whether the elements of a node that uses the cache are looked up by their run; others by their executors. */
export function isLookedUpByRun(node: PlanNode): boolean {
  return node.placement === "task" && node.axis < 0 && !isAggregator(node);
}

/** An element that was found. */
export type FoundElement = Pick<ReportedTask, "node" | "element" | "outcome">;

interface NodeWanted {
  readonly definition: string;
  readonly maxAge: number | null;
  readonly unread: readonly string[];
}

interface Found {
  readonly entry: FoundEntry;
  readonly received: string;
}

export class AskedElements {
  readonly #plan: Plan;
  readonly #layout: Layout;
  readonly #lookUps: LookUps;
  readonly #cells: CellReader;
  readonly #memory: KeptMemory;
  readonly #unreadPorts: (node: PlanNode) => readonly string[];
  /** What all elements of a node have in common; undefined for nodes that are not looked up. */
  readonly #wanted = new Map<number, NodeWanted | undefined>();
  /** Those that have no answer, with their digests, as far as these are known. */
  readonly #asked = new Map<number, string | undefined>();
  readonly #found = new Map<number, Found>();
  readonly #missed = new Set<number>();
  /** Workers may have what is not found as soon as possible. If all is found, none has to wait. */
  #waitsFor = ASKED_MIN;
  /** The next look-up has as many elements as it has answers for, by the last one. */
  #atOnce = ASKED_MAX;

  /**
   * `cells`: a reader of its own. `isNew`: nothing of the run is in the rows yet. `unreadPorts`: those that an entry may lack.
   */
  constructor(
    plan: Plan,
    layout: Layout,
    rows: RunRows,
    lookUps: LookUps,
    cells: CellReader,
    memory: Pick<RunMemory, "keep">,
    isNew: boolean,
    unreadPorts: (node: PlanNode) => readonly string[],
  ) {
    this.#plan = plan;
    this.#layout = layout;
    this.#lookUps = lookUps;
    this.#cells = cells;
    this.#unreadPorts = unreadPorts;
    // A weak reference, as in `CellReader`.
    const self = new WeakRef(this);
    this.#memory = memory.keep(0, () => {
      self.deref()?.askAgain();
    });
    for (const { node, element } of isNew ? [] : rows.askedTasks()) {
      this.#asked.set(elementId(node, element), undefined);
    }
  }

  /** Whether elements are to be looked up, or settled, now. `isBusy`: there is other work. */
  isDue(isBusy: boolean): boolean {
    return this.hasAnswers || this.#asked.size >= (isBusy ? this.#waitsFor : 1);
  }

  get hasAnswers(): boolean {
    return this.#found.size + this.#missed.size > 0;
  }

  /** Whether elements of this node are looked up. */
  asks(node: PlanNode): boolean {
    return this.#wantedOf(node) !== undefined;
  }

  /** A commit has made these tasks. */
  committed({ tasks = [] }: Pick<Commit, "tasks">): void {
    for (const { node, element, received } of tasks) {
      if (received !== undefined) {
        this.#asked.set(elementId(node, element), received);
      }
    }
  }

  /** Looks some of those up that have no answer. */
  async ask(state: RunState): Promise<void> {
    const ids = [...this.#asked.keys()].slice(0, this.#atOnce);
    this.#readDigests(ids, state);
    const wanted = ids.map((id) => this.#wantedBy(id));
    const known = wanted.filter((want) => want !== undefined);
    const answers = known.length === 0 ? [] : await this.#lookUps.lookUp(known);
    // The first one of each page has an answer; a cache that gives none at all is as good as none.
    const hasAnswer = answers.some((answer) => answer !== "later");
    let at = 0;
    for (const [place, id] of ids.entries()) {
      const answer = wanted[place] === undefined ? null : (answers[at++] ?? null);
      if (answer === "later" && hasAnswer) {
        continue;
      }
      const received = this.#asked.get(id) ?? "";
      this.#asked.delete(id);
      if (answer === null || answer === "later") {
        this.#missed.add(id);
      } else {
        this.#found.set(id, { entry: answer, received });
      }
    }
    const answered = this.#found.size + this.#missed.size;
    this.#waitsFor = this.#missed.size === 0 ? ASKED_MAX : ASKED_MIN;
    this.#atOnce = answered < ids.length ? Math.max(ASKED_MIN, 2 * answered) : ASKED_MAX;
  }

  /** The next elements of one node that were found, at most `limit`. They stay until they are `settled`. */
  found(limit: number): readonly FoundElement[] {
    const found: FoundElement[] = [];
    for (const [id, one] of this.#found) {
      const { node, element } = placeOf(id);
      if (found.length >= limit) {
        break;
      }
      if (node === (found[0] ?? { node }).node) {
        found.push({ node, element, outcome: outcomeOf(one) });
      }
    }
    return found;
  }

  /** All elements that were not found. They stay until they are `settled`. */
  get missed(): readonly ElementPlace[] {
    return [...this.#missed].map((id) => placeOf(id));
  }

  /** A commit has settled these elements, or given them to workers. */
  settled(places: readonly ElementPlace[]): void {
    for (const { node, element } of places) {
      const id = elementId(node, element);
      this.#found.delete(id);
      this.#missed.delete(id);
      // What was found may have been given up since it was read.
      this.#asked.delete(id);
    }
    this.#count();
  }

  /** What was found takes memory that others need: it is looked up again. */
  askAgain(): void {
    for (const [id, { received }] of this.#found) {
      this.#asked.set(id, received);
    }
    this.#found.clear();
  }

  /** Only once some of it is settled, so that the run goes on where there is no room at all. */
  #count(): void {
    let chars = 0;
    for (const { entry } of this.#found.values()) {
      chars += entry.outputs.reduce((sum, { value }) => sum + value.length, 0);
    }
    this.#memory.resize(chars <= UNCOUNTED_CHARS ? 0 : rowBytes(chars));
  }

  /** After a restart, digests are computed again from the rows. */
  #readDigests(ids: readonly number[], state: RunState): void {
    const unknown = ids.filter((id) => this.#asked.get(id) === undefined).map((id) => placeOf(id));
    for (const [index, places] of Map.groupBy(unknown, ({ node }) => node)) {
      const node = this.#plan.nodes[index];
      if (node === undefined || this.#wantedOf(node) === undefined) {
        continue;
      }
      const elements = places.map(({ element }) => element).toSorted((a, b) => a - b);
      for (let at = 0; at < elements.length; at += ELEMENTS_AT_ONCE) {
        const some = elements.slice(at, at + ELEMENTS_AT_ONCE);
        this.#cells.load([node], state, some);
        const read = this.#cells.read(state);
        for (const element of some) {
          const digest = new ReceivedHash(node, this.#layout).add(element, read).digest();
          this.#asked.set(elementId(index, element), digest);
        }
      }
    }
    this.#cells.release();
  }

  /** Undefined for an element that this code does not look up. */
  #wantedBy(id: number): WantedEntry | undefined {
    const node = this.#plan.nodes[placeOf(id).node];
    const wanted = node && this.#wantedOf(node);
    const received = this.#asked.get(id);
    return wanted === undefined || received === undefined
      ? undefined
      : {
          key: receivedKey(this.#lookUps.workspaceId, wanted.definition, received),
          max_age: wanted.maxAge,
          unread_ports: wanted.unread,
        };
  }

  #wantedOf(node: PlanNode): NodeWanted | undefined {
    if (!this.#wanted.has(node.index)) {
      const use = isLookedUpByRun(node) ? this.#lookUps.use(node) : undefined;
      this.#wanted.set(
        node.index,
        use && {
          definition: definitionDigest(node),
          maxAge: use.maxAge,
          unread: this.#unreadPorts(node),
        },
      );
    }
    return this.#wanted.get(node.index);
  }
}

/** [E43] What the element's report would say. An entry is of a result that depends on what was received alone. */
function outcomeOf({ entry, received }: Found): FoundElement["outcome"] {
  return {
    kind: "ok",
    outputs: entry.outputs.map(({ port, value }) => [port, value]),
    digests: { inputs: received, outputs: entry.digest },
    reused: { execution: entry.execution, milliCredits: entry.milli_credits, isCached: true },
    isPure: true,
  };
}
