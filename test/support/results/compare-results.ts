/** The stored digests of what nodes return, and how a change of one is reported. */

/** By `type@version`: the digest of each case by its name. */
export type NodeResults = Readonly<Record<string, Readonly<Record<string, string>>>>;

const UPDATE =
  "UPDATE_NODE_RESULTS=1 npx vitest run --project unit test/unit/nodes/node-results.test.ts";

/**
 * The faults between the stored results and those of now, each in a sentence. A version whose second number alone is
 * higher promises the same results, because its runs continue.
 */
export function resultFaults(kept: NodeResults, now: NodeResults): readonly string[] {
  const before = new Map(Object.entries(kept).map(([key, digests]) => [promiseOf(key), digests]));
  return Object.entries(now).flatMap(([key, digests]) => {
    const stored = before.get(promiseOf(key));
    if (stored === undefined) {
      return [];
    }
    const changed = Object.keys(digests).filter(
      (name) => stored[name] !== undefined && stored[name] !== digests[name],
    );
    return changed.length === 0
      ? []
      : [
          `${key} returns another result than before for: ${changed.join("; ")}. Raise the first number of its version, because runs that have begun would mix the two; or, for a bug fix that does not alter valid results or for the wording of a message, record it: ${UPDATE}`,
        ];
  });
}

/** Keys and cases that are in one of the two only. */
export function unrecorded(kept: NodeResults, now: NodeResults): readonly string[] {
  const stored = new Set(namesIn(kept));
  const made = new Set(namesIn(now));
  return [
    ...[...made]
      .filter((name) => !stored.has(name))
      .map((name) => `${name} is not recorded. Record it: ${UPDATE}`),
    ...[...stored]
      .filter((name) => !made.has(name))
      .map((name) => `${name} is recorded, and there is no such case. Record the rest: ${UPDATE}`),
  ];
}

function namesIn(results: NodeResults): readonly string[] {
  return Object.entries(results).flatMap(([key, digests]) =>
    Object.keys(digests).map((name) => `${key}: ${name}`),
  );
}

/** `type@1`, of `type@1.4`. */
function promiseOf(key: string): string {
  return key.slice(0, key.lastIndexOf("."));
}
