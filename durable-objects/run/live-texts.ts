import type { EmittedText, EmitResponse } from "../../src/contracts/task.ts";
import { LIMITS } from "../../src/lib/limits-table.ts";

const TEXT_CHARS_MAX = LIMITS.growing_text.value;
const RUN_CHARS_MAX = LIMITS.growing_texts.value;

/** The element that a task does. */
export interface TextPlace {
  readonly node: number;
  readonly element: number;
}

/** What a task in progress has said so far. In memory only: it is shown, and never part of a result. */
export interface LiveText extends TextPlace {
  readonly fence: number;
  /** Differs from that of every other text: a reader that knows another one has to begin again. */
  readonly epoch: number;
  /** Rises with each piece. */
  readonly seq: number;
  readonly text: string;
}

/** Texts of a run's tasks as they grow [E31]. What is over the limits is left out; the result has it. */
export class LiveTexts {
  readonly #texts = new Map<number, LiveText>();
  #epochs = 0;
  #chars = 0;

  get size(): number {
    return this.#texts.size;
  }

  values(): Iterable<LiveText> {
    return this.#texts.values();
  }

  /**
   * Takes pieces in. `placeOf` gives the element of a task whose lease this fence holds, undefined
   * where it holds none. A piece that does not follow what is known is asked for from the start.
   */
  take(
    pieces: readonly EmittedText[],
    placeOf: (piece: EmittedText) => TextPlace | undefined,
  ): EmitResponse {
    const resend: number[] = [];
    const stop: number[] = [];
    for (const piece of pieces) {
      const place = placeOf(piece);
      const known = this.#known(piece);
      const length = known?.text.length ?? 0;
      if (place === undefined || !isSound(piece)) {
        stop.push(piece.task_id);
      } else if (piece.at > length) {
        resend.push(piece.task_id);
      } else if (!this.#add(piece, place, known)) {
        stop.push(piece.task_id);
      }
    }
    return { resend, stop };
  }

  /** The task has ended: nothing more is told of its text. */
  drop(taskId: number): void {
    this.#chars -= this.#texts.get(taskId)?.text.length ?? 0;
    this.#texts.delete(taskId);
  }

  clear(): void {
    this.#texts.clear();
    this.#chars = 0;
  }

  #known({ task_id, fence }: EmittedText): LiveText | undefined {
    const known = this.#texts.get(task_id);
    return known?.fence === fence ? known : undefined;
  }

  /** False where there is no room. */
  #add({ task_id, fence, at, text }: EmittedText, place: TextPlace, known?: LiveText): boolean {
    const before = known?.text ?? "";
    const added = text.slice(before.length - at);
    if (known === undefined) {
      this.drop(task_id);
    }
    if (
      before.length + added.length > TEXT_CHARS_MAX ||
      this.#chars + added.length > RUN_CHARS_MAX
    ) {
      return false;
    }
    if (known === undefined || added !== "") {
      this.#chars += added.length;
      this.#texts.set(task_id, {
        ...place,
        fence,
        epoch: known?.epoch ?? ++this.#epochs,
        seq: (known?.seq ?? -1) + 1,
        text: before + added,
      });
    }
    return true;
  }
}

function isSound({ at, text }: EmittedText): boolean {
  return Number.isSafeInteger(at) && at >= 0 && typeof text === "string";
}

/** What one reader has been told of the texts: by task, which text and how far. */
export type ToldTexts = Map<LiveText["epoch"], number>;

/** What a reader has not been told yet, and notes that it has: the rest of a text, or all of a new one. */
export function* untold(
  texts: LiveTexts,
  told: ToldTexts,
): Generator<{ readonly text: LiveText; readonly delta: string; readonly reset: boolean }> {
  const live = new Set<number>();
  for (const text of texts.values()) {
    live.add(text.epoch);
    const length = told.get(text.epoch);
    if (length === undefined || text.text.length > length) {
      told.set(text.epoch, text.text.length);
      yield { text, delta: text.text.slice(length ?? 0), reset: length === undefined };
    }
  }
  for (const epoch of told.keys()) {
    if (!live.has(epoch)) {
      told.delete(epoch);
    }
  }
}
