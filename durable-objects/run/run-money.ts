/**
 * The run's side of its credits (docs/contract/credits.md#charges): plans are reserved before their elements start,
 * charges are settled while the run continues, and unused reservations are released when it stops. Every call may be
 * lost or repeated: the ledger identifies it by run, kind and number, and `close` at the end of the run corrects any
 * loss.
 */
import type { ReserveOutcome } from "../../src/contracts/workspaces/admission.ts";
import type { OutlineNode } from "../../src/engine/plan/outline.ts";
import type { RunEvent } from "../../src/engine/step/events.ts";
import { chargedBy, payableElements, type RunState } from "../../src/engine/step/run-state.ts";
import { liabilityOf } from "../../src/engine/step/step.ts";

/** Minimum interval between settlements; small runs only call `close`. */
const SETTLE_EVERY_MS = 1_000;

/** The nodes of a run at its own prices: those of its outline, and of a plan that was priced by it. */
export interface Priced {
  readonly nodes: readonly Pick<OutlineNode, "index" | "id" | "costMilliCredits">[];
}

export interface MoneyParts {
  readonly outline: Priced;
  /** Iterations by node whose cost admission reserved. */
  readonly prepaid: ReadonlyMap<number, number>;
  readonly reservedAtAdmission: number;
  readonly maxAdmitted: number | undefined;
  readonly state: () => RunState;
  readonly apply: (event: RunEvent) => void;
  readonly getMetadata: (name: string) => string | number | undefined;
  readonly putMetadata: (name: string, value: number) => void;
  readonly transaction: (work: () => void) => void;
  readonly nowMs: () => number;
  readonly reserve: (seq: number, nodeId: string, milli: number) => Promise<ReserveOutcome>;
  readonly settle: (seq: number, cumulative: number) => Promise<void>;
  readonly release: (seq: number, milli: number) => Promise<void>;
}

/** Milli-credits charged so far: the state sums them as elements settle [E25]. */
export function chargedMilliCredits(
  { outline }: { readonly outline: Priced },
  state: RunState,
): number {
  return outline.nodes.reduce((sum, { index, costMilliCredits }) => {
    const node = state.nodes[index];
    return sum + (node === undefined ? 0 : chargedBy(node, costMilliCredits));
  }, 0);
}

export class RunMoney {
  readonly #parts: MoneyParts;
  #settled = 0;
  #settledAtMs: number;

  constructor(parts: MoneyParts) {
    this.#parts = parts;
    this.#settledAtMs = parts.nowMs();
  }

  /** Total reserved so far, in milli-credits, including released amounts. */
  get admitted(): number {
    return Number(this.#parts.getMetadata("admitted") ?? this.#parts.reservedAtAdmission);
  }

  /**
   * Reserves a node's plan, and opens the node or stops the run. Repeated after a crash: the ledger returns the first
   * result. Rejects if the ledger cannot be reached.
   */
  async reserve(index: number): Promise<void> {
    const { outline, prepaid, maxAdmitted, state } = this.#parts;
    const node = outline.nodes[index];
    const now = state().nodes[index];
    if (node === undefined || now?.phase !== "reserving") {
      return;
    }
    const milli = liabilityOf(node, payableElements(now), prepaid);
    const total = this.admitted + milli;
    if (maxAdmitted !== undefined && total > maxAdmitted) {
      this.#refuse(
        index,
        "ADMISSION_LIMIT_EXCEEDED",
        `"${node.id}" would bring the run's liability to ${total} milli-credits; max_admitted_milli_credits is ${maxAdmitted}.`,
      );
      return;
    }
    const outcome = await this.#parts.reserve(index, node.id, milli);
    if (state().nodes[index]?.phase !== "reserving") {
      return;
    }
    if (outcome.kind === "reserved") {
      // Both are written or neither, whichever write fails.
      this.#parts.transaction(() => {
        this.#parts.putMetadata("admitted", total);
        this.#parts.apply({ type: "plan-reserved", node: index });
      });
      return;
    }
    this.#refuse(
      index,
      "INSUFFICIENT_CREDITS",
      `"${node.id}" needs ${milli} milli-credits; the workspace has ${outcome.balance_milli_credits}.`,
    );
  }

  /** Nodes whose reservation a crash may have interrupted. */
  reserving(): number[] {
    return this.#parts
      .state()
      .nodes.flatMap((node, index) => (node.phase === "reserving" ? [index] : []));
  }

  /** Settles the charges so far, if they have grown and were not settled just before. */
  async settle(): Promise<void> {
    const nowMs = this.#parts.nowMs();
    const charged = chargedMilliCredits(this.#parts, this.#parts.state());
    const elapsedMs = nowMs - this.#settledAtMs;
    // A clock that stepped back must not delay settling by that time.
    if (charged <= this.#settled || (elapsedMs >= 0 && elapsedMs < SETTLE_EVERY_MS)) {
      return;
    }
    this.#settledAtMs = nowMs;
    await this.#parts.settle(charged, charged);
    this.#settled = charged;
  }

  /**
   * The run stops: releases reservations that were neither charged nor are in flight. `inFlight` is the worst-case cost
   * of the tasks that are still leased; they settle if they report.
   */
  async release(inFlight: number): Promise<void> {
    const { state, getMetadata, putMetadata } = this.#parts;
    const isCancelling = state().status === "cancelling";
    const name = isCancelling ? "released.cancel" : "released.stop";
    if (getMetadata(name) !== undefined) {
      return;
    }
    const before = Number(getMetadata("released.stop") ?? 0);
    const unused = this.admitted - before - chargedMilliCredits(this.#parts, state()) - inFlight;
    if (unused > 0) {
      await this.#parts.release(isCancelling ? 2 : 1, unused);
    }
    putMetadata(name, Math.max(0, unused));
  }

  #refuse(
    node: number,
    code: "ADMISSION_LIMIT_EXCEEDED" | "INSUFFICIENT_CREDITS",
    message: string,
  ): void {
    this.#parts.apply({ type: "plan-refused", node, code, message });
  }
}
