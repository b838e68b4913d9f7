/**
 * A provider that lies: it loses answers, answers late and twice, names jobs that it has named before, ends them and fails
 * them afterwards, hands out the output of another job, reports states that nobody knows, and never ends.
 */
import type { JsonValue } from "../../../src/lib/json/exact-json.ts";
import { NodeError } from "../../../src/lib/errors/node-error.ts";
import {
  badOutput,
  jobCancelled,
  jobFailed,
  refused,
  timedOut,
  unavailable,
} from "../../../src/providers/call-failure.ts";
import type { Job, JobProvider } from "../../../src/providers/provider.ts";
import type { SeededRandom } from "../../simulation/seeded-random.ts";

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

export interface LyingJob {
  readonly id: string;
  /** The call that it was submitted for. */
  readonly name: string;
  readonly nature: Nature;
  polls: number;
  hasEnded: boolean;
  isCancelled: boolean;
}

/** The work that a provider has carried out for one call. */
interface Work {
  /** Requests that were carried out, each of which the operator may pay for. */
  done: number;
  /** Requests that were sent. */
  sent: number;
  /** Of these, the ones after which nobody can know whether they were carried out. */
  unknown: number;
}

export class LyingProvider {
  readonly jobs: LyingJob[] = [];
  readonly work = new Map<string, Work>();
  readonly seen = new Set<string>();
  readonly #random: SeededRandom;
  readonly #lies: number;

  /** `lies`: how often it lies, from 0 to 1. */
  constructor(random: SeededRandom, lies: number = random.pick([0, 0.1, 0.3, 0.6])) {
    this.#random = random;
    this.#lies = lies;
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
        name,
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
