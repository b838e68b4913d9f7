import type { ITEM } from "../../../../src/domain/batches/batch-facts.ts";
type State = keyof typeof ITEM | "offered";

/** What BatchLedger must do: all is worked out from the items and these facts whenever it is asked for. */
export class BatchReference {
  facts = { attempt: 0, used: 0, failed: 0, stop: null as string | null, hasCancel: false };
  #items: State[];
  readonly #most: Readonly<Record<"live" | "failed" | "milli", number>>;
  constructor(most: Record<"live" | "failed" | "milli", number>, invalid: readonly boolean[]) {
    this.#most = most;
    this.#items = invalid.map((is) => (is ? "invalid" : "pending"));
  }
  get isOpen(): boolean {
    return this.facts.stop === null && !this.facts.hasCancel;
  }
  get states(): State[] {
    const waiting = this.isOpen ? "pending" : "cancelled";
    return this.#items.map((state) => (state === "pending" ? waiting : state));
  }
  count(...states: State[]): number {
    return this.states.filter((state) => states.includes(state)).length;
  }
  get isOver(): boolean {
    return this.count("pending", "offered", "running") === 0;
  }
  begin(...again: State[]): void {
    this.#items = this.states.map((state) => (again.includes(state) ? "pending" : state));
    const { attempt, used } = this.facts;
    this.facts = { attempt: attempt + 1, used, failed: 0, stop: null, hasCancel: false };
  }
  offer(room: number, worst: readonly number[]): number[] {
    const next = this.facts.attempt > 0 && room > 0 ? this.states.indexOf("pending") : -1;
    const live = worst.filter((_, at) => /offered|running/.test(this.#items[at] ?? ""));
    if (next === -1 || live.length >= this.#most.live) {
      return [];
    }
    const left = this.#most.milli - this.facts.used - (worst[next] ?? 0);
    const fits = left >= live.reduce((sum, milli) => sum + milli, 0);
    this.facts.stop = left < 0 ? "BATCH_CREDIT_LIMIT" : this.facts.stop;
    this.#items[next] = fits ? "offered" : "pending";
    return fits ? [next, ...this.offer(room - 1, worst)] : [];
  }
  outcome(index: number, state: State, milli = 0): void {
    this.#items[index] = state;
    this.facts.used += milli;
    this.facts.failed += state === "failed" ? 1 : 0;
    const isOne = this.isOpen && this.facts.failed > this.#most.failed;
    this.facts.stop = isOne ? "BATCH_FAILURE_LIMIT" : this.facts.stop;
  }
}
