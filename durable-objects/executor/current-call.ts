import {
  type ClaimedCharge,
  type LeasedTask,
  type TaskOutcome,
  type TaskReport,
  WAIT_TOKEN_MAX_CHARS,
} from "../../src/contracts/task.ts";
import type { NodeType } from "../../src/nodes/define-roles.ts";
import type { NodeInputs } from "../../src/nodes/define-ports.ts";
import type { TaskCall } from "../../src/nodes/define-tools.ts";

const NOTHING: ReadonlyMap<string, never> = new Map<string, never>();

interface Amount {
  readonly milliCredits: number;
  readonly quantity: number | null;
}

/** What one attempt knows of its call, and what its node says about it. */
export class CurrentCall implements TaskCall {
  readonly key: string;
  readonly attempt: number;
  readonly token: string | null;
  #charge: Amount | null = null;
  #waiting: Extract<TaskOutcome, { kind: "waiting" }> | null = null;

  readonly emitText: (piece: string) => void;

  /** `emitText` shows a piece of text to whoever watches the run. */
  constructor({ key, attempt, token }: LeasedTask, emitText: (piece: string) => void) {
    this.emitText = emitText;
    this.key = key;
    this.attempt = attempt;
    this.token = token ?? null;
  }

  /** What the node waits for; null when it does not. */
  get waiting(): Extract<TaskOutcome, { kind: "waiting" }> | null {
    return this.#waiting;
  }

  charge({ milliCredits, quantity }: Amount): void {
    if (!Number.isSafeInteger(milliCredits) || milliCredits < 0) {
      throw new RangeError(`A charge is whole and not negative, not ${milliCredits}.`);
    }
    if (quantity !== null && !(Number.isFinite(quantity) && quantity >= 0)) {
      throw new RangeError(`A quantity is finite and not negative, not ${quantity}.`);
    }
    this.#charge = { milliCredits, quantity };
  }

  wait(token: string, resumeAfterMs: number): ReadonlyMap<string, never> {
    if (token.length > WAIT_TOKEN_MAX_CHARS) {
      throw new RangeError(
        `A token has at most ${WAIT_TOKEN_MAX_CHARS} characters, not ${token.length}.`,
      );
    }
    this.#waiting = { kind: "waiting", token, resume_after_ms: resumeAfterMs };
    return NOTHING;
  }

  /** The report's charge: as the node said it, else, of a task that ended well, as its inputs do. */
  claim(
    { cost }: Pick<NodeType, "cost">,
    done: { readonly inputs: NodeInputs; readonly params: unknown } | null,
  ): Pick<TaskReport, "charge"> {
    const said =
      this.#charge ??
      (done === null ? undefined : cost?.ofInputs?.(done.inputs, done.params as never));
    if (cost === undefined || said === undefined) {
      return {};
    }
    const { milliCredits, quantity } = said;
    const charge: ClaimedCharge = {
      milli_credits: milliCredits,
      usage: quantity === null ? null : { unit: cost.unit, quantity },
    };
    return { charge };
  }
}
