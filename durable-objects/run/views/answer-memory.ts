/** The memory of one answer of a run's outputs: the page of values that it reads, and the stored text that it shows. */
import type { ViewCell } from "../../../src/engine/view/view-input.ts";
import type { MemoryLease } from "../../../src/lib/memory/memory-budget.ts";
import type { RequestMemory } from "../../../src/platform/request-memory.ts";

/** Texts and pages up to this size are shown without asking. */
const UNASKED_BYTES = 64 * 1024;

/**
 * Memory for a stored text in an answer: its bytes, its text, and the same as a value and as the raw value, escaped, in an
 * item and in a piece of the answer.
 */
const TEXT_COPIES = 12;

/** Memory of a character of a page: of its row, and of a piece of the answer. */
const BYTES_A_CHAR = 4;

export class AnswerMemory {
  readonly #memory: RequestMemory;
  #page: MemoryLease | undefined;
  #text: MemoryLease | undefined;

  constructor(memory: RequestMemory) {
    this.#memory = memory;
  }

  /** See `ViewInput.holdPage`. The promise rejects with `service_unavailable`. */
  holdPage(cells: readonly ViewCell[]): Promise<void> | undefined {
    const chars = cells.reduce(
      (sum, { body }) => sum + (body?.kind === "text" ? body.text.length : 0),
      0,
    );
    const bytes = chars <= UNASKED_BYTES ? 0 : chars * BYTES_A_CHAR;
    if (bytes <= (this.#page?.bytes ?? 0)) {
      this.#page?.shrink(bytes);
      return undefined;
    }
    this.#page?.release();
    this.#page = this.#memory.takeNow(bytes);
    return this.#page === undefined ? this.#wait(bytes) : undefined;
  }

  /** Asks for a stored text. The text before it is part of the answer, and is not counted any more. */
  async holdText(sizeBytes: number): Promise<void> {
    this.#text?.release();
    this.#text =
      sizeBytes <= UNASKED_BYTES ? undefined : await this.#memory.take(sizeBytes * TEXT_COPIES);
  }

  /** A piece of the answer has been passed on; with `isOver` the last. */
  release(isOver: boolean): void {
    this.#text?.release();
    this.#text = undefined;
    if (isOver) {
      this.#page?.release();
      this.#page = undefined;
    }
  }

  async #wait(bytes: number): Promise<void> {
    this.#page = await this.#memory.take(bytes);
  }
}
