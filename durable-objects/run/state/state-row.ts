import { isTerminal } from "../../../src/contracts/runs/run.ts";
import type { CellRow, SkippedItems } from "../../../src/engine/drive/run-rows.ts";
import type { PartRows } from "../blocks/part-rows.ts";
import { encodeRunRow, type MetaValue, readRunRow, type RunRow } from "./state-text.ts";

const STATE_KEY = "state";
/** Metadata of the start, which later commits do not write again. */
const START_METADATA_KEY = "facts";

/** The row of a run's state in memory: read when first needed, written with the transaction that changed it. */
export class StateRow {
  readonly #parts: PartRows;
  #row: RunRow | undefined;
  #start: Map<string, MetaValue> | undefined;
  #isDirty = false;

  constructor(parts: PartRows) {
    this.#parts = parts;
  }

  create(groups: readonly number[]): void {
    this.#start = new Map();
    this.#row = {
      state: null,
      metadata: new Map(),
      log: { from: 1, entries: [] },
      skipped: new Map(),
      firstFailed: new Map(),
      hasTasks: false,
      groups,
    };
    this.#isDirty = true;
  }

  current(): RunRow {
    this.#row ??= readRunRow(this.#parts.get(STATE_KEY));
    return this.#row;
  }

  /** The same; the current transaction then writes them. */
  changed(): RunRow {
    const row = this.current();
    this.#isDirty = true;
    return row;
  }

  /** False if the state was not read yet. */
  get isEnded(): boolean {
    return this.#row?.state != null && isTerminal(this.#row.state.status);
  }

  metadata(name: string): MetaValue | undefined {
    return this.current().metadata.get(name) ?? this.#startMetadata().get(name);
  }

  /** Metadata whose names begin with this. */
  metadataWith(prefix: string): [name: string, value: MetaValue][] {
    return [...new Map([...this.#startMetadata(), ...this.current().metadata])].filter(([name]) =>
      name.startsWith(prefix),
    );
  }

  /** Adds metadata to the start of a run that is not written yet. */
  putStart(name: string, value: MetaValue): void {
    this.#startMetadata().set(name, value);
  }

  putOnce(name: string, value: MetaValue): void {
    if (this.metadata(name) === undefined) {
      this.changed().metadata.set(name, value);
    }
  }

  /** Keeps the first failed element of each node. */
  settled(cells: readonly CellRow[]): void {
    const { firstFailed } = this.changed();
    for (const { node, element, status } of cells) {
      if (status === "failed") {
        firstFailed.set(node, Math.min(element, firstFailed.get(node) ?? element));
      }
    }
  }

  /** Cells of a node from this element on were removed. */
  cellsDropped(node: number, fromIndex: number): void {
    const { firstFailed } = this.changed();
    if ((firstFailed.get(node) ?? -1) >= fromIndex) {
      firstFailed.delete(node);
    }
  }

  countSkipped(rows: readonly SkippedItems[]): void {
    const counted = this.changed().skipped;
    for (const { node, skipped, of } of rows) {
      const known = counted.get(node) ?? { skipped: 0, of: 0 };
      counted.set(node, { node, skipped: skipped + known.skipped, of: of + known.of });
    }
  }

  /** Nodes that skipped elements, in the order of the plan. */
  skipped(): SkippedItems[] {
    return [...this.current().skipped.values()]
      .filter(({ skipped }) => skipped > 0)
      .toSorted((a, b) => a.node - b.node);
  }

  /** Passes the metadata of the start to the parts. */
  encodeStart(): void {
    if (this.#start !== undefined && this.#start.size > 0) {
      this.#parts.put(START_METADATA_KEY, JSON.stringify([...this.#start]));
    }
  }

  /** Passes the row to the parts if it has changed. */
  encode(log: () => RunRow["log"]): void {
    if (this.#isDirty) {
      this.#parts.put(STATE_KEY, encodeRunRow({ ...this.current(), log: log() }));
      this.#isDirty = false;
    }
  }

  /** A transaction was rolled back. */
  forget(): void {
    this.#row = undefined;
    this.#start = undefined;
    this.#isDirty = false;
  }

  #startMetadata(): Map<string, MetaValue> {
    if (this.#start === undefined) {
      const text = this.#parts.get(START_METADATA_KEY);
      this.#start = new Map(text === undefined ? [] : (JSON.parse(text) as [string, MetaValue][]));
    }
    return this.#start;
  }
}
