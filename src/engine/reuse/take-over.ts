/**
 * Decides which elements of a run are taken over from an earlier run, its source. Pure but for reading the source's
 * rows: the same two runs always give the same decisions.
 */
import type { ReadingNotes } from "../../contracts/reading-notes.ts";
import type { Layout } from "../layout/layout.ts";
import type { Plan, PlanInput, PlanNode } from "../plan/plan.ts";
import type { Cell, CellWrite, ReadCell, Reused } from "../step/cells.ts";
import { gatherInputs, project } from "../step/gather-inputs.ts";
import type { CellValue } from "../values/cell-outputs.ts";
import { Elsewhere, isCacheableAlways } from "./elsewhere.ts";
import { elementScope, ForcedElements, type Rerun } from "./forced-elements.ts";
import { matchNodes } from "./match-nodes.ts";
import { ReceivedHash } from "./received-hash.ts";
import { isSameReceived } from "./same-content.ts";
import { type SourceCell, SourceCells } from "./source-cells.ts";
import type { SourceRun } from "./source-run.ts";

/** Items of the source that are read at once. */
const ITEMS_AT_ONCE = 128;

/** The items of an enumerator at one element, taken over. */
export interface TakenItems {
  readonly items: AsyncIterator<ReadonlyMap<string, CellValue>, ReadingNotes | undefined>;
  readonly reused: Reused;
}

export class TakeOver {
  readonly #layout: Layout;
  readonly #source: SourceRun;
  readonly #matched: readonly (PlanNode | undefined)[];
  readonly #forced: ForcedElements;
  readonly #cells: SourceCells;
  /** By scope of the run and scope of the source: the source's element for each element, -1 for none. */
  readonly #places = new Map<string, Int32Array>();

  readonly #elsewhere: Elsewhere;

  constructor(
    plan: Plan,
    layout: Layout,
    source: SourceRun,
    rerun?: Rerun,
    isAlways = isCacheableAlways,
  ) {
    this.#elsewhere = new Elsewhere(source, isAlways);
    this.#layout = layout;
    this.#source = source;
    this.#matched = matchNodes(plan, source.plan, source.versions);
    this.#forced = new ForcedElements(plan, layout, rerun);
    this.#cells = new SourceCells(source);
  }

  /** Estimated memory of the source's cells that are loaded. */
  get bytes(): number {
    return this.#cells.bytes;
  }

  /** The slice is over. */
  release(): void {
    this.#cells.release();
  }

