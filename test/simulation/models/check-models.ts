/** Invariants of an ended run whose tasks asked models. Returns the first problem in one line. */
import { modelCallsOf } from "../../../durable-objects/run/tasks/model-calls.ts";
import type { RunStore } from "../../../durable-objects/run/state/run-store.ts";
import type { Plan } from "../../../src/engine/plan/plan.ts";
import { readOutputs } from "../../../src/engine/values/cell-outputs.ts";
import type { SimulatedWorkspace } from "../object/simulated-workspace.ts";
import { fakeModelNode, type MadeCall } from "./fake-model-node.ts";
import { PLACES } from "./simulated-gates.ts";
import type { SimulatedModels } from "./simulated-models.ts";

const ALL = 1_000_000;

export interface EndedWorld {
  readonly models: SimulatedModels;
  readonly workspace: SimulatedWorkspace;
  readonly crashes: number;
  /** Cancelled, or without credits. */
  readonly isStopped: boolean;
  /** No worker, message or object was lost. */
  readonly isQuiet: boolean;
}

export function checkModels(plan: Plan, store: RunStore, world: EndedWorld): string | undefined {
  const ended = endedElements(plan, store);
  return (
    chargeProblem(ended, world) ??
    outputProblem(ended, world) ??
    callProblem(world) ??
    cancelProblem(ended, world) ??
    traceProblem(plan, store, ended, world) ??
    (world.isQuiet ? leftProblem(world) : undefined)
  );
}

interface EndedElement {
  readonly status: string;
  readonly code: string | undefined;
  readonly charge: number;
  readonly made: readonly MadeCall[];
}

function endedElements(plan: Plan, store: RunStore): readonly EndedElement[] {
  return modelNodes(plan).flatMap((node) => {
    const made = new Map(
      store
        .cellsBetween(node, 0, ALL)
        .filter(({ status }) => status === "ok")
        .map(({ element, body }) => [
          element,
          // As `fakeModelNode` makes it.
          readOutputs(body).get("out") as unknown as readonly MadeCall[],
        ]),
    );
    return store.settledBetween(node, 0, ALL).map(({ element, status, failure, charge }) => ({
      status,
      code: failure === null ? undefined : (JSON.parse(failure) as { readonly code: string }).code,
      charge: charge?.milliCredits ?? 0,
      made: made.get(element) ?? [],
    }));
  });
}

function modelNodes(plan: Plan): readonly number[] {
  return plan.nodes
    .filter(({ type }) => type.type === fakeModelNode.type)
    .map((each) => each.index);
}

/** Each element is charged once, for what it has made, and the rest is released. */
function chargeProblem(
  ended: readonly EndedElement[],
  { workspace: { settled, ledger } }: EndedWorld,
): string | undefined {
  for (const { status, charge, made } of ended) {
    const price = made.reduce((sum, one) => sum + one.price, 0);
    if (charge !== price) {
      return `an element that is ${status} has made calls for ${price} and is charged ${charge}`;
    }
  }
  const cost = ended.reduce((sum, { charge }) => sum + charge, 0);
  return settled !== cost || ledger.spent !== cost || ledger.held !== 0
    ? `work of ${cost} was settled as ${settled}, spent ${ledger.spent}, held ${ledger.held}`
    : undefined;
}

/** No two elements have the same job, unless the provider has mixed them up. */
function outputProblem(
  ended: readonly EndedElement[],
  { models: { seen } }: EndedWorld,
): string | undefined {
  const all = ended.flatMap(({ made }) => made.map(({ of }) => of));
  const isMixed = seen.has("another job's output") || seen.has("the id of another job");
  return !isMixed && new Set(all).size < all.length
    ? `two calls have the same output: ${all.join(", ")}`
    : undefined;
}

/** Each call is carried out once, or twice after an answer or a worker was lost. */
function callProblem({ models, crashes, isQuiet }: EndedWorld): string | undefined {
  for (const [kind, { work }] of models.providers) {
    for (const [name, { done, unknown }] of work) {
      const isCertain = isQuiet && crashes === 0 && unknown + models.brokenAnswers === 0;
      if (kind !== "keys" && done > (isCertain ? 1 : 2)) {
        return `call ${name} was carried out ${done} times${isCertain ? " although every answer arrived" : ""}`;
      }
    }
  }
  return undefined;
}

/** Of a provider that does not lie no job ends as cancelled, unless the run has cancelled it. */
function cancelProblem(
  ended: readonly EndedElement[],
  { models: { seen, lostWorkers, isHonest }, crashes, isStopped }: EndedWorld,
): string | undefined {
  const isKept = isHonest && lostWorkers + crashes === 0 && !isStopped && !seen.has("lost lease");
  return isKept && ended.some(({ code }) => code === "PROVIDER_JOB_CANCELLED")
    ? "a job was cancelled, and its run went on"
    : undefined;
}

/** The trace counts the requests, and the repeats of those whose answers were lost. */
function traceProblem(
  plan: Plan,
  store: RunStore,
  ended: readonly EndedElement[],
  { models, isQuiet, isStopped }: EndedWorld,
): string | undefined {
  const traced = { calls: 0, repeats: 0 };
  for (const node of modelNodes(plan)) {
    for (const { calls, unconfirmed_repeats: repeats } of modelCallsOf(store, node)) {
      traced.calls += calls;
      traced.repeats += repeats;
    }
  }
  const { counted, providers } = models;
  const works = [...providers].flatMap(([kind, { work }]) =>
    kind === "keys" ? [] : [...work.values()],
  );
  const doubles = works.filter(({ done }) => done > 1).length;
  // The report of a task whose workers were all lost, or whose run has stopped, counts nothing.
  const isWhole = !isStopped && ended.every(({ code }) => code !== "WORKER_LOST");
  const sent = [...providers.values()].flatMap(({ work }) => [...work.values()]);
  const problems = [
    [traced.calls > counted.calls || traced.repeats > counted.repeats, "more than the leases did"],
    [isWhole && traced.repeats < doubles, `and ${doubles} calls were carried out twice`],
    [
      isQuiet && isWhole && traced.calls !== sent.reduce((sum, one) => sum + one.sent, 0),
      "not the requests that were sent",
    ],
  ] as const;
  const found = problems.find(([isFound]) => isFound);
  return found && `the trace counts ${JSON.stringify(traced)}: ${found[1]}`;
}

/** Nothing is left of a run in which nobody was lost: no job that works on, and no place at a gate. */
function leftProblem({ models, isStopped }: EndedWorld): string | undefined {
  const { seen, freeAtEnd, providers } = models;
  // Nobody has heard of a job whose answer had no id of its own.
  const isUnheard = ["no id", "the id of another job"].some((what) => seen.has(what));
  if (isUnheard) {
    return undefined;
  }
  const open = [...providers.values()]
    .flatMap(({ jobs }) => jobs)
    .filter((job) => !job.hasEnded && !job.isCancelled);
  if (open.length > 0) {
    return `jobs still work: ${JSON.stringify(open)}`;
  }
  // A run that was stopped gives its calls up after its end.
  const held = isStopped ? [] : [...freeAtEnd].filter(([, free]) => free < PLACES);
  return held.length > 0 ? `places at the gate are held: ${JSON.stringify(held)}` : undefined;
}
