/** Runs of template nodes over the API of a service: templates, workflows, and the files that they made. */
import type { ApiClient } from "../../../scripts/api-client.ts";
import { publish } from "../../../scripts/provision.ts";
import { readResult, submitRun, waitForRun } from "../../../scripts/run-workflow.ts";
import { readPdfTexts } from "../pdf/read-pdf-texts.ts";

export const TEMPLATES = "/api/v1/design-templates";

/** The ids of a test's elements. */
export const guid = (n: number) => `00000000-0000-4000-8000-${String(n).padStart(12, "0")}`;

/** Headers of an edit, or of a publish, that no other writer disturbs. */
export const edit = () => ({ "idempotency-key": crypto.randomUUID(), "if-match": "*" });

export const node = (id: string, type: string, parameters: object = {}) => ({
  id,
  type,
  parameters,
});

/** `a.out > b.in` as a connection. */
function link(text: string): object {
  const [from, to] = text.split(" > ").map((end) => {
    const [id, port] = end.split(".");
    return { node: id, port };
  });
  return { from, to };
}

/** The id of a template whose first revision is the document. */
export async function publishTemplate(client: ApiClient, content: object): Promise<string> {
  const { id } = await client.call<{ id: string }>("POST", TEMPLATES, {
    body: { name: "Label", content },
    headers: edit(),
  });
  await client.call("POST", `${TEMPLATES}/${id}/draft/publish`, { body: {}, headers: edit() });
  return id;
}

/** Replaces the draft, and publishes it as the next revision. */
export async function publishRevision(
  client: ApiClient,
  id: string,
  content: object,
): Promise<void> {
  const draft = `${TEMPLATES}/${id}/draft`;
  await client.call("PUT", `${draft}/content`, { body: content, headers: edit() });
  await client.call("POST", `${draft}/publish`, { body: {}, headers: edit() });
}

/** The id of a published workflow. */
export async function publishNodes(
  client: ApiClient,
  nodes: readonly object[],
  links: readonly string[],
): Promise<string> {
  return await publish(client, {
    name: "Prints",
    definition: { nodes, connections: links.map(link) },
  });
}

/** Submits a run with JSON values by input, and returns it when it has ended. */
export async function runTo(
  client: ApiClient,
  workflow: string,
  values: Readonly<Record<string, unknown>>,
): ReturnType<typeof waitForRun> {
  const inputs = Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name, { value: JSON.stringify(value) }]),
  );
  return await waitForRun(client, await submitRun(client, { workflow, inputs }));
}

/** The files that a run returns at an output, in order. */
export async function filesOf(
  client: ApiClient,
  run: string,
  key = "pdf",
): Promise<readonly Uint8Array[]> {
  const { result } = await readResult(client, run);
  const group = result.by_key[key]!;
  const urls = group.items.length > 0 ? group.items.map(({ url }) => url!) : [group.url!];
  return await Promise.all(
    urls.map(async (url) => new Uint8Array(await (await fetch(url)).arrayBuffer())),
  );
}

/** The text of each page, with single spaces. */
export async function wordsOf(files: readonly Uint8Array[]): Promise<string[]> {
  return (await Promise.all(files.map(readPdfTexts)))
    .flat()
    .map((text) => text.replaceAll(/\s+/g, " ").trim());
}

/** Uploads a font family of one file. */
export async function uploadFont(
  client: ApiClient,
  displayName: string,
  bytes: Uint8Array,
): Promise<Response> {
  const form = new FormData();
  form.append("displayName", displayName);
  form.append("category", "serif");
  form.append("licenseAcknowledged", "true");
  form.append("files", new File([bytes.slice()], "font.ttf"));
  return await fetch(`${client.baseUrl}/api/v1/fonts`, {
    method: "POST",
    headers: { authorization: `Bearer ${await client.token()}` },
    body: form,
  });
}
