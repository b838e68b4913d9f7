import type { EmittedText, EmitResponse } from "../../../src/contracts/runs/task.ts";
import { LIMITS } from "../../../src/lib/limits/limits-table.ts";

const TEXT_CHARS_MAX = LIMITS.growing_text.value;
const RUN_CHARS_MAX = LIMITS.growing_texts.value;

/** The element of a task. */
export interface TextPlace {
  readonly node: number;
  readonly element: number;
}

/** The text of a task in progress. In memory only: it is displayed, and never part of a result. */
export interface LiveText extends TextPlace {
  readonly fence: number;
  /** Unique among all texts: a reader with another one has to start again. */
  readonly epoch: number;
  /** Increases with each piece. */
  readonly seq: number;
  readonly text: string;
}

/** Texts of a run's tasks as they grow [E31]. Text beyond the limits is dropped here; the result contains it. */
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
   * Adds pieces. `placeOf` returns the element of a task whose lease this fence holds, undefined if it holds none. A
   * piece that leaves a gap causes a request for the whole text.
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

  /** The task has ended: its text is no longer sent. */
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

  /** False if there is no room. */
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

/** The texts that one reader has received: by task, which text and how much of it. */
export type ToldTexts = Map<LiveText["epoch"], number>;

/**
 * Returns the text that a reader has not received yet, and records it as sent: the rest of a text, or all of a new one.
 */
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
