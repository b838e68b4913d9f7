import { chargedMilliCredits, RunMoney } from "../../durable-objects/run/run-money.ts";
import type { RunDriver } from "../../src/engine/drive/run-driver.ts";
import type { Plan } from "../../src/engine/plan/plan.ts";
import type { RunEffect } from "../../src/engine/step/events.ts";
import { ReferenceLedger } from "../support/reference-ledger.ts";
import type { SeededRandom } from "./seeded-random.ts";

/** A call to the ledger without a response: it may have succeeded. */
export class LostCall extends Error {}

export interface MoneyWorld {
  /** The workspace's credits before the run; without it, more than any run costs. */
  readonly balance?: number;
  readonly maxAdmitted?: number;
  /** By node, iterations that admission reserved. */
  readonly prepaid?: ReadonlyMap<number, number>;
}

const PLENTY = 1_000_000_000;
const RUN = "run";

/**
 * The credits of a simulated run: the run's own RunMoney, over a ledger whose calls are lost before or after their
 * effect, and repeated. Metadata is lost in a crash unless it was committed.
 */
export class SimulatedMoney {
  readonly ledger = new ReferenceLedger();
  readonly prepaid: ReadonlyMap<number, number>;
  readonly #plan: Plan;
  readonly #world: MoneyWorld;
  readonly #random: SeededRandom | undefined;
  readonly #metadata = new Map<string, number>();
  readonly #staged = new Map<string, number>();
  readonly #granted: number;
  readonly #atAdmission: number;
  #nowMs = 0;
  #money: RunMoney | undefined;
  #driver: RunDriver | undefined;
  readonly #effects: RunEffect[] = [];

  constructor(plan: Plan, world: MoneyWorld, random: SeededRandom | undefined) {
    this.#plan = plan;
    this.#world = world;
    this.#random = random;
    this.prepaid = world.prepaid ?? new Map();
    this.#atAdmission = plan.nodes.reduce(
      (sum, node) => sum + (this.prepaid.get(node.index) ?? 0) * node.costMilliCredits,
      0,
    );
    this.#granted = (world.balance ?? PLENTY) + this.#atAdmission;
    this.ledger.grant("start", this.#granted);
    if (!this.ledger.reserve(RUN, -1, this.#atAdmission)) {
      throw new Error("a run that its workspace cannot pay for was admitted");
    }
  }

  /** The run wakes: uncommitted data is gone. */
  wake(driver: RunDriver): void {
    this.#staged.clear();
    this.#effects.length = 0;
    this.#driver = driver;
    this.#money = new RunMoney({
      outline: this.#plan,
      prepaid: this.prepaid,
      reservedAtAdmission: this.#atAdmission,
      maxAdmitted: this.#world.maxAdmitted,
      state: () => driver.state,
      apply: (event) => {
        this.#effects.push(...driver.apply(event).effects);
      },
      getMetadata: (name) => this.#staged.get(name) ?? this.#metadata.get(name),
      putMetadata: (name, value) => {
        this.#staged.set(name, value);
      },
      transaction: (work) => {
        work();
      },
      nowMs: () => (this.#nowMs += 400),
      reserve: (seq, _nodeId, milli) =>
        this.#call(() =>
          this.ledger.reserve(RUN, seq, milli)
            ? { kind: "reserved" }
            : { kind: "insufficient_credits", balance_milli_credits: this.ledger.balance },
        ),
      settle: (_seq, cumulative) =>
        this.#call(() => {
          this.ledger.settle(RUN, cumulative);
        }),
      release: (seq, milli) =>
        this.#call(() => {
          this.ledger.release(RUN, seq, milli);
        }),
    });
  }

  /** Data written since the last call is now durable. */
  commit(): void {
    for (const [name, value] of this.#staged) {
      this.#metadata.set(name, value);
    }
    this.#staged.clear();
  }

  get #awake(): { money: RunMoney; driver: RunDriver } {
    if (this.#money === undefined || this.#driver === undefined) {
      throw new Error("the run sleeps");
    }
    return { money: this.#money, driver: this.#driver };
  }

  /** Reserves a plan; returns the event that the response triggers. */
  async reserve(node: number): Promise<readonly RunEffect[]> {
    await this.#awake.money.reserve(node);
    return this.#effects.splice(0);
  }

  get reserving(): readonly number[] {
    return this.#awake.money.reserving();
  }

  /** Part of an advance: settles, and releases reservations if the run stops. A lost call is lost. */
  async tell(isStopping: boolean, leased: readonly { readonly node: number }[]): Promise<void> {
    const { money } = this.#awake;
    const inFlight = leased.reduce(
      (sum, { node }) => sum + (this.#plan.nodes[node]?.costMilliCredits ?? 0),
      0,
    );
    for (const call of [
      () => money.settle(),
      ...(isStopping ? [() => money.release(inFlight)] : []),
    ]) {
      try {
        await call();
      } catch (error) {
        if (!(error instanceof LostCall)) {
          throw error;
        }
      }
    }
  }

  /** Whether the elements of a node may exist: free, paid at admission, or reserved during the run. */
  isPaid(index: number, elements: number): boolean {
    const cost = this.#plan.nodes[index]?.costMilliCredits ?? 0;
    return (
      cost === 0 ||
      (this.prepaid.get(index) ?? 0) >= elements ||
      this.ledger.wasReserved(RUN, index)
    );
  }

  /** The ledger must neither lose nor create milli-credits, whatever was lost or repeated. */
  check(): void {
    const { balance, held, spent } = this.ledger;
    if (Math.min(balance, held, spent) < 0 || balance + held + spent !== this.#granted) {
      throw new Error(`not conserved: ${JSON.stringify({ balance, held, spent })}`);
    }
  }

  /** The run has ended: closes, with retries, and twice. Returns its charge. */
  async close(): Promise<number> {
    const charged = chargedMilliCredits({ outline: this.#plan }, this.#awake.driver.state);
    let settled: number | undefined;
    const close = () => {
      settled ??= this.ledger.close(RUN, charged);
      this.ledger.close(RUN, charged);
    };
    for (let isTold = false; !isTold;) {
      isTold = await this.#call(close).then(
        () => true,
        () => false,
      );
    }
    this.check();
    if (settled !== charged || this.ledger.held !== 0) {
      throw new Error(
        `charged ${charged}, settled ${String(settled)}, still held ${this.ledger.held}`,
      );
    }
    return charged;
  }

  async #call<T>(make: () => T): Promise<T> {
    const chance = (probability: number) => this.#random?.chance(probability) ?? false;
    await Promise.resolve();
    if (chance(0.1)) {
      throw new LostCall();
    }
    const response = make();
    if (chance(0.2)) {
      make();
    }
    this.check();
    if (chance(0.1)) {
      throw new LostCall();
    }
    return response;
  }
}
