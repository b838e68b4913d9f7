/** What a run with a result cache may take and must work out (docs/contract/cache.md), judged by what each element received. */
import { CACHE_MODES, type CacheOptions } from "../../../src/contracts/runs/cache-options.ts";
import { restoreLayout } from "../../../src/engine/drive/restore-layout.ts";
import type { RunStore } from "../../../durable-objects/run/state/run-store.ts";
import { isAggregator } from "../../../src/engine/plan/node-kind.ts";
import type { CellRow } from "../../../src/engine/drive/run-rows.ts";
import type { Plan, PlanNode } from "../../../src/engine/plan/plan.ts";
import { unreadPorts } from "../../../src/engine/plan/unread-ports.ts";
import { definitionDigest, inputsKey, receivedKey } from "../../../src/engine/reuse/cache-key.ts";
import { elementScope } from "../../../src/engine/reuse/forced-elements.ts";
import type { Reused } from "../../../src/engine/step/cells.ts";
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
import type { SimulatedLookUps } from "./simulated-look-ups.ts";

const ALL = 1_000_000;

/** What results of a workspace's runs depend on, by the keys of their entries. */
export type KnownKeys = Map<string, string>;

export interface CachedRun {
  readonly workspace: string;
  readonly run: string;
  readonly options: CacheOptions | null;
  readonly cache: SimulatedCache;
  /** Undefined in a world where executors look everything up. */
  readonly lookUps: SimulatedLookUps | undefined;
  /** Of all runs of the workspace; this run's own results are added. */
  readonly known: KnownKeys;
  /** When the run began. */
  readonly before: readonly KeptResult[];
  /** The same by the clock of the cache. */
  readonly startedMs: number;
  readonly elements: ReferenceElements;
  readonly result: Interpretation;
}

/** Counts of elements. */
export interface Taken {
  worked: number;
  fromOthers: number;
  fromOwn: number;
}

/** A settled element. */
interface Element {
  readonly key: string;
  /** What its result depends on. */
  readonly of: string;
  readonly unread: readonly string[];
  readonly body: string;
  readonly mode: CacheOptions["mode"];
  /** In seconds. */
  readonly maxAge: number;
  readonly charge: number;
  readonly reused: Reused | undefined;
  /** Of its entry. */
  readonly entry: string;
  /** [E47] Its run looks it up. */
  readonly isAsked: boolean;
}

/** The first problem of an ended run; its elements are counted in `taken`. */
export async function checkCachedRun(
  run: CachedRun,
  { plan, store, settled, isStopped, isQuiet }: EndedRun,
  taken: Taken,
): Promise<string | undefined> {
  const { result } = run;
  const outcome = outcomeOf(plan, store);
  const read = elementsOf(run, plan, store);
  if (typeof read === "string") {
    return read;
  }
  const worked = read.filter(({ mode, reused }) => mode !== "off" && reused === undefined);
  const reused = read.filter((element) => element.reused !== undefined);
  const own = reused.filter((element) => element.reused?.execution === run.run).length;
  taken.worked += worked.length;
  taken.fromOwn += own;
  taken.fromOthers += reused.length - own;
  const kept = run.before.flatMap(({ key, execution, unread, createdMs }): Kept[] => {
    const of = run.known.get(key);
    const isRemoved = run.cache.removed.has(key);
    const ageMs = run.startedMs - createdMs;
    return of === undefined ? [] : [{ of, execution, unread, ageMs, isRemoved }];
  });
  const keys = new Set(reused.map(({ key }) => key));
  return (
    wrongCount(plan, store) ??
    wrongMark(run, reused, worked, kept) ??
    wrongAnswer(run, reused) ??
    needless(worked, kept) ??
    keptWrongly(run, worked, isQuiet && !isStopped) ??
    costProblem(outcome, result, keys, settled) ??
    (isStopped ? undefined : difference(outcome, withoutCharges(result, keys)))
  );
}

