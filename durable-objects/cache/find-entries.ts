/** Look-ups of a whole page of keys, as the runner makes them for runs. */
import type {
  CacheAnswer,
  CacheLookUp,
  FoundEntry,
  KeptEntry,
} from "../../src/contracts/runs/result-cache.ts";
import { describeCause } from "../../src/lib/errors/describe-cause.ts";
import { withDeadline } from "../../src/lib/with-deadline.ts";
import type { RunnerEnv } from "../../src/platform/env.ts";
import type { Logger } from "../../src/platform/logger.ts";
import { CACHE_DIGITS, cacheObject } from "../../src/storage/objects/cache-objects.ts";
import { ANSWER_MAX_MS, WholeEntries } from "./whole-entries.ts";

interface FindParts {
  readonly env: Pick<RunnerEnv, "CACHE" | "FILES">;
  readonly log: Logger;
  readonly waitUntil: (promise: Promise<unknown>) => void;
}

/**
 * [E47] Returns an answer for each key, in order: an entry is whole (E42), and a damaged one is deleted. An object that cannot be
 * reached has no entries, and an entry whose files the store does not answer for is only not taken. Never rejects.
 */
export async function findEntries(
  { env, log, waitUntil }: FindParts,
  { workspace_id, execution, wanted, most }: CacheLookUp,
): Promise<readonly CacheAnswer[]> {
  const answers = wanted.map((): CacheAnswer => null);
  const whole = new WholeEntries(env.FILES, workspace_id);
  const unreachable = (error: unknown) => {
    log.error("cache.unreachable", { run_id: execution, cause: describeCause(error) });
  };
  const each = most && {
    bytes: Math.floor(most.bytes / CACHE_DIGITS.length),
    objects: Math.floor(most.objects / CACHE_DIGITS.length),
  };
  const ofDigit = async (digit: string, places: readonly number[]) => {
    const theirs = places.flatMap((at) => wanted[at] ?? []);
    const object = cacheObject(env, workspace_id, digit);
    const found = await withDeadline(
      object.lookUp({ v: 1, workspace_id, execution, wanted: theirs, ...(each && { most: each }) }),
      ANSWER_MAX_MS,
    );
    const damaged: KeptEntry[] = [];
    const take = (place: number, entry: KeptEntry, isWhole: boolean) => {
      answers[place] = isWhole ? foundOf(entry) : null;
      damaged.push(...(isWhole ? [] : [entry]));
    };
    const waits: Promise<void>[] = [];
    for (const [at, place] of places.entries()) {
      const entry = found[at];
      if (entry === undefined) {
        answers[place] = "later";
      } else if (entry !== null) {
        const isWhole = whole.isWhole(entry);
        if (typeof isWhole === "boolean") {
          take(place, entry, isWhole);
        } else {
          waits.push(isWhole.then((is) => take(place, entry, is)).catch(unreachable));
        }
      }
    }
    await Promise.all(waits);
    if (damaged.length > 0) {
      const entries = damaged.map(({ key, execution: of }) => ({ key, execution: of }));
      for (const entry of entries) {
        log.info("cache.entry_damaged", entry);
      }
      waitUntil(
        withDeadline(object.drop({ v: 1, workspace_id, entries }), ANSWER_MAX_MS).catch(
          unreachable,
        ),
      );
    }
  };
  const digits = Map.groupBy(wanted.keys(), (at) => wanted[at]?.key.slice(0, 1) ?? "");
  await Promise.all(
    [...digits].map(([digit, places]) => ofDigit(digit, places).catch(unreachable)),
  );
  return answers;
}

/** What a run takes of an entry: a page has thousands, and all that it says is copied to another Worker. */
function foundOf({ execution, outputs, digest, milli_credits }: KeptEntry): FoundEntry {
  return { execution, outputs, digest, milli_credits };
}