  /** Loads the source's cells that `take` compares with at these elements. */
  async load(nodes: readonly PlanNode[], elementIndexes: Iterable<number>): Promise<void> {
    const elements = [...elementIndexes];
    const wanted = this.#cells.want();
    for (const node of nodes) {
      const other = this.#matched[node.index];
      if (other === undefined) {
        continue;
      }
      const places = elements
        .map((element) => this.#placeOf(node, other, element))
        .filter((place) => place >= 0);
      if (places.length === 0) {
        continue;
      }
      if (other.axis < 0) {
        wanted.add(other.index, places);
      }
      wanted.addInputs(
        other.inputs.filter((input) => input.once === true || node.type.role !== "aggregator"),
        elementScope(other),
        places,
      );
    }
    await this.#cells.load(wanted);
  }

  /**
   * [E36, E37] Returns the settled element if the source has it: an `ok` element of the same node at the same indices
   * that received the same. Undefined if it has to be worked out. For an aggregator, only the inputs that it reads once
   * are compared; the caller compares its columns.
   */
  take(node: PlanNode, element: number, read: ReadCell): CellWrite | undefined {
    const cell = this.#candidate(node, element);
    if (cell === undefined || cell.status !== "ok" || !this.#receivesSame(node, element, read)) {
      return undefined;
    }
    return this.#writeOf(node, element, cell);
  }

  /** [E40] Whether elements of a node may be taken over from anywhere in the source. */
  isFoundElsewhere(node: PlanNode, element: number): boolean {
    return this.#elsewhere.includes(node) && !this.#forced.has(node, element);
  }

  /**
   * [E40] The element from another place of the source, which received the same: for an element that `take` does not
   * find. What it reads is looked at before the call returns.
   */
  takeElsewhere(
    node: PlanNode,
    element: number,
    read: ReadCell,
  ): Promise<CellWrite | undefined> | undefined {
    if (
      !this.isFoundElsewhere(node, element) ||
      gatherInputs(node, element, this.#layout, read).kind !== "ready"
    ) {
      return undefined;
    }
    const digest = new ReceivedHash(node, this.#layout).add(element, read).digest();
    return digest === undefined ? undefined : this.takeReceived(node, element, digest);
  }

  /** The same for an element whose digest is known. */
  async takeReceived(
    node: PlanNode,
    element: number,
    digest: string,
  ): Promise<CellWrite | undefined> {
    const place = await this.#elsewhere.find(node, digest);
    if (place === undefined) {
      return undefined;
    }
    await this.#cells.load(this.#cells.want().add(place.node, [place.element]));
    const cell = this.#cells.get(place.node, place.element);
    return cell?.status === "ok" ? this.#writeOf(node, element, cell) : undefined;
  }

  #writeOf(node: PlanNode, element: number, cell: SourceCell): CellWrite {
    const { reused, charge } = cell.row;
    return new TakenCell(
      node,
      element,
      cell,
      takenBy(reused) ?? this.#reusedFor(charge?.milliCredits ?? 0),
    );
  }

  /** [E36] The same for an enumerator at one element of its scope. */
  takeItems(node: PlanNode, parent: number, read: ReadCell): TakenItems | undefined {
    const other = this.#matched[node.index];
    if (other === undefined || this.#forced.has(node, parent)) {
      return undefined;
    }
    const place = this.#placeOf(node, other, parent);
    const row =
      place < 0
        ? undefined
        : this.#source.axisRows(other.axis).find(({ parent: at }) => at === place);
    const notes = this.#source.notes.get(other.index);
    // Notes are kept for all elements of a node together, and a part of them cannot be taken over.
    const isWholeNoted = notes === undefined || other.scope === 0;
    if (row?.status !== "ok" || !isWholeNoted || !this.#receivesSame(node, parent, read)) {
      return undefined;
    }
    const { from } = this.#source.layout.rangeOver(other.outputScope, other.scope, place);
    return {
      items: this.#itemsOf(other, from, from + row.count, notes),
      reused: row.reused ?? this.#reusedFor(other.costMilliCredits),
    };
  }

  /**
   * [E37] Loads the source's columns of a page of an aggregator's elements: `first` and `count` are counted from the
   * beginning of the result's range. Returns the comparison of one of them; undefined if the ranges differ in length.
   */
  async columns(
    node: PlanNode,
    element: number,
    first: number,
    count: number,
  ): Promise<((member: number, read: ReadCell) => boolean) | undefined> {
    const other = this.#matched[node.index];
    const place = other === undefined ? -1 : this.#placeOf(node, other, element);
    if (other === undefined || place < 0) {
      return undefined;
    }
    const mine = this.#layout.rangeOver(node.scope, node.outputScope, element);
    const theirs = this.#source.layout.rangeOver(other.scope, other.outputScope, place);
    if (mine.to - mine.from !== theirs.to - theirs.from) {
      return undefined;
    }
    const members = Array.from({ length: count }, (_, i) => theirs.from + first + i);
    const columns = other.inputs.filter((input) => input.once !== true);
    await this.#cells.load(this.#cells.want().addInputs(columns, other.scope, members));
    return (member, read) =>
      node.inputs.every((input) => {
        const same = columns.find(({ port }) => port === input.port);
        return (
          input.once === true ||
          this.#isSamePort(node, input, same, member, theirs.from + member - mine.from, read)
        );
      });
  }

  #reusedFor(milliCredits: number): Reused {
    return { execution: this.#source.id, milliCredits };
  }

  async *#itemsOf(
    node: PlanNode,
    from: number,
    to: number,
    notes: ReadingNotes | undefined,
  ): AsyncGenerator<ReadonlyMap<string, CellValue>, ReadingNotes | undefined> {
    for (let at = from; at < to; at += ITEMS_AT_ONCE) {
      const end = Math.min(at + ITEMS_AT_ONCE, to);
      const items = Array.from({ length: end - at }, (_, i) => at + i);
      await this.#cells.load(this.#cells.want().add(node.index, items));
      for (let item = at; item < end; item++) {
        const cell = this.#cells.get(node.index, item);
        if (cell === undefined) {
          throw new Error(`the source has no item ${item} of ${node.id}`);
        }
        yield cell.outputs;
      }
    }
    return notes;
  }

  #candidate(node: PlanNode, element: number): SourceCell | undefined {
    const other = this.#matched[node.index];
    if (other === undefined || this.#forced.has(node, element)) {
      return undefined;
    }
    const place = this.#placeOf(node, other, element);
    return place < 0 ? undefined : this.#cells.get(other.index, place);
  }

