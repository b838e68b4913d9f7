import type { TaskScope } from "../../../durable-objects/executor/executor-parts.ts";
import type { TextPrompt } from "../../contracts/models/model-calls.ts";
import { WAITING_MODEL_BYTES } from "../../nodes/define-tools.ts";

/** Of an answer, before it takes the task's memory: a text of this length, and what it becomes once it is parsed. */
const SMALL_ANSWER_CHARS = 32 * 1024;

/** Of the pictures of a request that is sent with the memory of a task that waits. */
const SMALL_PICTURES_BYTES = 512 * 1024;

/** A call that one request answers. */
export interface RequestedCall {
  /** Its name among the calls of the task. */
  readonly call: string;
  /** The request holds next to nothing, so it is sent, and its answer waited for, with little memory. */
  readonly isLight?: boolean;
  /** Values of this attempt are in memory while the call waits for its turn. */
  readonly isHolding?: boolean;
  /** Ends the call; that of the task if omitted. */
  readonly endsWith?: AbortSignal;
}

/**
 * What one attempt of a task that asks models holds. It is little while the task waits for a place or for an answer, so
 * that as many requests are under way as a provider takes. All of the task's memory is taken when pictures are prepared
 * and when an answer turns out to be more than a short text.
 */
export class CallMemory {
  readonly #scope: Pick<TaskScope, "ownBytes" | "shrinkMemory" | "exchangeMemory">;
  #taken: Promise<void> | undefined;

  constructor(scope: Pick<TaskScope, "ownBytes" | "shrinkMemory" | "exchangeMemory">) {
    this.#scope = scope;
  }

  /** Nothing of a call is held any more, or not yet. */
  giveBack(): void {
    this.#taken = undefined;
    this.#scope.shrinkMemory(WAITING_MODEL_BYTES);
  }

  /**
   * Resolves with all of the task's memory; waits if there is none, with next to nothing held. `mayGiveBack`: nothing would
   * be lost with the attempt, so a long wait ends with TaskGivenBack.
   */
  all(mayGiveBack = false): Promise<void> {
    return (this.#taken ??= this.#scope.exchangeMemory(this.#scope.ownBytes, mayGiveBack));
  }

  /** The same, also where a part was given back since. */
  async again(): Promise<void> {
    this.giveBack();
    await this.all();
  }

  /** A request is ready: pictures of so many bytes are held until it is answered. */
  prepared(pictureBytes: number): void {
    if (pictureBytes <= SMALL_PICTURES_BYTES) {
      this.giveBack();
    }
  }

  /** To be awaited before so many characters or bytes of an answer are held. */
  holding(size: number): Promise<void> | undefined {
    return size > SMALL_ANSWER_CHARS ? this.all() : undefined;
  }
}

/** Of a prompt that is sent with the memory of a task that waits. */
const LIGHT_PROMPT_CHARS = 64 * 1024;

/** How much a request for a text holds: pictures, long texts, and the answers that it sends back. */
export function weightOf({
  prompt,
  system,
  images,
  turns,
}: TextPrompt): Pick<RequestedCall, "isLight" | "isHolding"> {
  const chars = prompt.length + (system ?? "").length;
  const isHolding = turns.length > 0;
  return { isLight: images.length === 0 && !isHolding && chars <= LIGHT_PROMPT_CHARS, isHolding };
}
