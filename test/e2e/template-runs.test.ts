/** Runs whose template takes seconds to lay out: they are cancelled, and go on when the template is archived. */
import "../support/only-in-proof.ts";
import { beforeAll, expect, test } from "vitest";
import type { ApiClient } from "../../scripts/api-client.ts";
import { publish } from "../../scripts/provision.ts";
import { readResult, submitRun, waitForRun } from "../../scripts/run-workflow.ts";
import { readPdfTexts } from "../support/pdf/read-pdf-texts.ts";
import { sharedService } from "../support/node/shared-service.ts";
import { waitUntil } from "../support/wait-until.ts";

const TEMPLATES = "/api/v1/design-templates";
/** Texts of the slow template; each is the same value of some thousand characters. */
const TEXTS = 900;
const VALUE = "word ".repeat(1_800);

let client: ApiClient;
/** How long a run with the slow template takes on this machine. */
let wholeMs: number;

beforeAll(async () => {
  ({ client } = await sharedService());
  const workflow = await workflowOf("design/template_render", "pdf", await template(TEXTS));
  const began = performance.now();
  const run = await submit(workflow);
  expect(await waitForRun(client, run)).toMatchObject({ status: "completed" });
  wholeMs = performance.now() - began;
}, 180_000);

const guid = (n: number) => `00000000-0000-4000-8000-${String(n).padStart(12, "0")}`;
const edit = () => ({ "idempotency-key": crypto.randomUUID(), "if-match": "*" });

/** A published template with one field in so many texts. */
async function template(texts: number): Promise<string> {
  const elements = Array.from({ length: texts }, (_, number) => ({
    $type: "text",
    id: guid(number + 10),
    width: 180,
    height: 20,
    text: "Nothing",
    placeholder: { id: guid(2), name: "Text", code: "text", placeholderType: "text" },
  }));
  const content = {
    schemaVersion: "2.0",
    pages: [{ id: guid(1), width: 200, height: 100, elements }],
  };
  const { id } = await client.call<{ id: string }>("POST", TEMPLATES, {
    body: { name: "Slow", content },
    headers: edit(),
  });
  await client.call("POST", `${TEMPLATES}/${id}/draft/publish`, { body: {}, headers: edit() });
  return id;
}

const link = (from: string, to: string) => {
  const end = (text: string) => ({ node: text.split(".")[0], port: text.split(".")[1] });
  return { from: end(from), to: end(to) };
};

async function workflowOf(type: string, out: string, template_id: string): Promise<string> {
  return await publish(client, {
    name: "Slow",
    definition: {
      nodes: [
        { id: "text", type: "input/text" },
        { id: "print", type, parameters: { template_id } },
        { id: "out", type: "output/document", parameters: { key: "pdf" } },
      ],
      connections: [link("text.text", "print.text"), link(`print.${out}`, "out.document")],
    },
  });
}

interface Trace {
  readonly nodes: readonly { readonly node_id: string; readonly state: string }[];
}

const isPrinting = async (run: string) => {
  const { nodes } = await client.call<Trace>("GET", `/api/v1/executions/${run}/trace`);
  return nodes.some(({ node_id: id, state }) => id === "print" && state === "running");
};

const submit = (workflow: string) =>
  submitRun(client, { workflow, inputs: { text: { value: JSON.stringify(VALUE) } } });

/** A run whose node has been in the renderer for a while. */
async function printing(workflow: string): Promise<string> {
  const run = await submit(workflow);
  await waitUntil("the node", () => isPrinting(run));
  await new Promise((resolve) => setTimeout(resolve, wholeMs / 10));
  expect(await isPrinting(run)).toBe(true);
  return run;
}

/** How long a render of a small template takes. */
async function smallRenderMs(id: string): Promise<number> {
  const began = performance.now();
  const made = await client.send("POST", `${TEMPLATES}/${id}/versions/1/render`, {
    body: { values: { text: "Small" } },
  });
  expect(made.status).toBe(200);
  await made.arrayBuffer();
  return performance.now() - began;
}

test.each([
  ["design/template_render", "pdf"],
  ["document/pdf", "document"],
  ["aggregate/pdf", "document"],
])("a run in the middle of %s is cancelled, and the renderer is free", async (type, out) => {
  const small = await template(1);
  const alone = await smallRenderMs(small);
  const run = await printing(await workflowOf(type, out, await template(TEXTS)));
  const began = performance.now();
  await client.call("POST", `/api/v1/executions/${run}/cancel`);
  expect(await waitForRun(client, run)).toMatchObject({ status: "cancelled" });
  const after = await smallRenderMs(small);
  const tookMs = performance.now() - began;
  process.stderr.write(
    `${type}: cancelled and free after ${Math.round(tookMs)} ms; the small render took ${Math.round(alone)} ms before, ${Math.round(after)} ms after, and a whole run ${Math.round(wholeMs)} ms\n`,
  );
  // The rest of the render would take longer.
  expect(tookMs).toBeLessThan(0.8 * wholeMs);
});

test("a run prints the revision that it pinned although the template is archived meanwhile", async () => {
  const id = await template(TEXTS);
  const run = await printing(await workflowOf("design/template_render", "pdf", id));
  await client.call("POST", `${TEMPLATES}/${id}/archive`);
  const { status: archived } = await client.call<{ status: string }>("GET", `${TEMPLATES}/${id}`);
  expect([archived, await isPrinting(run)]).toEqual(["archived", true]);
  expect(await waitForRun(client, run)).toMatchObject({ status: "completed" });
  const { result } = await readResult(client, run);
  const file = await fetch(result.by_key["pdf"]!.url!);
  const [text] = await readPdfTexts(new Uint8Array(await file.arrayBuffer()));
  expect(text?.trim().slice(0, 9)).toBe("word word");
});
