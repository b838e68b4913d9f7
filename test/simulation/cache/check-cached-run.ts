/** What a run with a result cache may take and must work out (docs/contract/cache.md), judged by what each element received. */
import { CACHE_MODES, type CacheOptions } from "../../../src/contracts/runs/cache-options.ts";
import { restoreLayout } from "../../../src/engine/drive/restore-layout.ts";
import type { PlanNode } from "../../../src/engine/plan/plan.ts";
import { unreadPorts } from "../../../src/engine/plan/unread-ports.ts";
import { cacheKey, definitionDigest } from "../../../src/engine/reuse/cache-key.ts";
import { elementScope } from "../../../src/engine/reuse/forced-elements.ts";
import { joinOutputs } from "../../../src/engine/values/cell-outputs.ts";
import { findFakeNode } from "../fake-task-node.ts";
import { outcomeOf } from "../object/check-ended-run.ts";
import type { EndedRun } from "../object/simulate-object-seed.ts";
import { plainOutcome } from "../plain-outcome.ts";
import { fingerprint, type ReferenceElements, referenceKey } from "../reference-reuse.ts";
import type { Interpretation } from "../reference-result.ts";
import { settledCost } from "../simulate-money-seed.ts";
import { chargesOf, withoutCharges } from "../simulate-retry-seed.ts";
import type { KeptResult, SimulatedCache } from "./simulated-cache.ts";

const ALL = 1_000_000;

/** What results of a workspace's runs depend on, by the keys of their entries. */
export type KnownKeys = Map<string, string>;

export interface CachedRun {
  readonly workspace: string;
  readonly run: string;
  readonly options: CacheOptions | null;
  readonly cache: SimulatedCache;
  /** Of all runs of the workspace; this run's own results are added. */
  readonly known: KnownKeys;
  /** When the run began. */
  readonly before: readonly KeptResult[];
  readonly elements: ReferenceElements;
  readonly result: Interpretation;
}

/** Counts of elements. */
export interface Taken {
  worked: number;
  fromOthers: number;
  fromOwn: number;
}

/** A settled element of a node that uses the cache. */
interface Element {
  readonly key: string;
  /** What its result depends on. */
  readonly of: string;
  readonly unread: readonly string[];
  readonly body: string;
  readonly writes: boolean;
  /** Of its entry. */
  readonly entry: string;
}

/** The first problem of an ended run; its elements are counted in `taken`. */
export async function checkCachedRun(
  run: CachedRun,
  { plan, store, settled, isStopped, isQuiet }: EndedRun,
  taken: Taken,
): Promise<string | undefined> {
  const { elements, result } = run;
  // Also what this run has not kept.
  const results = run.before.flatMap(({ key, execution, unread }) => {
    const of = run.known.get(key);
    return of === undefined ? [] : [{ of, execution, unread }];
  });
  const outcome = outcomeOf(plan, store);
  const layout = restoreLayout(plan, store.state(), store);
  const charges = chargesOf(result);
  const reused = new Map<string, { readonly element: Element; readonly execution: string }>();
  const worked: Element[] = [];
  for (const node of plan.nodes.filter(({ type }) => findFakeNode(type.type) !== undefined)) {
    const mode = modeOf(node, run.options);
    const bodies = new Map(
      store.cellsBetween(node.index, 0, ALL).map((cell) => [cell.element, cell.body]),
    );
    for (const row of store.settledBetween(node.index, 0, ALL)) {
      const key = referenceKey(node.id, layout.indices(elementScope(node), row.element));
      const reference = elements.get(key);
      if (row.status !== "ok" || reference === undefined) {
        if (row.reused !== undefined) {
          return `${key} is ${row.status} and taken from the cache`;
        }
        continue;
      }
      const element = {
        key,
        of: fingerprint(reference),
        unread: unreadPorts(plan, node).filter((port) =>
          // A node like it may read the port.
          plan.nodes.every(
            (other) =>
              definitionDigest(other) !== definitionDigest(node) ||
              modeOf(other, run.options) === "off" ||
              unreadPorts(plan, other).includes(port),
          ),
        ),
        body: bodies.get(row.element) ?? "",
        writes: mode === "read_write",
        entry: cacheKey(run.workspace, definitionDigest(node), row.digests?.inputs ?? ""),
      };
      if (row.reused === undefined) {
        worked.push(...(mode === "off" ? [] : [element]));
        continue;
      }
      const { execution, milliCredits, isCached } = row.reused;
      if (mode === "off" || isCached !== true) {
        return `${key} is taken from the cache in mode ${mode}`;
      }
      if ((row.charge?.milliCredits ?? 0) !== 0 || milliCredits !== (charges.get(key) ?? 0)) {
        return `${key} is charged ${row.charge?.milliCredits}, and marked with ${milliCredits}`;
      }
      reused.set(key, { element, execution });
    }
  }
  taken.worked += worked.length;
  for (const { element, execution } of reused.values()) {
    const isOwn = execution === run.run;
    taken[isOwn ? "fromOwn" : "fromOthers"] += 1;
    const isMade = isOwn
      ? worked.some(({ of }) => of === element.of)
      : results.some((kept) => kept.execution === execution && isFor(kept, element));
    if (!isMade) {
      return `${element.key} is marked with ${execution}, which has not worked its result out`;
    }
  }
  return (
    needless(worked, results) ??
    keptWrongly(run, worked, isQuiet && !isStopped) ??
    costProblem(outcome, result, new Set(reused.keys()), settled) ??
    (isStopped ? undefined : difference(outcome, withoutCharges(result, new Set(reused.keys()))))
  );
}

