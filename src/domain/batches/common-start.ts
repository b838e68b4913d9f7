import type { CommonStart } from "../../contracts/batches/batch-object-api.ts";
import { References } from "../../engine/compile/references.ts";
import { pricedPlan } from "../../engine/plan/node-cost.ts";
import type { LoadedVersion } from "../workflows/versions/load-version.ts";

/** The parts of a start that the items of a batch have in common. */
export function commonStart(loaded: LoadedVersion, interfaceId: string | null): CommonStart {
  const { list } = loaded.references;
  const priced = pricedPlan(loaded.plan, [], new References(list));
  const entry = loaded.definition.interfaces.find(({ id }) => id === interfaceId);
  return {
    interface_id: interfaceId,
    output_node_ids: entry?.outputs.map(({ node }) => node) ?? null,
    unit_costs: priced.nodes
      .filter(({ costMilliCredits }) => costMilliCredits > 0)
      .map(({ id, costMilliCredits }) => ({ node_id: id, milli_credits: costMilliCredits })),
    references: list,
  };
}
