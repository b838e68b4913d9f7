/**
 * One task whose provider lies: it loses answers, answers late and twice, names jobs that it has named before, ends them
 * and fails them afterwards, hands out the output of another job, reports states that nobody knows, and never ends. Workers
 * are lost meanwhile. The rules of the calls (`TaskJobs`) and of the gate are the service's own; time and chance are the
 * seed's.
 */
import type { ReferencedModel } from "../../../src/contracts/models/model-calls.ts";
import { ProviderGate } from "../../../src/domain/models/provider-gate.ts";
import { ATTEMPTS_MAX, retryDelayMs } from "../../../src/engine/step/retry-delay.ts";
import type { JsonValue } from "../../../src/lib/json/exact-json.ts";
import { NodeError } from "../../../src/lib/errors/node-error.ts";
import { beginAll } from "../../../src/nodes/define-models.ts";
import {
  badOutput,
  jobCancelled,
  jobFailed,
  refused,
  timedOut,
  unavailable,
} from "../../../src/providers/call-failure.ts";
import type { Job, JobCall, JobProvider, ProviderIo } from "../../../src/providers/provider.ts";
import type { TaskGate } from "../../../src/workers/runner/model-gate.ts";
import type { TaskJobs } from "../../../src/workers/runner/model-jobs.ts";
import { SeededRandom } from "../../simulation/seeded-random.ts";
import { modelOf } from "./call-provider.ts";
import { TaskHistory } from "./task-history.ts";

/** What a provider does with its jobs, besides what it may do to any request. */
type Nature =
  | "honest"
  | "slow"
  | "endless"
  | "fails"
  | "takes back"
  | "mixes up"
  | "unknown states";
const NATURES: readonly Nature[] = [
  "honest",
  "slow",
  "endless",
  "fails",
  "takes back",
  "mixes up",
  "unknown states",
];

interface LyingJob {
  readonly id: string;
  readonly nature: Nature;
  polls: number;
  hasEnded: boolean;
  isCancelled: boolean;
}

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

/** The work that a provider has carried out for one call. */
interface Work {
  /** Requests that were carried out, each of which the operator may pay for. */
  done: number;
  /** Requests that were sent. */
  sent: number;
  /** Of these, the ones after which nobody can know whether they were carried out. */
  unknown: number;
}

class LyingProvider {
  readonly jobs: LyingJob[] = [];
  readonly work = new Map<string, Work>();
  readonly seen = new Set<string>();
  readonly #random: SeededRandom;
  readonly #lies: number;

  constructor(random: SeededRandom) {
    this.#random = random;
    this.#lies = random.pick([0, 0.1, 0.3, 0.6]);
  }

  /** Carries out a request, or not; returns what became of the answer. */
  request(name: string): NodeError | undefined {
    const work = this.#workOf(name);
    work.sent += 1;
    const random = this.#random;
    if (!random.chance(this.#lies)) {
      work.done += 1;
      return undefined;
    }
    if (random.chance(0.3)) {
      this.seen.add("refused");
      return random.chance(0.5)
        ? unavailable()
        : new NodeError("PROVIDER_RATE_LIMITED", "Slow down.", {
            retryable: true,
            retryAfterMs: 1_000,
          });
    }
    work.unknown += 1;
    // The answer is lost, or late; the work may be done all the same.
    work.done += random.chance(0.7) ? 1 : 0;
    this.seen.add("lost answer");
    return random.chance(0.5) ? unavailable(new Error("reset")) : timedOut(1);
  }

  readonly provider: JobProvider = {
    submit: async ({ remoteModel: name }) => {
      await Promise.resolve();
      const failure = this.request(name);
      const job: LyingJob = {
        id: `job${this.jobs.length + 1}`,
        nature: this.#random.chance(this.#lies) ? this.#random.pick(NATURES) : "honest",
        polls: 0,
        hasEnded: false,
        isCancelled: false,
      };
      if (failure !== undefined) {
        throw failure;
      }
      const [before] = this.jobs;
      this.jobs.push(job);
      if (before !== undefined && this.#random.chance(this.#lies / 3)) {
        this.seen.add("the id of another job");
        this.#workOf(name).unknown += 1;
        return this.#answer(before.id);
      }
      if (this.#random.chance(this.#lies / 4)) {
        this.seen.add("no id");
        this.#workOf(name).unknown += 1;
        return this.#answer("");
      }
      return this.#answer(job.id);
    },
    poll: async ({ id }) => {
      await Promise.resolve();
      return this.#poll(this.#known(id));
    },
    cancel: async ({ id }) => {
      await Promise.resolve();
      this.#known(id).isCancelled = true;
      if (this.#random.chance(this.#lies / 2)) {
        // Too late, or already ended: 4xx.
        throw new NodeError("PROVIDER_REJECTED", "It has ended.");
      }
    },
    placesOf: (_scope, id) => ({
      status: `/jobs/${id}`,
      result: `/jobs/${id}`,
      cancel: `/jobs/${id}/cancel`,
    }),
    calls: {},
  };

  #poll(job: LyingJob): JsonValue | undefined {
    const random = this.#random;
    job.polls += 1;
    if (random.chance(this.#lies / 3)) {
      this.seen.add("failed poll");
      throw random.pick([unavailable(new Error("reset")), badOutput("no JSON"), timedOut(1)]);
    }
    if (job.isCancelled && random.chance(0.8)) {
      throw jobCancelled();
    }
    const isOver = job.polls > (job.nature === "slow" ? 9 : 2);
    switch (job.nature) {
      case "endless":
        this.seen.add("endless job");
        return undefined;
      case "unknown states":
        this.seen.add("unknown state");
        throw badOutput("its job is in a state that is not known");
      case "fails":
        if (isOver) {
          job.hasEnded = true;
          throw random.pick([jobFailed(), refused(), jobCancelled()]);
        }
        return undefined;
      case "takes back":
        if (job.hasEnded) {
          this.seen.add("an end taken back");
          if (random.chance(0.5)) {
            return undefined;
          }
          throw jobFailed();
        }
        break;
      case "mixes up":
        if (isOver) {
          this.seen.add("another job's output");
          job.hasEnded = true;
          return { of: random.pick(this.jobs).id };
        }
        break;
      default:
    }
    job.hasEnded = isOver;
    return isOver ? { of: job.id } : undefined;
  }

  #answer(id: string): Job {
    return { id, status: `/jobs/${id}`, result: `/jobs/${id}`, cancel: `/jobs/${id}/cancel` };
  }

  #known(id: string): LyingJob {
    const job = this.jobs.find((one) => one.id === id);
    if (job === undefined) {
      throw new TypeError(`nobody has named the job ${id}`);
    }
    return job;
  }

  #workOf(name: string): Work {
    const known = this.work.get(name) ?? { done: 0, sent: 0, unknown: 0 };
    this.work.set(name, known);
    return known;
  }
}

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
