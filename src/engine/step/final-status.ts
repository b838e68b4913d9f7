import type { RunStatus } from "../../contracts/runs/run.ts";
import type { Layout } from "../layout/layout.ts";
import type { Outline } from "../plan/outline.ts";
import type { NodeState } from "./run-state.ts";

/** The parts of a plan or an outline that determine the status. */
interface Planned {
  readonly nodes: readonly Pick<Outline["nodes"][number], "scope">[];
  readonly scopes: Outline["scopes"];
  readonly outputs: readonly Pick<Outline["outputs"][number], "node">[];
}

/** [E16] `completed` without failed work; otherwise `partial_success` if any output is present, else `failed`. */
export function finalStatus(
  plan: Planned,
  layout: Layout,
  nodes: readonly NodeState[],
  /** The root stopped before every node was settled. */
  isStopped = false,
): Extract<RunStatus, "completed" | "partial_success" | "failed"> {
  const hasFailed =
    isStopped || nodes.some((node) => node.failed > 0 || node.whole?.status === "failed");
  if (!hasFailed) {
    return "completed";
  }
  const isAnyPresent = plan.outputs.some((output) => {
    const node = nodes[output.node];
    return node !== undefined && isOutputPresent(plan, layout, output.node, node);
  });
  return isAnyPresent ? "partial_success" : "failed";
}

function isOutputPresent(plan: Planned, layout: Layout, index: number, node: NodeState): boolean {
  if (node.ok > 0) {
    return true;
  }
  // An iterated output with zero items counts as present, unless its axis is absent as a whole.
  const scope = plan.nodes[index]?.scope ?? 0;
  const axes = plan.scopes[scope]?.axes ?? [];
  return node.phase === "settled" && node.total === 0 && !layout.hasAbsentAxis(axes, 0, 0);
}
