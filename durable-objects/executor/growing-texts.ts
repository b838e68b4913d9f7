import type { EmitResponse, EmittedText } from "../../src/contracts/task.ts";
import { LIMITS } from "../../src/lib/limits-table.ts";
import { withDeadline } from "../../src/lib/with-deadline.ts";

/** Pieces of all tasks of a chunk are joined over so long: one call, whatever their number. */
const GATHER_MS = 100;

/** A call without an answer for so long is made again; what arrived twice counts once. */
const ANSWER_MAX_MS = 2_000;

/** After so many failures in a row nobody is told any more: the result says it all. */
const FAILURES_MAX = 5;

const CHARS_MAX = LIMITS.growing_text.value;

interface Growing {
  readonly fence: number;
  text: string;
  /** How much of it the run object has. */
  sent: number;
}

/** Texts that a chunk's tasks emit as they grow, on their way to the run object. */
export class GrowingTexts {
  readonly #send: (texts: readonly EmittedText[]) => Promise<EmitResponse>;
  readonly #texts = new Map<number, Growing>();
  #isArmed = false;
  #sending: Promise<void> | undefined;
  #failures = 0;

  constructor(send: (texts: readonly EmittedText[]) => Promise<EmitResponse>) {
    this.#send = send;
  }

  /** Takes the pieces of one attempt until `end`; what comes later, or is over the limit, is left out. */
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

  /** The attempt is over: sends what is left of its text, and takes no more. */
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
      // What is emitted is only shown: the report will meet the same trouble, and says so.
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

/** Where the part ends that can be sent: before the first half of a character that has come alone. */
function unsent({ text }: Pick<Growing, "text">): number {
  const last = text.charCodeAt(text.length - 1);
  return last >= 0xd800 && last <= 0xdbff && text.length < CHARS_MAX
    ? text.length - 1
    : text.length;
}
