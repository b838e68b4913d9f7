import { FACTS_AGE_MAX_MS } from "../../src/domain/access/kept-facts.ts";
import { TOKEN_LIFETIME_SECONDS } from "../../src/domain/auth/token-lifetime.ts";

/** Statements a second, of all tenants together, that one database is asked in a deployment without further shards. */
export interface AskedOfD1 {
  /** What access objects read again. */
  readonly facts: number;
  readonly signIns: number;
}

/** A fact's read, and in the same request whether the shard is still the organization's home. */
const STATEMENTS_OF_A_READ = 2;

/**
 * Statements a second of each shard, shard 0 first. Organizations come to the shard with the fewest, the lowest number first;
 * `rates` are the runs a second of each tenant, in the order in which they came. With several shards, shard 0 also has the
 * directory: each sign-in asks it once, and each read of a fact at most once, because its object asks for the home again
 * after 30 s and reads a fact each ten minutes.
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
      STATEMENTS_OF_A_READ * asked.facts * shareOf(facts, shard) +
      asked.signIns * shareOf(signIns, shard) +
      (shard === 0 ? asked.facts + asked.signIns : 0),
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