/** The lesser of the modes of node and run; one that is not given takes the other's. */
function modeOf(node: PlanNode, run: CacheOptions | null): CacheOptions["mode"] {
  const modes = [node.cache, run].flatMap((side) => side?.mode ?? []);
  return CACHE_MODES.find((mode) => modes.includes(mode)) ?? "off";
}

/** What was kept before a run, by what it depends on. */
interface Kept {
  readonly of: string;
  readonly execution: string;
  readonly unread: readonly string[];
}

/** Whether an element may take a result: it depends on the same, and lacks no port that is read. */
function isFor({ of, unread }: Kept, reader: Element): boolean {
  return of === reader.of && unread.every((port) => reader.unread.includes(port));
}

/** An element that was worked out although the workspace, or the run itself, had its result. */
function needless(worked: readonly Element[], results: readonly Kept[]): string | undefined {
  for (const [at, element] of worked.entries()) {
    if (results.some((kept) => isFor(kept, element))) {
      return `${element.key} was worked out, though its result was kept`;
    }
    const before = worked.slice(0, at).find(({ of }) => of === element.of);
    if (before !== undefined) {
      return `${element.key} was worked out like ${before.key} of its run`;
    }
  }
  return undefined;
}

/** What the run has kept are results of its own, as it has them. `isAll`: it had to keep every one. Adds them to the known ones. */
function keptWrongly(
  { run, cache, known }: CachedRun,
  worked: readonly Element[],
  isAll: boolean,
): string | undefined {
  const writing = worked.filter(({ writes }) => writes);
  const bodies = new Map(writing.map(({ entry, body }) => [entry, body]));
  const { kept } = cache;
  const wrong = kept.find((one) => one.execution === run && bodies.get(one.key) !== bodyOf(one));
  if (wrong !== undefined) {
    return `${run} has kept ${bodyOf(wrong)}, which is not its result`;
  }
  for (const { entry, of } of worked) {
    known.set(entry, of);
  }
  const keys = new Set(kept.map(({ key }) => key));
  const lost = isAll ? writing.find(({ entry }) => !keys.has(entry)) : undefined;
  return lost && `${lost.key} was not kept`;
}

function bodyOf({ outputs }: KeptResult): string {
  return joinOutputs(outputs.map(({ port, value }) => [port, value] as const));
}

/** What was taken costs nothing, and everything else what it costs in a run from nothing. */
function costProblem(
  outcome: Interpretation,
  result: Interpretation,
  reused: ReadonlySet<string>,
  settled: number | undefined,
): string | undefined {
  const cells = new Map(
    [...outcome.cells].map(([id, each]) => [
      id,
      each.filter(({ indices }) => !reused.has(referenceKey(id, indices))),
    ]),
  );
  const cost = settledCost({ ...outcome, cells }, result);
  return settled === cost ? undefined : `work of ${cost} was settled as ${settled}`;
}

function difference(outcome: Interpretation, expected: Interpretation): string | undefined {
  const [is, shouldBe] = [outcome, expected].map((each) => JSON.stringify(plainOutcome(each)));
  if (is === undefined || shouldBe === undefined || is === shouldBe) {
    return undefined;
  }
  let at = 0;
  while (is[at] === shouldBe[at]) {
    at += 1;
  }
  const from = Math.max(0, at - 80);
  return `differs: …${is.slice(from, at + 120)}… instead of …${shouldBe.slice(from, at + 120)}…`;
}
