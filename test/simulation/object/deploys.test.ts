/**
 * The real run object, with a deploy between two steps of its world: rows of old code, read by new code. Faults planted
 * in the decisions whether a run continues, and at what price, are each found.
 */
import { beforeAll, describe, expect, it } from "vitest";
import { type BuiltSimulation, buildMutated } from "../mutated-simulation.ts";
import type { Mutation } from "../mutations.ts";
import { DEPLOYS } from "./simulated-deploys.ts";
import { sizeOf } from "../../support/sizes.ts";

const SEEDS = sizeOf("deploySeeds");
const BATCH = Math.min(100, SEEDS);
/** Every planted fault is found within this many seeds. */
const MUTANT_SEEDS = 300;

const FAULTS: readonly Mutation[] = [
  {
    name: "a skipped fingerprint: a plan with another one is accepted",
    file: "durable-objects/run/state/stored-plan.ts",
    from: "return fingerprintOf(plan) === fingerprint",
    to: "return fingerprint !== undefined",
  },
  {
    name: "the placement is not in the fingerprint",
    file: "src/engine/plan/plan-fingerprint.ts",
    from: "      node.placement,\n",
    to: "",
  },
  {
    name: "a price taken from new code, when work is charged",
    file: "durable-objects/run/state/stored-plan.ts",
    from: "outline.nodes[index]?.costMilliCredits ?? 0)",
    to: "outline.nodes[index] === undefined ? 0 : plan.nodes[index]!.costMilliCredits)",
  },
  {
    name: "a price taken from new code, at the settlement",
    file: "durable-objects/run/tasks/run-reports.ts",
    from: "settled_milli_credits: chargedMilliCredits(this.#run, state),",
    to: "settled_milli_credits: chargedMilliCredits({ outline: this.#run.machine?.plan ?? this.#run.outline }, state) * (this.#run.machine === null ? 2 : 1),",
  },
  {
    name: "a lost refund: a run that ends as incompatible is settled at all that it reserved",
    file: "durable-objects/run/tasks/run-reports.ts",
    from: "settled_milli_credits: chargedMilliCredits(this.#run, state),",
    to: 'settled_milli_credits: this.#run.machine === null ? Number(store.getMetadata("admitted") ?? this.#run.metadata.reserved_milli_credits) : chargedMilliCredits(this.#run, state),',
  },
  {
    name: "a lost refund: a run that ends as incompatible is not closed, and its reservation is kept",
    file: "durable-objects/run/run-loop.ts",
    from: "      await this.#reports.close();\n      return;\n    }\n    const { driver } = machine;",
    to: "      return;\n    }\n    const { driver } = machine;",
  },
  {
    name: "a run that ends as incompatible keeps its tasks",
    file: "durable-objects/run/wake-run.ts",
    from: "    tasks.dropAll();\n",
    to: "",
  },
  {
    name: "a run that no longer compiles waits forever",
    file: "durable-objects/run/wake-run.ts",
    from: "    return undefined;\n  }\n}",
    to: "    throw error;\n  }\n}",
  },
];

describe("a deploy between any two steps of a run", () => {
  let built: BuiltSimulation;
  const endedBy = new Map<string, number>();
  beforeAll(async () => {
    built = await buildMutated(undefined);
  });

  it.each(Array.from({ length: SEEDS / BATCH }, (_, batch) => 1 + batch * BATCH))(
    "continues it unchanged, or ends it settled and reported, seeds from %d on",
    async (from) => {
      for (let seed = from; seed < from + BATCH; seed++) {
        const { problem, endedBy: deploy } = await built.simulateDeploySeed(seed);
        expect({ seed, problem }).toEqual({ seed, problem: undefined });
        if (deploy !== undefined) {
          endedBy.set(deploy, (endedBy.get(deploy) ?? 0) + 1);
        }
      }
    },
    120_000,
  );

  it("ends some runs by each incompatible change, and none by another change", () => {
    const breaking = DEPLOYS.filter((of) => of !== "nothing that matters" && of !== "a price");
    expect([...endedBy.keys()].toSorted()).toEqual(breaking.toSorted());
    expect(Math.min(...endedBy.values())).toBeGreaterThan(SEEDS / 100);
  });

  it.each(
    FAULTS.filter((_, at) => at % sizeOf("deployFaultStride") === 0).map(
      (fault): [string, Mutation] => [fault.name, fault],
    ),
  )(
    "finds a planted fault: %s",
    async (_name, fault) => {
      const mutant = await buildMutated(fault);
      let found: number | undefined;
      for (let seed = 1; seed <= MUTANT_SEEDS && found === undefined; seed++) {
        const problem = await mutant
          .simulateDeploySeed(seed)
          .then((verdict) => verdict.problem)
          .catch((error: unknown) => String(error));
        found = problem === undefined ? undefined : seed;
      }
      expect(found).toBeDefined();
    },
    120_000,
  );
});
