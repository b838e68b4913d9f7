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

export class Elsewhere {
  readonly #source: SourceRun;
  readonly #isAlways: (type: string) => boolean;
  readonly #cells: SourceCells;
  /** By definition of the node, then by digest of what was received. */
  readonly #indexes = new Map<string, Promise<ReadonlyMap<string, SourcePlace>>>();

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
      return (await index).get(digest);
    } catch (error) {
      // It is read again with the next piece of work.
      this.#indexes.delete(definition);
      throw error;
    }
  }

  async #indexOf(definition: string): Promise<ReadonlyMap<string, SourcePlace>> {
    const { plan, state, versions } = this.#source;
    const index = new Map<string, SourcePlace>();
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
    index: Map<string, SourcePlace>,
    node: PlanNode,
    elements: readonly number[],
  ): Promise<void> {
    const wanted = this.#cells.want().add(node.index, elements);
    await this.#cells.load(
      isAggregator(node) ? wanted : wanted.addInputs(node.inputs, node.scope, elements),
    );
    const ok = elements.filter((at) => this.#cells.get(node.index, at)?.status === "ok");
    for (const element of ok) {
      const digest = isAggregator(node)
        ? await this.#resultDigest(node, element)
        : new ReceivedHash(node, this.#source.layout).add(element, this.#read).digest();
      if (digest !== undefined && !index.has(digest)) {
        index.set(digest, { node: node.index, element });
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
