/** The product shoot of `samples/models`: its workflow, published through the API, and a run of it. */
import { mkdir } from "node:fs/promises";
import type { ApiClient } from "./api-client.ts";
import { publish, readSample } from "./provision.ts";
import { readResult, runToEnd } from "./run-workflow.ts";
import { saveOutputs } from "./save-outputs.ts";

export interface ProductShoot {
  readonly pictures: number;
  /** The models that were asked, as the trace counts them: `sample-image (7 calls)`. */
  readonly models: readonly string[];
}

interface TraceOfModels {
  readonly nodes: readonly {
    readonly models?: readonly { readonly model: string; readonly calls: number }[];
  }[];
}

/** Has models photograph, describe and announce a product; saves what they make. Throws if the run does not complete. */
export async function makeProductShoot(
  client: ApiClient,
  { product, directory }: { readonly product: string; readonly directory: string },
): Promise<ProductShoot> {
  await mkdir(directory, { recursive: true });
  const workflow = await publish(client, await readSample("models/workflow.json"));
  const inputs = { product: { value: JSON.stringify(product) } };
  const runId = await runToEnd(client, "The product shoot", { workflow, inputs });
  const { pictures } = await saveOutputs(await readResult(client, runId), directory);
  const trace = await client.call<TraceOfModels>("GET", `/api/v1/executions/${runId}/trace`);
  const calls = new Map<string, number>();
  for (const { model, calls: made } of trace.nodes.flatMap(({ models = [] }) => models)) {
    calls.set(model, (calls.get(model) ?? 0) + made);
  }
  return { pictures, models: [...calls].map(([model, made]) => `${model} (${made})`) };
}
