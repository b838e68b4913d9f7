/**
 * [E40] Finds elements of a source by what they received, wherever they are: for types whose result depends on nothing
 * else.
 */
import { isAggregator } from "../plan/node-kind.ts";
import type { PlanNode } from "../plan/plan.ts";
import { onceReader } from "../step/fold-aggregate.ts";
import { elementScope } from "./forced-elements.ts";
import { definitionText } from "./match-nodes.ts";
import { ReceivedHash } from "./received-hash.ts";
import { SourceCells } from "./source-cells.ts";
import type { SourceRun } from "./source-run.ts";

/** Elements of the source that are read at once. */
const ELEMENTS_AT_ONCE = 128;

/** An element of the source. */
export interface SourcePlace {
  readonly node: number;
  readonly element: number;
}

const PREFIXES = ["image/", "audio/", "video/"];
const TYPES: ReadonlySet<string> = new Set([
  "aggregate/audio_timeline",
  "aggregate/pdf",
  "design/template_render",
  "document/pdf",
  "utility/merge_pdf",
]);

/** Whether a type is deterministic, has no effect outside, and is worth a look-up. */
export function isCacheableAlways(type: string): boolean {
  return TYPES.has(type) || PREFIXES.some((prefix) => type.startsWith(prefix));
}

/** Elements of the source that received the same, in order. */
interface SameReceived {
  readonly places: SourcePlace[];
  /** Those before are not ok. */
  next: number;
}

type Index = ReadonlyMap<string, SameReceived>;

export class Elsewhere {
  readonly #source: SourceRun;
  readonly #isAlways: (type: string) => boolean;
  readonly #cells: SourceCells;
  /** By definition of the node, then by digest of what was received. */
  readonly #indexes = new Map<string, Promise<Index>>();

  constructor(source: SourceRun, isAlways: (type: string) => boolean) {
    this.#source = source;
    this.#isAlways = isAlways;
    this.#cells = new SourceCells(source);
  }

  /** Whether elements of a node may be found elsewhere. */
  includes({ type }: PlanNode): boolean {
    return type.role !== "input" && this.#isAlways(type.type);
  }

  /** An `ok` element of the source with the same definition that received the same. */
  async find(node: PlanNode, digest: string): Promise<SourcePlace | undefined> {
    const definition = definitionText(node, node.type.version);
    let index = this.#indexes.get(definition);
    if (index === undefined) {
      index = this.#indexOf(definition);
      this.#indexes.set(definition, index);
    }
    try {
      const same = (await index).get(digest);
      return same && (await this.#firstOk(same));
    } catch (error) {
      // It is read again with the next piece of work.
      this.#indexes.delete(definition);
      throw error;
    }
  }

  /** Only the results of these few are read: those of all would be as much as the run itself. */
  async #firstOk(same: SameReceived): Promise<SourcePlace | undefined> {
    for (let at = same.next; at < same.places.length; at += ELEMENTS_AT_ONCE) {
      const page = same.places.slice(at, at + ELEMENTS_AT_ONCE);
      const wanted = this.#cells.want();
      page.forEach(({ node, element }) => wanted.add(node, [element]));
      await this.#cells.load(wanted);
      const ok = page.findIndex(
        ({ node, element }) => this.#cells.get(node, element)?.status === "ok",
      );
      this.#cells.release();
      same.next = Math.max(same.next, at + (ok < 0 ? page.length : ok));
      if (ok >= 0) {
        return page[ok];
      }
    }
    return undefined;
  }

  async #indexOf(definition: string): Promise<Index> {
    const { plan, state, versions } = this.#source;
    const index = new Map<string, SameReceived>();
    for (const node of plan.nodes) {
      const now = state.nodes[node.index];
      const isSame =
        this.includes(node) && definitionText(node, versions[node.index] ?? "") === definition;
      if (!isSame || now === undefined || now.whole !== null || !Number.isFinite(now.total)) {
        continue;
      }
      for (let at = 0; at < now.total; at += ELEMENTS_AT_ONCE) {
        const length = Math.min(ELEMENTS_AT_ONCE, now.total - at);
        await this.#addPage(
          index,
          node,
          Array.from({ length }, (_, i) => at + i),
        );
        this.#cells.release();
      }
    }
    return index;
  }

  async #addPage(
    index: Map<string, SameReceived>,
    node: PlanNode,
    elements: readonly number[],
  ): Promise<void> {
    const wanted = this.#cells.want();
    await this.#cells.load(
      isAggregator(node)
        ? wanted.add(node.index, elements)
        : wanted.addInputs(node.inputs, node.scope, elements),
    );
    // A result reads its whole range, which is not worth it for one that is not ok.
    const digested = isAggregator(node)
      ? elements.filter((at) => this.#cells.get(node.index, at)?.status === "ok")
      : elements;
    for (const element of digested) {
      const digest = isAggregator(node)
        ? await this.#resultDigest(node, element)
        : new ReceivedHash(node, this.#source.layout).add(element, this.#read).digest();
      const known = digest === undefined ? undefined : index.get(digest);
      if (known !== undefined) {
        known.places.push({ node: node.index, element });
      } else if (digest !== undefined) {
        index.set(digest, { places: [{ node: node.index, element }], next: 0 });
      }
    }
  }

  async #resultDigest(node: PlanNode, element: number): Promise<string | undefined> {
    const { layout } = this.#source;
    const hash = new ReceivedHash(node, layout);
    const once = onceReader(node).inputs;
    await this.#cells.load(this.#cells.want().addInputs(once, elementScope(node), [element]));
    hash.add(element, this.#read, true);
    const { from, to } = layout.rangeOver(node.scope, node.outputScope, element);
    const columns = node.inputs.filter(({ once }) => once !== true);
    for (let at = from; at < to; at += ELEMENTS_AT_ONCE) {
      const end = Math.min(at + ELEMENTS_AT_ONCE, to);
      const members = Array.from({ length: end - at }, (_, i) => at + i);
      await this.#cells.load(this.#cells.want().addInputs(columns, node.scope, members));
      for (const member of members) {
        hash.add(member, this.#read);
      }
      this.#cells.release();
    }
    return hash.digest();
  }

  readonly #read = (node: number, element: number) => this.#cells.read(node, element);
}
