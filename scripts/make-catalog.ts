/** The catalog of `samples/catalog`: its templates and its workflow, published through the API, and a run of it. */
import type { ApiClient } from "./api-client.ts";
import { publish, readSample } from "./provision.ts";
import { readResult, runToEnd } from "./run-workflow.ts";

/** The documents by the names that the workflow's nodes have for them. */
const DOCUMENTS = {
  card: "templates/airport-card.json",
  cover: "catalog/cover.json",
  end: "catalog/end.json",
} as const;

interface WorkflowSample {
  readonly definition: {
    readonly nodes: readonly {
      readonly id: string;
      readonly parameters: { readonly template_id?: string };
    }[];
  };
}

export interface Catalog {
  readonly pdf: Uint8Array;
  /** Cards, without the cover and the last page. */
  readonly cards: number;
}

/** Prints the airports of a state from an uploaded file. Throws if the run does not complete. */
export async function makeCatalog(
  client: ApiClient,
  { assetPath, state }: { readonly assetPath: string; readonly state: string },
): Promise<Catalog> {
  const workflow = await publishCatalog(client, state);
  const runId = await runToEnd(client, "The catalog's run", {
    workflow,
    inputs: {
      airports: { asset_path: assetPath },
      state: { value: JSON.stringify(state) },
    },
  });
  const { by_key: groups } = (await readResult(client, runId)).result;
  const url = groups["catalog"]?.url;
  const cards = groups["count"]?.value;
  if (typeof url !== "string" || typeof cards !== "number") {
    throw new Error("The catalog's run has no PDF.");
  }
  const response = await fetch(url);
  if (!response.ok) {
    throw new Error(`${url} returned ${response.status}.`);
  }
  return { pdf: new Uint8Array(await response.arrayBuffer()), cards };
}

async function publishCatalog(client: ApiClient, state: string): Promise<string> {
  const ids = new Map<string, string>();
  for (const [name, path] of Object.entries(DOCUMENTS)) {
    ids.set(name, await publishTemplate(client, name, await readSample(path)));
  }
  const sample = (await readSample("catalog/workflow.json")) as WorkflowSample;
  const nodes = sample.definition.nodes.map((node) => {
    const { template_id: name } = node.parameters;
    const parameters = {
      ...node.parameters,
      ...(name === undefined ? {} : { template_id: ids.get(name) }),
      ...(node.id === "in_state" ? { operand: state } : {}),
    };
    return { ...node, parameters };
  });
  return await publish(client, { ...sample, definition: { ...sample.definition, nodes } });
}

async function publishTemplate(client: ApiClient, name: string, content: unknown): Promise<string> {
  const templates = "/api/v1/design-templates";
  const { id, draft_etag: etag } = await client.call<{ id: string; draft_etag: string }>(
    "POST",
    templates,
    {
      body: { name: `Catalog: ${name}`, content },
      headers: { "idempotency-key": crypto.randomUUID() },
    },
  );
  await client.call("POST", `${templates}/${id}/draft/publish`, {
    headers: { "idempotency-key": crypto.randomUUID(), "if-match": `"${etag}"` },
  });
  return id;
}
