import type {
  Balance,
  GrantOutcome,
  LedgerEntry,
  LedgerPage,
  ReleaseRequest,
  ReserveOutcome,
  ReserveRequest,
} from "../../src/contracts/workspaces/admission.ts";

/** The month of a time, in UTC, in a sortable form. */
function monthOf(nowMs: number): string {
  return new Date(nowMs).toISOString().slice(0, 7);
}

/** Amounts are whole milli-credits: any other value is a fault of the caller that must not reach the ledger. */
function checkMilli(amount: number): number {
  if (!Number.isSafeInteger(amount) || amount < 0) {
    throw new RangeError(`${String(amount)} is not a whole, non-negative number of milli-credits`);
  }
  return amount;
}

/** Sums of whole milli-credits stay exact below 2^53; a month's grant is at most 10^15. */
const GRANTED_MAX_MILLI = 5_000_000_000_000_000;

interface Account extends Record<string, SqlStorageValue> {
  month: string;
  plan_monthly: number;
  /** The rest of this month's grant, and of the operator's grants: the two buckets of the balance. */
  monthly: number;
  granted: number;
  spent_this_month: number;
  /** Held by all runs together, and the part that came from the operator's grants. */
  held: number;
  held_granted: number;
}

interface Hold extends Record<string, SqlStorageValue> {
  month: string;
  /** Unspent and from a past month: may still be spent, expires when released. */
  lapsing: number;
  monthly: number;
  granted: number;
  settled: number;
}

/**
 * The workspace's credits (docs/contract/credits.md#reservation). Synchronous: each method is one step of the caller's
 * transaction. Held credits have left the balance already, so nothing here can overdraw it.
 */
