/** The items of one output in two runs, by their indices. */
import type { ItemChange } from "../../../contracts/runs/comparison.ts";
import type { ElementsPage } from "../../../contracts/runs/run-comparison-api.ts";

export interface Place {
  readonly indices: readonly number[];
  /** Index of the element in the rows of its run. */
  readonly element: number;
  /** `a` absent, `m` missing, else `p` and the key of its content. */
  readonly state: string;
}

export interface ComparedPlace {
  readonly indices: readonly number[];
  readonly change: ItemChange | "same";
  readonly a: Place | null;
  readonly b: Place | null;
}

/** Reads the elements of one side from an index on. */
export type ReadElements = (from: number) => Promise<ElementsPage>;

/** One side: its pages in turn. */
class Side {
  readonly #read: ReadElements;
  #page: ElementsPage = { elements: [], indices: null, next: 0 };
  #from = 0;
  #at = 0;

  constructor(read: ReadElements | null) {
    this.#read = read ?? (() => Promise.resolve({ elements: [], indices: null, next: null }));
  }

  /** Whether the next page must be fetched before `head`. */
  get isDry(): boolean {
    return this.#at === this.#page.elements.length && this.#page.next !== null;
  }

  async fill(): Promise<void> {
    while (this.isDry) {
      this.#from = this.#page.next ?? 0;
      this.#page = await this.#read(this.#from);
      this.#at = 0;
    }
  }

  /** Undefined after the last. */
  head(): Place | undefined {
    const state = this.#page.elements[this.#at];
    if (state === undefined) {
      return undefined;
    }
    const element = this.#from + this.#at;
    const { indices } = this.#page;
    return { indices: indices === null ? [element] : (indices[this.#at] ?? []), element, state };
  }

  take(): void {
    this.#at++;
  }
}

/** Passes each place of an output in either run to `visit`, in the order of their indices. */
export async function compareElements(
  readA: ReadElements | null,
  readB: ReadElements | null,
  visit: (place: ComparedPlace) => void,
): Promise<void> {
  const sideA = new Side(readA);
  const sideB = new Side(readB);
  for (;;) {
    if (sideA.isDry || sideB.isDry) {
      await Promise.all([sideA.fill(), sideB.fill()]);
    }
    const a = sideA.head();
    const b = sideB.head();
    const order = a === undefined || b === undefined ? 0 : compareIndices(a.indices, b.indices);
    if (a !== undefined && (b === undefined || order < 0)) {
      sideA.take();
      visit({ indices: a.indices, change: "removed", a, b: null });
    } else if (b !== undefined && (a === undefined || order > 0)) {
      sideB.take();
      visit({ indices: b.indices, change: "added", a: null, b });
    } else if (a !== undefined && b !== undefined) {
      sideA.take();
      sideB.take();
      visit({ indices: b.indices, change: changeOf(a.state, b.state), a, b });
    } else {
      return;
    }
  }
}

function changeOf(a: string, b: string): ItemChange | "same" {
  if (a === b) {
    return "same";
  }
  return a.startsWith("p") && b.startsWith("p") ? "changed" : "state";
}

function compareIndices(a: readonly number[], b: readonly number[]): number {
  for (let i = 0; i < Math.min(a.length, b.length); i++) {
    const order = (a[i] ?? 0) - (b[i] ?? 0);
    if (order !== 0) {
      return order;
    }
  }
  return a.length - b.length;
}
