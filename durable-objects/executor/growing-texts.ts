import type { EmitResponse, EmittedText } from "../../src/contracts/runs/task.ts";
import { LIMITS } from "../../src/lib/limits/limits-table.ts";
import { withDeadline } from "../../src/lib/with-deadline.ts";

/** Pieces of all tasks of a chunk are joined for this long, into one call, which takes the rest of 100 ms. */
const GATHER_MS = 95;

/** A call without a response in this time is repeated; duplicates count once. */
const ANSWER_MAX_MS = 2_000;

/** After this many consecutive failures nothing more is sent; the result contains the whole text. */
const FAILURES_MAX = 5;

const CHARS_MAX = LIMITS.growing_text.value;

interface Growing {
  readonly fence: number;
  text: string;
  /** Length of the text that the run object has. */
  sent: number;
}

/** Texts that a chunk's tasks emit while they run, on their way to the run object. */
export class GrowingTexts {
  readonly #send: (texts: readonly EmittedText[]) => Promise<EmitResponse>;
  readonly #texts = new Map<number, Growing>();
  #isArmed = false;
  #sending: Promise<void> | undefined;
  #failures = 0;

  constructor(send: (texts: readonly EmittedText[]) => Promise<EmitResponse>) {
    this.#send = send;
  }

  /** Accepts the pieces of one attempt until `end`; later pieces, and those over the limit, are dropped. */
  begin(taskId: number, fence: number): (piece: string) => void {
    let growing: Growing | undefined;
    return (piece) => {
      if (growing === undefined) {
        growing = { fence, text: "", sent: 0 };
        this.#texts.set(taskId, growing);
      }
      if (this.#texts.get(taskId) === growing && growing.text.length < CHARS_MAX) {
        growing.text = (growing.text + piece).slice(0, CHARS_MAX);
        this.#arm();
      }
    };
  }

  /** Ends the attempt: sends the rest of its text and accepts no more. */
  async end(taskId: number): Promise<void> {
    const growing = this.#texts.get(taskId);
    if (growing === undefined) {
      return;
    }
    await this.#sending;
    if (unsent(growing) > growing.sent) {
      await this.#once();
    }
    this.#texts.delete(taskId);
  }

  #arm(): void {
    if (this.#isArmed) {
      return;
    }
    this.#isArmed = true;
    setTimeout(() => {
      this.#isArmed = false;
      void this.#once();
    }, GATHER_MS);
  }

  async #once(): Promise<void> {
    await this.#sending;
    this.#sending = this.#sendAll().finally(() => {
      this.#sending = undefined;
    });
    await this.#sending;
  }

  async #sendAll(): Promise<void> {
    const pieces = [...this.#texts].flatMap(([task_id, { fence, text, sent }]) => {
      const end = unsent({ text });
      return end > sent ? [{ task_id, fence, at: sent, text: text.slice(sent, end) }] : [];
    });
    if (pieces.length === 0) {
      return;
    }
    try {
      const { resend, stop } = await withDeadline(this.#send(pieces), ANSWER_MAX_MS);
      this.#failures = 0;
      for (const { task_id, at, text } of pieces) {
        const growing = this.#texts.get(task_id);
        if (growing !== undefined) {
          growing.sent = resend.includes(task_id) ? 0 : at + text.length;
        }
      }
      for (const taskId of stop) {
        this.#texts.delete(taskId);
      }
    } catch {
      // Emitted text is for display only; a permanent fault also affects the report, which handles it.
      this.#failures++;
      if (this.#failures >= FAILURES_MAX) {
        this.#texts.clear();
      }
    }
    if ([...this.#texts.values()].some((growing) => unsent(growing) > growing.sent)) {
      this.#arm();
    }
  }
}

/** The end of the part that can be sent: before an incomplete surrogate pair. */
function unsent({ text }: Pick<Growing, "text">): number {
  const last = text.charCodeAt(text.length - 1);
  return last >= 0xd800 && last <= 0xdbff && text.length < CHARS_MAX
    ? text.length - 1
    : text.length;
}
