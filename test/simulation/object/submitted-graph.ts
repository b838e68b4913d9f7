/** Random graphs as a world submits them. */
import type { RunStart } from "../../../src/contracts/runs/run.ts";
import type { Plan } from "../../../src/engine/plan/plan.ts";
import { stringifyJson } from "../../../src/lib/json/exact-json.ts";
import type { RandomGraph } from "../random-graph.ts";

/** More than a run may have with the runner. */
const WIDE_TASKS = 80;

/** The graph with a fan-out to tasks beside it. */
export function widened({ definition, inputs }: RandomGraph): RandomGraph {
  const range = { start: 1, end: WIDE_TASKS, step: 1 };
  return {
    inputs,
    definition: {
      ...definition,
      nodes: [
        ...definition.nodes,
        { id: "wide_range", type: "enumerate/range", parameters: range },
        { id: "wide_task", type: "fake/task", parameters: { seed: 1 } },
        { id: "wide_output", type: "output/json", parameters: {} },
      ],
      connections: [
        ...definition.connections,
        {
          from: { node: "wide_range", port: "value" },
          to: { node: "wide_task", port: "value" },
        },
        { from: { node: "wide_task", port: "out" }, to: { node: "wide_output", port: "json" } },
      ],
    },
  };
}

/** As submit passes them to the run: with defaults, each in the form that its node reads. */
export function submittedInputs(plan: Plan, { inputs }: RandomGraph): RunStart["inputs"] {
  return plan.inputs.flatMap(({ node: index }) => {
    const { id, type, params } = plan.nodes[index]!;
    if (type.role !== "input") {
      return [];
    }
    const value = inputs.has(id) ? inputs.get(id) : type.defaultValue(params);
    const parsed = value === undefined ? undefined : type.parse(value, params);
    return parsed !== undefined && "value" in parsed
      ? [{ node_id: id, value_json: stringifyJson(parsed.value) }]
      : [];
  });
}
