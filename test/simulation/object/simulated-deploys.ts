/**
 * Deploys in the world of a run object: between two steps the object switches to other code, over the rows of the
 * previous code. The codes differ in the plan that they make of a definition.
 */
import { compile } from "../../../src/engine/compile/compile.ts";
import { withUnitCosts } from "../../../src/engine/plan/outline.ts";
import type { Plan } from "../../../src/engine/plan/plan.ts";
import { planFingerprintText } from "../../../src/engine/plan/plan-fingerprint.ts";
import type { RandomGraph } from "../random-graph.ts";
import type { SeededRandom } from "../seeded-random.ts";
import { findSimulatedNode } from "../simulate-seed.ts";

export const DEPLOYS = [
  "nothing that matters",
  "a price",
  "a node removed",
  "another order",
  "another placement",
  "another version",
] as const;
export type Deploy = (typeof DEPLOYS)[number];

/** Steps of the object's world within which the deploy happens; most runs have more. */
const STEPS_MAX = 80;

let deployed: (plan: Plan) => Plan = (plan) => plan;

/**
 * What the code that is deployed just now makes of a definition, from what this build makes of it.
 * Throws where it does not compile. Called from the text that `mutated-simulation.ts` plants.
 * @public
 */
export function deployedPlan(plan: Plan): Plan {
  return deployed(plan);
}

export class SimulatedDeploys {
  readonly deploy: Deploy;
  /** The run was live at the deploy, and the new code cannot continue it. */
  mustEnd = false;
  readonly #plan: Plan;
  readonly #graph: RandomGraph;
  readonly #isLive: () => boolean | undefined;
  readonly #backAfter: number | undefined;
  #left: number;
  #hasCome = false;

  /** `isLive`: whether the run, according to its rows, has not ended; undefined before it exists. */
  constructor(
    dice: SeededRandom,
    graph: RandomGraph,
    plan: Plan,
    isLive: () => boolean | undefined,
  ) {
    this.deploy = dice.pick(DEPLOYS);
    this.#plan = plan;
    this.#graph = graph;
    this.#isLive = isLive;
    this.#left = dice.int(1, STEPS_MAX);
    this.#backAfter = dice.chance(0.2) ? dice.int(1, 20) : undefined;
    deployed = (same) => same;
  }

  /** Called between any two steps; true if a deploy has just happened and the object is gone. */
  strikes(): boolean {
    this.#left -= 1;
    // A run that does not exist yet is created under the new code only.
    if (this.#left > 0 || (this.#isLive() === undefined && this.deploy.startsWith("another"))) {
      return false;
    }
    if (this.#hasCome) {
      deployed = (same) => same;
      this.#left = Infinity;
      return true;
    }
    this.#hasCome = true;
    deployed = (plan) => this.#changed(plan);
    this.#left = this.#backAfter ?? Infinity;
    return true;
  }

  /** After the crash: the rows are in the state that the new code finds. */
  look(): void {
    if (this.#isLive() === undefined && this.deploy.startsWith("another")) {
      // Its creation was not durable yet: the deploy waits until it is.
      deployed = (same) => same;
      this.#hasCome = false;
      this.#left = STEPS_MAX / 2;
      return;
    }
    const isBreaking = this.deploy === "a node removed" || this.#isOtherPlan();
    this.mustEnd = isBreaking && this.#isLive() === true && this.#backAfter === undefined;
  }

  #isOtherPlan(): boolean {
    return (
      this.deploy.startsWith("another") &&
      planFingerprintText(this.#changed(this.#plan)) !== planFingerprintText(this.#plan)
    );
  }

  #changed(plan: Plan): Plan {
    const [first] = plan.nodes;
    switch (this.deploy) {
      case "nothing that matters":
        return { ...plan, nodes: plan.nodes.map((node) => ({ ...node, work: node.work + 1 })) };
      case "a price":
        return withUnitCosts(plan, ({ costMilliCredits }) => 3 * costMilliCredits + 7);
      case "a node removed":
        throw new Error("there is no such node");
      case "another order": {
        const { definition } = this.#graph;
        return (
          compile({ ...definition, nodes: definition.nodes.toReversed() }, findSimulatedNode)
            .plan ?? plan
        );
      }
      case "another placement":
        return {
          ...plan,
          nodes: plan.nodes.map((node) =>
            node.type.role === "transform"
              ? { ...node, placement: node.placement === "task" ? "inline" : "task" }
              : node,
          ),
        };
      case "another version":
        return {
          ...plan,
          nodes: plan.nodes.map((node) =>
            node === first ? { ...node, type: { ...node.type, version: "99.0" } } : node,
          ),
        };
    }
  }
}
