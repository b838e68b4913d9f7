/** Everything that an executor needs to run the tasks that it leases. */
import type { Claim, LeasedTask } from "../../../src/contracts/runs/task.ts";
import { isLookedUpByRun } from "../../../src/engine/drive/asked-elements.ts";
import { CellReader } from "../../../src/engine/drive/cell-reader.ts";
import { isAggregator } from "../../../src/engine/plan/node-kind.ts";
import type { Plan, PlanNode } from "../../../src/engine/plan/plan.ts";
import { onceReader } from "../../../src/engine/step/fold-aggregate.ts";
import { gatherInputs } from "../../../src/engine/step/gather-inputs.ts";
import { definitionDigest } from "../../../src/engine/reuse/cache-key.ts";
import { type CacheUse, cacheUse } from "../../../src/engine/reuse/cache-mode.ts";
import { ReceivedHash } from "../../../src/engine/reuse/received-hash.ts";
import { resumedLimitMs } from "../../../src/engine/step/wait-bounds.ts";
import { stringifyJson, type JsonValue } from "../../../src/lib/json/exact-json.ts";
import { storedInputs } from "../blocks/element-pages.ts";
import type { LiveRun } from "../live-run.ts";
import { attemptPrefix } from "./orphaned-files.ts";
import { derivedToken } from "../run-host.ts";
import type { RunStore } from "../state/run-store.ts";
import type { TaskRow } from "./task-entry.ts";

interface Described {
  readonly run: LiveRun;
  readonly plan: Plan;
  readonly store: RunStore;
  /** The seed of the run's secret names. */
  readonly seed: string;
  readonly nowMs: number;
}

export function describeTasks(
  { run, plan, store, seed, nowMs }: Described,
  rows: readonly TaskRow[],
): LeasedTask[] {
  const place = { workspaceId: run.metadata.workspace_id, runId: run.metadata.run_id, seed };
  const cells = new CellReader(store, run.layout);
  const { state } = run;
  const byNode = Map.groupBy(rows, (row) => row.node);
  const leased: LeasedTask[] = [];
  for (const [index, group] of byNode) {
    const node = plan.nodes[index];
    if (node === undefined) {
      continue;
    }
    // What an aggregator reads of its elements is asked for page by page.
    const reader = isAggregator(node) ? onceReader(node) : node;
    cells.load(
      [reader],
      state,
      group.map((row) => row.element).toSorted((a, b) => a - b),
    );
    const read = cells.read(state);
    const unread = run.machine?.driver.unreadPorts(node) ?? [];
    const paramsJson = stringifyJson(node.params as JsonValue);
    const isAsked = isLookedUpByRun(node) && useOf(run, node) !== undefined;
    for (const row of group) {
      const gathered = gatherInputs(reader, row.element, run.layout, read);
      const { wait } = row;
      const { timeLimitMs: limitMs } = node;
      leased.push({
        task_id: row.id,
        fence: row.fence,
        attempt: row.attempt,
        // [E27] Derived from the element, not from its task or attempt, so that repetitions are recognized.
        key: derivedToken(seed, `call.${node.id}.${row.element}`),
        ...(wait === null ? {} : { token: wait.token }),
        ...(row.givenBack === 0 ? {} : { given_back: row.givenBack }),
        node_id: node.id,
        node_type: node.type.type,
        params_json: paramsJson,
        inputs: gathered.kind === "ready" ? storedInputs(gathered.values, gathered.places) : [],
        ...(unread.length === 0 ? {} : { unread_ports: unread }),
        time_limit_ms:
          wait === null ? limitMs : resumedLimitMs({ sinceMs: wait.sinceMs, nowMs, limitMs }),
        // Files stored before a wait stay, so files stored after it need other names.
        file_prefix: `${attemptPrefix(place, row.id, fileAttempt(row))}${wait === null ? "" : `w${wait.waits}~`}`,
        indices: run.layout.indices(reader.scope, row.element),
        ...(isAsked && receivedOf(new ReceivedHash(node, run.layout).add(row.element, read))),
      });
    }
  }
  return leased;
}

/** The resources that the parameters of these tasks' nodes refer to. */
export function referencesFor(plan: Plan, rows: readonly TaskRow[]): Pick<Claim, "references"> {
  const nodes = [...new Set(rows.map(({ node }) => node))].flatMap((node) => {
    const { id, references } = plan.nodes[node] ?? {};
    return id === undefined || references === undefined ? [] : [[id, references] as const];
  });
  return nodes.length === 0 ? {} : { references: Object.fromEntries(nodes) };
}

/** [E41] How the elements of a node use the result cache; undefined if they do not. */
function useOf({ metadata: { cache } }: LiveRun, node: PlanNode): CacheUse | undefined {
  return cache && cacheUse(node.type.type, node.cache, cache.options ?? undefined);
}

/** [E47] Tells an executor that a task was looked up. Those from before an update were not, and are worked out all the same. */
function receivedOf(hash: ReceivedHash): Pick<LeasedTask, "received"> {
  const received = hash.digest();
  return received === undefined ? {} : { received };
}

/** [E41] How these tasks use the result cache. */
export function cacheFor(run: LiveRun, plan: Plan, rows: readonly TaskRow[]): Pick<Claim, "cache"> {
  const { cache, workflow_id: workflow } = run.metadata;
  if (cache === undefined) {
    return {};
  }
  const { options: _options, ...bounds } = cache;
  const nodes = [...new Set(rows.map(({ node }) => node))].flatMap((index) => {
    const node = plan.nodes[index];
    const use = node && useOf(run, node);
    return node === undefined || use === undefined
      ? []
      : [
          [
            node.id,
            {
              definition: definitionDigest(node),
              writes: use.writes,
              max_age: use.maxAge,
              milli_credits: node.costMilliCredits,
            },
          ] as const,
        ];
  });
  return nodes.length === 0
    ? {}
    : { cache: { workflow, bounds, nodes: Object.fromEntries(nodes) } };
}

/**
 * Numbers the key prefixes of attempts. A task that waits has ended its attempt properly, so it resumes with the same
 * prefix; after a lost worker there must be another.
 */
export function fileAttempt({ fence, wait }: Pick<TaskRow, "fence" | "wait">): number {
  return fence - (wait?.waits ?? 0);
}