/** The elements that are `ok`, of nodes that run as tasks; a problem as text. */
function elementsOf(run: CachedRun, plan: Plan, store: RunStore): Element[] | string {
  const layout = restoreLayout(plan, store.state(), store);
  const found: Element[] = [];
  for (const node of taskNodes(plan)) {
    const cells = store.cellsBetween(node.index, 0, ALL);
    const bodies = new Map(cells.map(({ element, body }) => [element, body]));
    for (const row of store.settledBetween(node.index, 0, ALL)) {
      const key = referenceKey(node.id, layout.indices(elementScope(node), row.element));
      const reference = run.elements.get(key);
      if (row.status === "ok" && reference !== undefined) {
        found.push({
          key,
          of: fingerprint(reference),
          unread: unreadOf(plan, node, run.options),
          body: bodies.get(row.element) ?? "",
          mode: modeOf(node, run.options),
          maxAge: maxAgeOf(node, run.options),
          charge: row.charge?.milliCredits ?? 0,
          reused: row.reused,
          ...entryOf(run, node, key, row),
        });
      } else if (row.reused !== undefined) {
        return `${key} is ${row.status} and taken from the cache`;
      }
    }
  }
  return found;
}

function taskNodes({ nodes }: Plan): PlanNode[] {
  return nodes.filter(({ type }) => findFakeNode(type.type) !== undefined);
}

/** Where the result of an element is kept: by what its run looked it up by, or else by what its executor read. */
function entryOf(
  { run, workspace, lookUps }: CachedRun,
  node: PlanNode,
  key: string,
  { digests, reused }: Pick<CellRow, "digests" | "reused">,
): Pick<Element, "entry" | "isAsked"> {
  const inputs = digests?.inputs ?? "";
  const isFound = reused !== undefined && reused.execution !== run;
  const received =
    lookUps === undefined || isAggregator(node)
      ? undefined
      : (lookUps.received.get(key) ?? (isFound ? inputs : undefined));
  const definition = definitionDigest(node);
  return received === undefined
    ? { entry: inputsKey(workspace, definition, inputs), isAsked: false }
    : { entry: receivedKey(workspace, definition, received), isAsked: true };
}

/** A node that has counted elements more than once, or not at all. */
function wrongCount(plan: Plan, store: RunStore): string | undefined {
  for (const { index, id } of taskNodes(plan)) {
    const rows = store.settledBetween(index, 0, ALL);
    const now = store.state().nodes[index];
    const reused = rows.flatMap((row) => row.reused ?? []);
    const saved = reused.reduce((sum, { milliCredits }) => sum + milliCredits, 0);
    const ok = rows.filter(({ status }) => status === "ok").length;
    const counted = [now?.ok, now?.reused, now?.saved];
    if (rows.length > 0 && counted.join() !== [ok, reused.length, saved].join()) {
      return `"${id}" has ${ok} results, ${reused.length} of them taken for ${saved}, and counted ${counted.join()}`;
    }
  }
  return undefined;
}

/** An element that was taken although the cache did not say so, or after the run had stopped [E47]. */
function wrongAnswer({ run, lookUps }: CachedRun, reused: readonly Element[]): string | undefined {
  for (const { key, entry, body, isAsked, reused: mark } of reused) {
    const told = lookUps?.told.get(entry) ?? [];
    if (!isAsked || mark?.execution === run) {
      continue;
    }
    const found = told.filter(
      (one) => one.entry?.execution === mark?.execution && bodyOf(one.entry) === body,
    );
    if (found.length === 0) {
      return `${key} is taken from ${mark?.execution}, and the cache said ${told.map(({ kind }) => kind).join()}`;
    }
    if (found.every(({ isStopped }) => isStopped)) {
      return `${key} was taken although the run had stopped before`;
    }
  }
  return undefined;
}

/** Ports that nothing reads, neither of the node nor of one like it that uses the cache too. */
function unreadOf(plan: Plan, node: PlanNode, options: CacheOptions | null): string[] {
  const alike = plan.nodes.filter(
    (other) =>
      definitionDigest(other) === definitionDigest(node) && modeOf(other, options) !== "off",
  );
  return unreadPorts(plan, node).filter((port) =>
    alike.every((other) => unreadPorts(plan, other).includes(port)),
  );
}

