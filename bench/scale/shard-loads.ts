import { FACTS_AGE_MAX_MS } from "../../src/domain/access/kept-facts.ts";
import { TOKEN_LIFETIME_SECONDS } from "../../src/domain/auth/token-lifetime.ts";

/** Statements a second, of all tenants together, that one database is asked in a deployment without further shards. */
export interface AskedOfD1 {
  /** What access objects read again. */
  readonly facts: number;
  /** The part of it that is billing plans, which the directory has. */
  readonly plans: number;
  readonly signIns: number;
}

/**
 * Statements a second of each shard, shard 0 first. Organizations come to the shard with the fewest, the lowest number first;
 * `rates` are the runs a second of each tenant, in the order in which they came. Shard 0 also has the directory, which
 * neither a sign-in nor a read of facts asks in the steady state: both begin where the organization was last seen, and the
 * one statement that reads its rows also shows whether it has moved. Billing plans are read from the directory.
 */
export function shardLoads(
  asked: AskedOfD1,
  rates: ArrayLike<number>,
  shards: number,
): readonly number[] {
  if (shards === 1) {
    return [asked.facts + asked.signIns];
  }
  const facts = Array.from({ length: shards }, () => 0);
  const signIns = [...facts];
  for (let tenant = 0; tenant < rates.length; tenant += 1) {
    const shard = tenant % shards;
    const rate = rates[tenant] ?? 0;
    // Renewed by the tenant's next run after its life.
    facts[shard]! += 1 / (FACTS_AGE_MAX_MS / 1_000 + 1 / rate);
    signIns[shard]! += 1 / (TOKEN_LIFETIME_SECONDS + 1 / rate);
  }
  const shareOf = (parts: readonly number[], shard: number) =>
    parts[shard]! / parts.reduce((sum, part) => sum + part, 0);
  return facts.map(
    (_part, shard) =>
      (asked.facts - asked.plans) * shareOf(facts, shard) +
      asked.signIns * shareOf(signIns, shard) +
      (shard === 0 ? asked.plans : 0),
  );
}

/** Shuffles: tenants do not come in the order of their sizes. */
export function shuffled(
  values: Float64Array,
  random: { below(count: number): number },
): Float64Array {
  const mixed = values.slice();
  for (let index = mixed.length - 1; index > 0; index -= 1) {
    const other = random.below(index + 1);
    [mixed[index], mixed[other]] = [mixed[other]!, mixed[index]!];
  }
  return mixed;
}