  #receivesSame(node: PlanNode, element: number, read: ReadCell): boolean {
    const other = this.#matched[node.index];
    if (other === undefined) {
      return false;
    }
    const place = this.#placeOf(node, other, element);
    return node.inputs.every((input) => {
      const same = other.inputs.find(({ port }) => port === input.port);
      return (
        (node.type.role === "aggregator" && input.once !== true) ||
        this.#isSamePort(node, input, same, element, place, read)
      );
    });
  }

  /** Whether each connection of a port has the same state and content in both runs. */
  #isSamePort(
    node: PlanNode,
    input: PlanInput,
    other: PlanInput | undefined,
    element: number,
    place: number,
    read: ReadCell,
  ): boolean {
    const matched = this.#matched[node.index];
    if (input.sources.length !== (other?.sources.length ?? 0) || matched === undefined) {
      return false;
    }
    const from = input.once === true ? node.outputScope : node.scope;
    const theirs = input.once === true ? matched.outputScope : matched.scope;
    return input.sources.every((source, index) => {
      const fed = other?.sources[index];
      if (fed === undefined) {
        return false;
      }
      const cell = read(source.node, project(this.#layout, from, source.scope, element));
      const before = this.#cells.read(
        fed.node,
        project(this.#source.layout, theirs, fed.scope, place),
      );
      return isSameCell(input, cell, source.port, before, fed.port);
    });
  }

  /** The source's element with the same indices, -1 if there is none. */
  #placeOf(node: PlanNode, other: PlanNode, element: number): number {
    const [mine, theirs] = [elementScope(node), elementScope(other)];
    const key = `${mine}>${theirs}`;
    let places = this.#places.get(key);
    if (places === undefined) {
      const { layout } = this.#source;
      places = Int32Array.from({ length: this.#layout.count(mine) }, (_, at) =>
        layout.isResolved(theirs)
          ? (layout.elementAt(theirs, this.#layout.indices(mine, at)) ?? -1)
          : -1,
      );
      this.#places.set(key, places);
    }
    return places[element] ?? -1;
  }
}

/** An element that is taken over from a cell of the source, whose outputs are read only where something needs them. */
class TakenCell implements CellWrite {
  readonly node: number;
  readonly element: number;
  readonly status = "ok";
  readonly failure = null;
  readonly charge: CellWrite["charge"];
  readonly reused: Reused;
  readonly from: SourceCell;

  constructor(node: PlanNode, element: number, from: SourceCell, reused: Reused) {
    this.node = node.index;
    this.element = element;
    this.from = from;
    this.charge = node.costMilliCredits > 0 ? { milliCredits: 0, quantity: null } : undefined;
    this.reused = reused;
  }

  get outputs(): CellWrite["outputs"] {
    return this.from.outputs;
  }

  get body(): string {
    return this.from.row.body;
  }

  get digests(): CellWrite["digests"] {
    return this.from.row.digests;
  }
}

/** What the source has from the cache, the retry has from the source. */
function takenBy(reused: Reused | undefined): Reused | undefined {
  return reused && { execution: reused.execution, milliCredits: reused.milliCredits };
}

function isSameCell(
  input: PlanInput,
  a: Cell | undefined,
  portA: string,
  b: Cell | undefined,
  portB: string,
): boolean {
  if (a instanceof TakenCell && a.from === b && portA === portB) {
    return true;
  }
  if (a === undefined || b === undefined || isBad(a) !== isBad(b)) {
    return false;
  }
  const [valueA, valueB] = [a.outputs.get(portA), b.outputs.get(portB)];
  return valueA === undefined || valueB === undefined
    ? valueA === valueB
    : isSameReceived(input, valueA, valueB);
}

function isBad({ status }: Cell): boolean {
  return status === "failed" || status === "blocked";
}