/** An element that it may not take, that is charged, or that names a run which has not worked its result out. */
function wrongMark(
  { run, result }: CachedRun,
  reused: readonly Element[],
  worked: readonly Element[],
  kept: readonly Kept[],
): string | undefined {
  const charges = chargesOf(result);
  // An equal element of the run may have found it, which takes older ones.
  const ages = Map.groupBy([...reused, ...worked], ({ of }) => of);
  for (const element of reused) {
    const { key, mode, charge } = element;
    const { execution = "", milliCredits = 0, isCached = false } = element.reused ?? {};
    if (mode === "off" || !isCached) {
      return `${key} is taken from the cache in mode ${mode}`;
    }
    if (charge !== 0 || milliCredits !== (charges.get(key) ?? 0)) {
      return `${key} is charged ${charge}, and marked with ${milliCredits}`;
    }
    const isMade =
      execution === run
        ? worked.some(({ of }) => of === element.of)
        : kept.some((one) => one.execution === execution && isFor(one, element));
    const maxAge = Math.max(...(ages.get(element.of) ?? []).map((one) => one.maxAge));
    const isOld = (one: Kept) => one.execution === execution && one.ageMs > maxAge * 1000;
    if (kept.some((one) => isFor(one, element) && isOld(one))) {
      return `${key} is older than ${maxAge} s`;
    }
    if (!isMade) {
      return `${key} is marked with ${execution}, which has not worked its result out`;
    }
  }
  return undefined;
}

/** The lesser of the modes of node and run; one that is not given takes the other's. */
function modeOf(node: PlanNode, run: CacheOptions | null): CacheOptions["mode"] {
  const modes = [node.cache, run].flatMap((side) => side?.mode ?? []);
  return CACHE_MODES.find((mode) => modes.includes(mode)) ?? "off";
}

/** The lesser of the ages of both, in seconds. */
function maxAgeOf(node: PlanNode, run: CacheOptions | null): number {
  return Math.min(node.cache?.max_age ?? Infinity, run?.max_age ?? Infinity);
}

/** What was kept before a run, by what it depends on. */
interface Kept {
  readonly of: string;
  readonly execution: string;
  readonly unread: readonly string[];
  readonly ageMs: number;
  /** It was deleted, or damaged, while the run ran. */
  readonly isRemoved: boolean;
}

/** Whether an element may take a result: it depends on the same, and lacks no port that is read. */
function isFor({ of, unread }: Kept, reader: Element): boolean {
  return of === reader.of && unread.every((port) => reader.unread.includes(port));
}

/**
 * An element that was worked out although the workspace, or the run itself, had its result. Those that the run looks up are
 * judged by what it was told, when they are leased.
 */
function needless(worked: readonly Element[], results: readonly Kept[]): string | undefined {
  for (const [at, element] of worked.entries()) {
    const { isAsked, maxAge } = element;
    const isThere = ({ isRemoved, ageMs }: Kept) => !isRemoved && ageMs <= maxAge * 1000;
    if (!isAsked && results.some((kept) => isThere(kept) && isFor(kept, element))) {
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
  const writing = worked.filter(({ mode }) => mode === "read_write");
  const bodies = new Map(writing.map(({ entry, body }) => [entry, body]));
  const { kept } = cache;
  const { removed } = cache;
  const wrong = kept.find(
    (one) => one.execution === run && !removed.has(one.key) && bodies.get(one.key) !== bodyOf(one),
  );
  if (wrong !== undefined) {
    return `${run} has kept ${bodyOf(wrong)}, which is not its result`;
  }
  for (const { entry, of, key } of worked) {
    const other = known.get(entry);
    if (other !== undefined && other !== of) {
      return `${key} has the key of another content`;
    }
    known.set(entry, of);
  }
  const keys = new Set([...removed, ...kept.map(({ key }) => key)]);
  const lost = isAll ? writing.find(({ entry }) => !keys.has(entry)) : undefined;
  return lost && `${lost.key} was not kept`;
}

function bodyOf(kept: Pick<KeptResult, "outputs"> | undefined): string {
  return joinOutputs((kept?.outputs ?? []).map(({ port, value }) => [port, value] as const));
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
