import type { NodeTypeDetail } from "../../contracts/workflows/node-type-entry.ts";
import type { Env } from "../../platform/env.ts";
import { readBuiltJson } from "../../platform/read-built-json.ts";

// Constant for a deployment.
let catalog: readonly NodeTypeDetail[] | undefined;

/**
 * The catalog's entry of every node type, as `describeCatalog` makes them. The API Worker reads them from its assets: it has
 * no descriptions of nodes and parameters (docs/decisions/bundle-size.md).
 */
export async function readNodeTypes(env: Pick<Env, "ASSETS">): Promise<readonly NodeTypeDetail[]> {
  catalog ??= await readBuiltJson<readonly NodeTypeDetail[]>(env, "node-types.json");
  return catalog;
}
