/** The expected behavior of the ledger in as few lines as possible: one balance, no months, no tables. */
export class ReferenceLedger {
  balance = 0;
  spent = 0;
  readonly holds = new Map<string, { held: number; settled: number }>();
  readonly #seen = new Map<string, boolean>();

  get held(): number {
    return [...this.holds.values()].reduce((sum, { held }) => sum + held, 0);
  }

  grant(key: string, milli: number): void {
    this.balance += this.#seen.has(key) ? 0 : milli;
    this.#seen.set(key, true);
  }

  reserve(run: string, seq: number, milli: number): boolean {
    const known = this.#seen.get(`${run} reserve ${String(seq)}`);
    const isDone = known ?? milli <= this.balance;
    this.#seen.set(`${run} reserve ${String(seq)}`, isDone);
    if (known === undefined && isDone && milli > 0) {
      const hold = this.holds.get(run) ?? { held: 0, settled: 0 };
      this.holds.set(run, { ...hold, held: hold.held + milli });
      this.balance -= milli;
    }
    return isDone;
  }

  /** Whether a plan of a live run is reserved. */
  wasReserved(run: string, seq: number): boolean {
    return this.#seen.get(`${run} reserve ${String(seq)}`) === true;
  }

  settle(run: string, cumulative: number): void {
    const hold = this.holds.get(run) ?? { held: 0, settled: 0 };
    const spent = Math.max(0, Math.min(cumulative - hold.settled, hold.held));
    hold.held -= spent;
    hold.settled += spent;
    this.spent += spent;
  }

  release(run: string, seq: number, milli: number): void {
    const hold = this.holds.get(run);
    if (hold !== undefined && !this.#seen.has(`${run} release ${String(seq)}`)) {
      this.#seen.set(`${run} release ${String(seq)}`, true);
      const back = Math.min(milli, hold.held);
      hold.held -= back;
      this.balance += back;
    }
  }

  close(run: string, cumulative: number): number {
    this.settle(run, cumulative);
    const { held, settled } = this.holds.get(run) ?? { held: 0, settled: 0 };
    this.balance += held;
    this.holds.delete(run);
    for (const operation of this.#seen.keys()) {
      if (operation.startsWith(`${run} `)) {
        this.#seen.delete(operation);
      }
    }
    return settled;
  }
}
