import { FACTS_AGE_MAX_MS } from "../../src/domain/access/kept-facts.ts";
import { CACHE_LIMITS } from "../../src/domain/cache-limits.ts";
import { WeightedCache } from "../../src/lib/memory/weighted-cache.ts";
import { RefreshingCache } from "../../src/lib/memory/refreshing-cache.ts";
import { SeededRandom } from "../../test/simulation/seeded-random.ts";

export interface SharedLoad {
  /** Submits a second of all tenants; each isolate receives a random share. */
  readonly runsPerSecond: number;
  readonly isolates: number;
  /** Weights of the tenants, the largest first. Each has one workspace, one key and one workflow; all have one plan. */
  readonly shares: Float64Array;
  /** Characters of a definition. */
  readonly definitionChars: number;
  /** Warm-up time of every isolate, and the time that is counted after it. */
  readonly warmUpSeconds: number;
  readonly seconds: number;
  readonly seed: number;
}

/** Reads a second of all isolates together. */
export interface SharedReads {
  /** Of the access objects of organizations: a key and the codes of its plans. */
  readonly keys: number;
  /** Of the access object of the plan. */
  readonly plans: number;
  /** Of copies in R2. */
  readonly definitions: number;
  /** What access objects read again from D1, at most: as if every submit asked them. */
  readonly facts: number;
  /** The part of it that is the plan. */
  readonly planFacts: number;
}

/**
 * Simulates reads for submits that an isolate's caches do not answer: one isolate with the service's own caches,
 * submit by submit, times the number of isolates. Deterministic for a seed.
 */
export async function simulateSharedReads(load: SharedLoad): Promise<SharedReads> {
  const { runsPerSecond, isolates, shares, warmUpSeconds, seconds } = load;
  const random = new SeededRandom(load.seed);
  const sums = cumulated(shares);
  const keys = new RefreshingCache<true>(CACHE_LIMITS.keys);
  const plans = new RefreshingCache<true>(CACHE_LIMITS.plans);
  const definitions = new WeightedCache<true>(CACHE_LIMITS.definitions.charsMax);
  const weight = load.definitionChars + CACHE_LIMITS.definitions.each;
  const asked = { keys: 0, plans: 0, definitions: 0 };
  let atMs = 0;
  const from = (of: "keys" | "plans") => ({
    nowMs: () => atMs,
    waitUntil: () => {},
    async read() {
      asked[of] += atMs >= warmUpSeconds * 1000 ? 1 : 0;
      return true as const;
    },
  });
  const [keySource, planSource] = [from("keys"), from("plans")];
  const everyMs = (1000 * isolates) / runsPerSecond;
  for (;;) {
    atMs += -everyMs * Math.log(1 - random.next());
    if (atMs >= (warmUpSeconds + seconds) * 1000) {
      break;
    }
    const tenant = String(tenantAt(sums, random.next()));
    await keys.get(tenant, keySource);
    await plans.get("plan", planSource);
    if (definitions.get(tenant) === undefined) {
      definitions.set(tenant, true, weight);
      asked.definitions += atMs >= warmUpSeconds * 1000 ? 1 : 0;
    }
  }
  const all = (count: number) => (count * isolates) / seconds;
  return {
    keys: all(asked.keys),
    plans: all(asked.plans),
    definitions: all(asked.definitions),
    facts: factsOf(load),
    planFacts: 1 / FACTS_AGE_SECONDS,
  };
}

const FACTS_AGE_SECONDS = FACTS_AGE_MAX_MS / 1000;

/**
 * A key and the codes of its plans are read again, by one statement, by the first who asks after their greatest age; a plan
 * too.
 */
function factsOf({ shares, runsPerSecond }: SharedLoad): number {
  const perTenant = shares.reduce(
    (sum, share) => sum + 1 / (FACTS_AGE_SECONDS + 1 / (share * runsPerSecond)),
    0,
  );
  return perTenant + 1 / FACTS_AGE_SECONDS;
}

function cumulated(shares: Float64Array): Float64Array {
  let sum = 0;
  return shares.map((share) => (sum += share));
}

/** The tenant whose share of the total contains a number from 0 to 1. */
function tenantAt(sums: Float64Array, at: number): number {
  let [low, high] = [0, sums.length - 1];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (sums[middle]! > at) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return low;
}
