/**
 * One task whose provider lies (`lying-provider.ts`), while workers are lost. The rules of the calls (`TaskJobs`) and of
 * the gate are the service's own; time and chance are the seed's. `test/simulation/models` plays whole runs.
 */
import type { ReferencedModel } from "../../../src/contracts/models/model-calls.ts";
import { ProviderGate } from "../../../src/domain/models/provider-gate.ts";
import { ATTEMPTS_MAX, retryDelayMs } from "../../../src/engine/step/retry-delay.ts";
import type { JsonValue } from "../../../src/lib/json/exact-json.ts";
import { NodeError } from "../../../src/lib/errors/node-error.ts";
import { beginAll } from "../../../src/nodes/define-models.ts";
import { unavailable } from "../../../src/providers/call-failure.ts";
import type { JobCall, ProviderIo } from "../../../src/providers/provider.ts";
import type { TaskGate } from "../../../src/workers/runner/model-gate.ts";
import type { TaskJobs } from "../../../src/workers/runner/model-jobs.ts";
import { SeededRandom } from "../../simulation/seeded-random.ts";
import { modelOf } from "./call-provider.ts";
import { LyingProvider } from "./lying-provider.ts";
import { TaskHistory } from "./task-history.ts";

/** How one seed went. */
export interface LyingVerdict {
  /** What is not as it must be; empty if all is. */
  readonly problems: readonly string[];
  /** What happened, for tests that must see enough of it. */
  readonly seen: ReadonlySet<string>;
}

/** More leases than any task of these seeds may need: two time limits of a minute, polled every 5 s, and its retries. */
const LEASES_MAX = 600;
const MODEL: ReferencedModel = modelOf({ provider: "mine", timeout_ms: 60_000 });
const LIMITS = { all: 3, each: 3 };
const WORKSPACE = "ws_1";
const RUN = "run_1";

/** The gate as a task reaches it, without a wait between. */
function gateOf(gate: ProviderGate, nowMs: () => number): TaskGate {
  const as = (holder: string) => ({ workspace: WORKSPACE, run: RUN, holder });
  return {
    name: "gate",
    enter: (holder, isWoken) => {
      const visit = { ...as(holder), task: isWoken ? 1 : null };
      const answer = gate.enter(visit, LIMITS, nowMs(), []);
      return Promise.resolve(answer.admitted ? undefined : answer.wait_ms);
    },
    renew: (holder, job) =>
      Promise.resolve(gate.renew(as(holder), { isJob: job !== undefined, was: job?.was }, nowMs())),
    leave: (holder) => {
      gate.leave(as(holder));
    },
    pause: (forMs) => {
      gate.pause(WORKSPACE, forMs, nowMs());
    },
  };
}

/** The output of a job, which this provider has in its answer. */
const CALL: JobCall<null, JsonValue> = {
  inputOf: () => Promise.resolve({}),
  read: (output) => Promise.resolve(output),
};

/** A node with several calls: all begin, then all are fetched. */
function jobsOf(names: readonly string[]) {
  return (attempt: () => number) => async (jobs: TaskJobs) => {
    const of = (name: string) =>
      jobs.of(name, { ...MODEL, remote_model: name }, CALL, () => Promise.resolve(null));
    const models = { giveUp: () => jobs.giveUp() };
    await beginAll(
      { models, task: { attempt: attempt() } } as unknown as Parameters<typeof beginAll>[0],
      names.map((name) => () => jobs.remembering(name, () => of(name).begin())),
    );
    const made: JsonValue[] = [];
    for (const name of names) {
      // oxlint-disable-next-line no-await-in-loop -- one output after the other
      made.push(await jobs.remembering(name, () => of(name).fetch()));
    }
    return made;
  };
}

/** A node with one call that one request answers; the answer may break off after its beginning. */
function requestOf(provider: LyingProvider, isIdempotent: boolean, breaksOff: () => boolean) {
  return () => async (jobs: TaskJobs) =>
    await jobs.remembering("a", async () => {
      await jobs.request({ name: "a", model: MODEL, isIdempotent }, (sends) => {
        sends();
        const failure = provider.request("a");
        return failure === undefined ? Promise.resolve() : Promise.reject(failure);
      });
      if (breaksOff()) {
        provider.seen.add("broken answer");
        provider.work.get("a")!.unknown += 1;
        throw jobs.lost({ name: "a", isIdempotent }, unavailable(new Error("reset")));
      }
      return "made";
    });
}

