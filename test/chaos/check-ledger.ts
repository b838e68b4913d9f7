import assert from "node:assert/strict";
import type { RunningService } from "../support/node/start-service.ts";

type LedgerOwner = Pick<RunningService, "baseUrl" | "credentials">;

interface Entry {
  readonly kind: "grant" | "reserve" | "settle" | "release";
  readonly run?: string | null;
  readonly milli_credits: number;
  readonly balance_after: number;
}

/**
 * Checks that credits are conserved: for every run the reserved credits equal the settled and released ones, and each
 * balance follows from the previous one. `paid`, if given, is what all runs together were charged, in milli-credits.
 * Throws otherwise; returns the number of entries.
 */
export async function checkLedger(
  service: LedgerOwner,
  runs: number,
  paid?: number,
): Promise<number> {
  const entries = await readLedger(service);
  const byRun = new Map<string, Record<Entry["kind"], number>>();
  for (const { kind, run, milli_credits: amount } of entries) {
    if (run !== undefined && run !== null) {
      const sums = byRun.get(run) ?? { grant: 0, reserve: 0, settle: 0, release: 0 };
      sums[kind] += Math.abs(amount);
      byRun.set(run, sums);
    }
  }
  for (const [run, { reserve, settle, release }] of byRun) {
    assert.equal(settle + release, reserve, `${run} reserved what it settled and released`);
  }
  assert.ok(byRun.size > 0 && byRun.size <= runs, `${byRun.size} of ${runs} runs cost something`);
  const sum = (kind: Entry["kind"]) =>
    entries
      .filter((entry) => entry.kind === kind)
      .reduce((total, { milli_credits }) => total + Math.abs(milli_credits), 0);
  // Newest first: the current balance.
  assert.equal(
    entries[0]?.balance_after,
    sum("grant") - sum("reserve") + sum("release"),
    "the balance is what was granted less what was kept",
  );
  if (paid !== undefined) {
    assert.equal(sum("settle"), paid, "the runs were charged what they cost");
  }
  return entries.length;
}

async function readLedger({ baseUrl, credentials }: LedgerOwner): Promise<Entry[]> {
  const entries: Entry[] = [];
  for (let cursor = ""; ;) {
    const response = await fetch(
      `${baseUrl}/admin/v1/workspaces/${credentials.workspace_id}/ledger?limit=100${cursor}`,
      { headers: { authorization: `Bearer ${credentials.admin_token}` } },
    );
    assert.equal(response.status, 200);
    const page = (await response.json()) as { data: Entry[]; next_cursor: string | null };
    entries.push(...page.data);
    if (page.next_cursor === null) {
      return entries;
    }
    cursor = `&starting_after=${encodeURIComponent(page.next_cursor)}`;
  }
}