export class LedgerStore {
  readonly #sql: SqlStorage;
  /** The month and the plan's figure that the account last had; cached because every submit needs it. */
  #renewed: { readonly month: string; readonly plan: number } | undefined;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  /** Renews the month's grant if due and records the plan's figure. A clock that steps back renews nothing. */
  renew(nowMs: number, monthlyGrant: number | null): void {
    const month = monthOf(nowMs);
    const known = this.#renewed;
    if (
      known !== undefined &&
      month <= known.month &&
      (monthlyGrant ?? known.plan) === known.plan
    ) {
      return;
    }
    const account = this.#account();
    if (account === undefined) {
      const monthly = checkMilli(monthlyGrant ?? 0);
      this.#sql.exec(
        "INSERT INTO account VALUES (1, ?, ?, ?, 0, 0, 0, 0)",
        month,
        monthly,
        monthly,
      );
      this.#enter("grant", null, null, monthly, nowMs);
      return;
    }
    const plan = checkMilli(monthlyGrant ?? account.plan_monthly);
    this.#renewed = { month: month > account.month ? month : account.month, plan };
    if (month > account.month) {
      this.#sql.exec(
        "UPDATE account SET month = ?, plan_monthly = ?, monthly = ?, spent_this_month = 0",
        month,
        plan,
        plan,
      );
      // The rest expires: the entry is the net change, so that entries add up to the balance.
      this.#enter("grant", null, null, plan - account.monthly, nowMs);
      return;
    }
    if (plan !== account.plan_monthly) {
      // A larger plan applies at once; a smaller one from the next renewal, so that granted credits stay.
      const more = Math.max(0, plan - account.plan_monthly);
      this.#sql.exec("UPDATE account SET plan_monthly = ?, monthly = monthly + ?", plan, more);
      this.#enter("grant", null, null, more, nowMs);
    }
  }

  /** A transaction was rolled back. */
  forget(): void {
    this.#renewed = undefined;
  }

  available(): number {
    const account = this.#account();
    return account === undefined ? 0 : account.monthly + account.granted;
  }

  /** Reserves the worst-case cost of a plan for a run. A repeat of run and sequence returns the first result. */
  reserve(request: Omit<ReserveRequest, "v">, nowMs: number): ReserveOutcome {
    const amount = checkMilli(request.milli_credits);
    const known = this.#operation(request.run_id, "reserve", request.seq);
    if (known !== undefined) {
      return known.is_done === 1
        ? { kind: "reserved" }
        : { kind: "insufficient_credits", balance_milli_credits: known.balance };
    }
    this.renew(nowMs, null);
    const outcome = this.#take(request.run_id, request.node_id, amount, nowMs);
    this.#remember(request.run_id, "reserve", request.seq, outcome);
    return outcome;
  }

  /** The part of admission that takes credits: once per run, because a run is admitted once. */
  reserveAtAdmission(runId: string, amount: number, nowMs: number): ReserveOutcome {
    return this.#take(runId, null, checkMilli(amount), nowMs);
  }

  /** Spends held credits, up to `cumulative` in total. Late, repeated or excessive figures change nothing more. */
  settle(runId: string, cumulative: number, nowMs: number): void {
    const hold = this.#hold(runId);
    if (hold === undefined) {
      return;
    }
    const held = hold.lapsing + hold.monthly + hold.granted;
    const spent = Math.min(checkMilli(cumulative) - hold.settled, held);
    if (spent <= 0) {
      return;
    }
    // Credits that expire soonest are spent first.
    const lapsing = Math.min(spent, hold.lapsing);
    const monthly = Math.min(spent - lapsing, hold.monthly);
    const granted = spent - lapsing - monthly;
    this.#sql.exec(
      `UPDATE holds SET lapsing = lapsing - ?, monthly = monthly - ?, granted = granted - ?,
       settled = settled + ? WHERE run_id = ?`,
      lapsing,
      monthly,
      granted,
      spent,
      runId,
    );
    this.#sql.exec(
      `UPDATE account SET spent_this_month = spent_this_month + ?1, held = held - ?1,
         held_granted = held_granted - ?2`,
      spent,
      granted,
    );
    this.#enter("settle", runId, null, spent, nowMs);
  }

  /** Releases part of the credits that a run holds, at most all of them. */
  release(request: Omit<ReleaseRequest, "v">, nowMs: number): void {
    const amount = checkMilli(request.milli_credits);
    // Nothing is stored for a run without a hold, for example a closed one, because nothing would delete it.
    if (
      this.#hold(request.run_id) === undefined ||
      this.#operation(request.run_id, "release", request.seq) !== undefined
    ) {
      return;
    }
    this.#giveBack(request.run_id, amount, nowMs);
    this.#remember(request.run_id, "release", request.seq, { kind: "reserved" });
  }

  /** The end of a run: settles, releases the rest, deletes its operations. Returns the total cost. */
  close(runId: string, cumulative: number, nowMs: number): number {
    const { held, known } = this.#sql
      .exec<{ held: number; known: number }>(
        `SELECT EXISTS (SELECT 1 FROM holds WHERE run_id = ?1) AS held,
           EXISTS (SELECT 1 FROM operations WHERE run_id = ?1) AS known`,
        runId,
      )
      .one();
    // A run whose reservations were all refused holds nothing but has stored operations.
    if (known === 1) {
      this.#sql.exec("DELETE FROM operations WHERE run_id = ?", runId);
    }
    if (held === 0) {
      return 0;
    }
    this.settle(runId, cumulative, nowMs);
    this.#giveBack(runId, Number.MAX_SAFE_INTEGER, nowMs);
    const settled = this.#hold(runId)?.settled ?? 0;
    this.#sql.exec("DELETE FROM holds WHERE run_id = ?", runId);
    return settled;
  }

  /** Adds an operator's grant once for each key; a key with another amount is a conflict. */
  grant(idempotencyKey: string, milliCredits: number, nowMs: number): GrantOutcome["kind"] {
    const amount = checkMilli(milliCredits);
    this.renew(nowMs, null);
    const known = this.#sql
      .exec<{ milli: number }>(
        "SELECT milli FROM credit_grants WHERE idempotency_key = ?",
        idempotencyKey,
      )
      .toArray()[0];
    if (known !== undefined) {
      return known.milli === amount ? "repeated" : "conflict";
    }
    // Held credits return to the balance, so they count.
    const account = this.#account();
    if ((account?.granted ?? 0) + (account?.held_granted ?? 0) + amount > GRANTED_MAX_MILLI) {
      return "too_much";
    }
    this.#sql.exec("INSERT INTO credit_grants VALUES (?, ?)", idempotencyKey, amount);
    this.#sql.exec("UPDATE account SET granted = granted + ?", amount);
    this.#enter("grant", null, null, amount, nowMs);
    return "granted";
  }

  balance(nowMs: number, monthlyGrant: number | null): Balance {
    this.renew(nowMs, monthlyGrant);
    const account = this.#account();
    return {
      balance_milli_credits: this.available(),
      monthly_milli_credits: account?.monthly ?? 0,
      granted_milli_credits: account?.granted ?? 0,
      reserved_milli_credits: account?.held ?? 0,
      spent_this_month_milli_credits: account?.spent_this_month ?? 0,
    };
  }

  /** A page of entries, newest first; undefined if the cursor is not an entry's id. */
  entries(limit: number, startingAfter: string | null): LedgerPage | undefined {
    let below = Number.MAX_SAFE_INTEGER;
    if (startingAfter !== null) {
      below = /^\d{1,15}$/.test(startingAfter) ? Number(startingAfter) : -1;
      const known = this.#sql.exec("SELECT 1 FROM ledger WHERE seq = ?", below).toArray();
      if (known.length === 0) {
        return undefined;
      }
    }
    const rows = this.#sql
      .exec<{
        seq: number;
        kind: LedgerEntry["kind"];
        run_id: string | null;
        node_id: string | null;
        milli: number;
        balance_after: number;
        created_at_ms: number;
      }>("SELECT * FROM ledger WHERE seq < ? ORDER BY seq DESC LIMIT ?", below, limit + 1)
      .toArray();
    // Entries are numbered without gaps and never deleted.
    const total = this.#sql.exec<{ n: number | null }>("SELECT max(seq) AS n FROM ledger").one().n;
    return {
      entries: rows.slice(0, limit).map((row) => ({
        id: String(row.seq),
        kind: row.kind,
        run: row.run_id,
        node_id: row.node_id,
        milli_credits: row.milli,
        balance_after: row.balance_after,
        created_at_ms: row.created_at_ms,
      })),
      has_more: rows.length > limit,
      total_count: total ?? 0,
    };
  }

  #take(runId: string, nodeId: string | null, amount: number, nowMs: number): ReserveOutcome {
    const account = this.#account();
    const balance = account === undefined ? 0 : account.monthly + account.granted;
    if (amount > balance) {
      return { kind: "insufficient_credits", balance_milli_credits: balance };
    }
    if (account === undefined || amount === 0) {
      return { kind: "reserved" };
    }
    const monthly = Math.min(amount, account.monthly);
    const granted = amount - monthly;
    this.#sql.exec(
      `UPDATE account SET monthly = monthly - ?1, granted = granted - ?2, held = held + ?1 + ?2,
         held_granted = held_granted + ?2`,
      monthly,
      granted,
    );
    // A hold from a past month becomes one that expires when released.
    this.#sql.exec(
      `INSERT INTO holds VALUES (?1, ?2, 0, ?3, ?4, 0) ON CONFLICT (run_id) DO UPDATE SET
         lapsing = lapsing + iif(month < ?2, monthly, 0),
         monthly = iif(month < ?2, 0, monthly) + ?3,
         granted = granted + ?4, month = ?2`,
      runId,
      account.month,
      monthly,
      granted,
    );
    this.#enter("reserve", runId, nodeId, amount, nowMs);
    return { kind: "reserved" };
  }

  #giveBack(runId: string, atMost: number, nowMs: number): void {
    this.renew(nowMs, null);
    const hold = this.#hold(runId);
    const account = this.#account();
    if (hold === undefined || account === undefined) {
      return;
    }
    const granted = Math.min(atMost, hold.granted);
    const monthly = Math.min(atMost - granted, hold.monthly);
    const lapsing = Math.min(atMost - granted - monthly, hold.lapsing);
    if (granted + monthly + lapsing === 0) {
      return;
    }
    this.#sql.exec(
      `UPDATE holds SET lapsing = lapsing - ?, monthly = monthly - ?, granted = granted - ?
       WHERE run_id = ?`,
      lapsing,
      monthly,
      granted,
      runId,
    );
    this.#sql.exec(
      `UPDATE account SET monthly = monthly + ?1, granted = granted + ?2, held = held - ?1 - ?2,
         held_granted = held_granted - ?2`,
      monthly + lapsing,
      granted,
    );
    this.#enter("release", runId, null, granted + monthly + lapsing, nowMs);
    const lapsed = lapsing + (hold.month === account.month ? 0 : monthly);
    if (lapsed > 0) {
      // Released credits of a past month expire at once.
      this.#sql.exec("UPDATE account SET monthly = monthly - ?", lapsed);
      this.#enter("grant", null, null, -lapsed, nowMs);
    }
  }

  #enter(
    kind: LedgerEntry["kind"],
    runId: string | null,
    nodeId: string | null,
    milli: number,
    nowMs: number,
  ): void {
    if (milli !== 0) {
      this.#sql.exec(
        `INSERT INTO ledger (kind, run_id, node_id, milli, balance_after, created_at_ms)
         SELECT ?, ?, ?, ?, monthly + granted, ? FROM account`,
        kind,
        runId,
        nodeId,
        milli,
        nowMs,
      );
    }
  }

  #account(): Account | undefined {
    return this.#sql.exec<Account>("SELECT * FROM account").toArray()[0];
  }

  #hold(runId: string): Hold | undefined {
    return this.#sql.exec<Hold>("SELECT * FROM holds WHERE run_id = ?", runId).toArray()[0];
  }

  #operation(
    runId: string,
    kind: string,
    seq: number,
  ): { is_done: number; balance: number } | undefined {
    return this.#sql
      .exec<{ is_done: number; balance: number }>(
        "SELECT is_done, balance FROM operations WHERE run_id = ? AND kind = ? AND seq = ?",
        runId,
        kind,
        seq,
      )
      .toArray()[0];
  }

  #remember(runId: string, kind: string, seq: number, outcome: ReserveOutcome): void {
    this.#sql.exec(
      "INSERT INTO operations VALUES (?, ?, ?, ?, ?)",
      runId,
      kind,
      seq,
      outcome.kind === "reserved" ? 1 : 0,
      outcome.kind === "reserved" ? 0 : outcome.balance_milli_credits,
    );
  }
}
