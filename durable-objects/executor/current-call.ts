import {
  type ClaimedCharge,
  type LeasedTask,
  type ModelCalls,
  type PictureColorCounts,
  type TaskOutcome,
  type TaskReport,
  WAIT_TOKEN_MAX_CHARS,
} from "../../src/contracts/runs/task.ts";
import type { NodeType } from "../../src/nodes/define-roles.ts";
import type { NodeInputs } from "../../src/nodes/define-ports.ts";
import type { CountedFile, TaskCall } from "../../src/nodes/define-tools.ts";
import { categoryOf } from "../../src/lib/node-category.ts";
import { CountedFiles } from "./counted-files.ts";

const NOTHING: ReadonlyMap<string, never> = new Map<string, never>();

const NO_PICTURES: PictureColorCounts = {
  by_profile: 0,
  without_profile: 0,
  profile_not_applied: 0,
};

interface Amount {
  readonly milliCredits: number;
  readonly quantity: number | null;
}

/** The state of one attempt's call, and the reports of its node. */
export class CurrentCall implements TaskCall {
  readonly key: string;
  readonly attempt: number;
  readonly lease: number;
  readonly token: string | null;
  #kept: string | undefined;
  #charge: Amount | null = null;
  #waiting: Extract<TaskOutcome, { kind: "waiting" }> | null = null;
  readonly #models: ModelCalls[] = [];
  readonly #files = new CountedFiles();
  #colors: PictureColorCounts | undefined;

  readonly emitText: (piece: string) => void;

  /** `emitText` publishes a piece of text to the run's event streams. */
  constructor(
    { key, attempt, token, fence, given_back: givenBack = 0 }: LeasedTask,
    emitText: (piece: string) => void,
  ) {
    this.emitText = emitText;
    this.key = key;
    this.attempt = attempt;
    this.lease = fence - givenBack;
    this.token = token ?? null;
  }

  /** The wait that the node requested; null if it does not wait. */
  get waiting(): Extract<TaskOutcome, { kind: "waiting" }> | null {
    return this.#waiting;
  }

  charge({ milliCredits, quantity }: Amount): void {
    if (!Number.isSafeInteger(milliCredits) || milliCredits < 0) {
      throw new RangeError(
        `A charge must be a whole number that is not negative, not ${milliCredits}.`,
      );
    }
    if (quantity !== null && !(Number.isFinite(quantity) && quantity >= 0)) {
      throw new RangeError(`A quantity must be finite and not negative, not ${quantity}.`);
    }
    this.#charge = { milliCredits, quantity };
  }

  keep(token: string): void {
    checkToken(token);
    this.#kept = token;
  }

  /** The failure with the token that the next attempt needs. */
  withToken(outcome: TaskOutcome): TaskOutcome {
    return outcome.kind === "failed" && outcome.retryable && this.#kept !== undefined
      ? { ...outcome, token: this.#kept }
      : outcome;
  }

  wait(token: string, resumeAfterMs: number, isQueued = false): ReadonlyMap<string, never> {
    checkToken(token);
    this.#waiting = {
      kind: "waiting",
      token,
      resume_after_ms: resumeAfterMs,
      ...(isQueued && { is_queued: true }),
    };
    return NOTHING;
  }

  countCalls(made: ModelCalls): void {
    const at = this.#models.findIndex(
      ({ provider, model }) => provider === made.provider && model === made.model,
    );
    const before = this.#models[at];
    if (before === undefined) {
      this.#models.push(made);
    } else {
      this.#models[at] = {
        ...before,
        calls: before.calls + made.calls,
        unconfirmed_repeats: before.unconfirmed_repeats + made.unconfirmed_repeats,
      };
    }
  }

  countFile(file: CountedFile): void {
    this.#files.add(file);
  }

  countCaptions(count: number): void {
    this.#files.captions = (this.#files.captions ?? 0) + count;
  }

  /** Whether the node has read something at an address. */
  hasFetched = false;

  readonly noteFetched = (): void => {
    this.hasFetched = true;
  };

  readonly countColors = (conversion: keyof PictureColorCounts): void => {
    const before = this.#colors ?? NO_PICTURES;
    this.#colors = { ...before, [conversion]: before[conversion] + 1 };
  };

  /** The report's part about pictures in other colors than sRGB. */
  get pictureColors(): Pick<TaskReport, "picture_colors"> {
    return this.#colors === undefined ? {} : { picture_colors: this.#colors };
  }

  /** The report's part about files, which nodes of video have. */
  mediaOf({ type }: Pick<NodeType, "type">): Pick<TaskReport, "media"> {
    return categoryOf(type) === "video" ? { media: this.#files.work } : {};
  }

  /** The report's part about models. */
  get models(): Pick<TaskReport, "models"> {
    return this.#models.length === 0 ? {} : { models: this.#models };
  }

  /** The report's charge: the node's own charge, or, for a successful task, the charge computed from its inputs. */
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

function checkToken({ length }: string): void {
  if (length > WAIT_TOKEN_MAX_CHARS) {
    throw new RangeError(
      `A token must have at most ${WAIT_TOKEN_MAX_CHARS} characters, not ${length}.`,
    );
  }
}