/** Plays one seed. */
export async function simulateLies(seed: number): Promise<LyingVerdict> {
  const random = new SeededRandom(seed);
  const provider = new LyingProvider(random);
  const losses = random.pick([0, 0, 0.05, 0.2]);
  const kind = random.pick(["jobs", "jobs", "with keys", "without keys"] as const);
  const gate = new ProviderGate([], 0);
  const task: TaskHistory = new TaskHistory(() =>
    Promise.resolve({
      jobs: provider.provider,
      io: { place: (_named: unknown, documented: string) => documented } as unknown as ProviderIo,
      gate: gateOf(gate, () => task.nowMs),
    }),
  );
  const names = kind === "jobs" ? ["a", "b", "c"].slice(0, random.int(1, 3)) : ["a"];
  const work =
    kind === "jobs"
      ? jobsOf(names)
      : requestOf(provider, kind === "with keys", () => random.chance(losses));
  let lost = 0;
  let ends = 0;
  let isOver = false;
  while (!isOver && task.lease < LEASES_MAX) {
    const isLost = random.chance(losses);
    lost += isLost ? 1 : 0;
    // oxlint-disable-next-line no-await-in-loop -- leases follow each other
    const end = await task.run(
      work(() => task.attempt),
      { isLost },
    );
    if (end instanceof NodeError) {
      isOver = task.isOver(end);
      task.nowMs += retryDelayMs(
        Math.min(task.attempt, 4),
        random.next(),
        end.retryAfterMs ?? null,
      );
    } else if ("made" in end) {
      isOver = true;
      ends += 1;
      provider.seen.add("made");
    } else {
      provider.seen.add(isLost ? "lost worker" : "wait");
    }
  }
  const played = { kind, names, provider, task, gate, lost };
  return {
    problems: [
      ...(isOver ? [] : [`it has not ended after ${task.lease} leases`]),
      ...(ends > 1 ? ["it was charged twice"] : []),
      ...callProblems(played),
      ...traceProblems(played),
      ...(lost === 0 ? leftProblems(played) : []),
    ],
    seen: provider.seen,
  };
}

interface Played {
  readonly kind: "jobs" | "with keys" | "without keys";
  readonly names: readonly string[];
  readonly provider: LyingProvider;
  readonly task: TaskHistory;
  readonly gate: ProviderGate;
  /** Workers. */
  readonly lost: number;
}

/** Every request but one is known to have been refused, or was one of two whose answers nobody has. */
function callProblems({ kind, provider, lost }: Played): readonly string[] {
  const problems: string[] = [];
  for (const [name, { done, sent, unknown }] of provider.work) {
    const isCertain = unknown + lost === 0;
    if (kind !== "with keys" && done > 2) {
      problems.push(`call ${name} was carried out ${done} times`);
    }
    if (done > 1 && isCertain) {
      problems.push(`call ${name} was carried out ${done} times although every answer arrived`);
    }
    if (sent > 1 && kind === "jobs" && isCertain && !provider.seen.has("refused")) {
      problems.push(`call ${name} was submitted ${sent} times although every answer arrived`);
    }
  }
  return problems;
}

/** What the trace counts as unconfirmed repeats. */
function traceProblems({ kind, names, provider, task, lost }: Played): readonly string[] {
  const repeats = task.repeats.filter(Boolean).length;
  const works = [...provider.work.values()];
  const unknown = works.reduce((sum, one) => sum + one.unknown, 0);
  const found = [
    [repeats > 0 && unknown + lost === 0, "although every answer arrived"],
    [lost === 0 && works.filter(({ done }) => done > 1).length > repeats, "fewer than there were"],
    [kind === "jobs" && repeats > ATTEMPTS_MAX * names.length, "more than attempts"],
  ] as const;
  return found.flatMap(([isFound, how]) =>
    isFound ? [`the trace counts ${repeats} repeats, ${how}`] : [],
  );
}

/** What is left of a task that has ended and lost no worker. */
function leftProblems({ provider, gate }: Played): readonly string[] {
  // Nobody has heard of a job whose answer had no id of its own.
  const isUnheard = provider.seen.has("no id") || provider.seen.has("the id of another job");
  const open = provider.jobs.filter((job) => !job.hasEnded && !job.isCancelled);
  return [
    ...(gate.placesHeld > 0 ? [`${gate.placesHeld} places at the gate are left`] : []),
    ...(open.length > 0 && !isUnheard
      ? [`the jobs ${open.map(({ id }) => id).join()} still work`]
      : []),
  ];
}
