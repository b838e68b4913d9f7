/** Documents made in a run by the renderer, read with another PDF reader. */
import { createHash, randomUUID } from "node:crypto";
import { PDFDocument } from "pdf-lib";
import { beforeAll, expect, test } from "vitest";
import { publish } from "../../scripts/provision.ts";
import { submitRun, waitForRun } from "../../scripts/run-workflow.ts";
import type { ApiClient } from "../../scripts/api-client.ts";
import { readPdfTexts } from "../support/pdf/read-pdf-texts.ts";
import { type SharedService, sharedService } from "../support/node/shared-service.ts";

let service: SharedService;
let client: ApiClient;

beforeAll(async () => {
  service = await sharedService();
  ({ client } = service);
});

async function upload(name: string, bytes: Uint8Array): Promise<string> {
  const form = new FormData();
  form.set("file", new File([Uint8Array.from(bytes)], name));
  const response = await fetch(new URL("/api/v1/assets", service.baseUrl), {
    method: "POST",
    headers: { authorization: `Bearer ${await client.token()}` },
    body: form,
  });
  expect(response.status).toBe(201);
  return ((await response.json()) as { path: string }).path;
}

async function pdfOf(...pages: string[]): Promise<Uint8Array> {
  const document = await PDFDocument.create();
  for (const text of pages) {
    document.addPage([200, 100]).drawText(text, { x: 10, y: 50, size: 12 });
  }
  return document.save();
}

test("a template that is published renders its values, for the reader of a PDF", async () => {
  const guid = (n: number) => `00000000-0000-4000-8000-${String(n).padStart(12, "0")}`;
  const placeholder = { id: guid(3), name: "Name", code: "name", placeholderType: "text" };
  const box = { left: 10, width: 180, height: 30, fontSize: 14 };
  const content = {
    schemaVersion: "2.0",
    pages: [
      {
        id: guid(1),
        width: 200,
        height: 100,
        elements: [
          { $type: "text", id: guid(2), top: 10, text: "Nobody", placeholder, ...box },
          { $type: "text", id: guid(4), top: 50, text: "Page {{page}} of {{pages}}", ...box },
        ],
      },
    ],
  };
  const send = async (path: string, body: unknown, headers: Record<string, string> = {}) =>
    fetch(new URL(`/api/v1/design-templates${path}`, service.baseUrl), {
      method: "POST",
      headers: {
        authorization: `Bearer ${await client.token()}`,
        "content-type": "application/json",
        "idempotency-key": randomUUID(),
        ...headers,
      },
      body: JSON.stringify(body),
    });
  const created = await send("", { name: "Label", content });
  expect(created.status).toBe(201);
  const { id, draft_etag: etag } = (await created.json()) as { id: string; draft_etag: string };
  const published = await send(`/${id}/draft/publish`, {}, { "if-match": `"${etag}"` });
  expect(published.status).toBe(201);
  const rendered = await send(`/${id}/versions/1/render`, { values: { name: "Zoë Ångström" } });
  expect(rendered.status).toBe(200);
  const texts = await readPdfTexts(new Uint8Array(await rendered.arrayBuffer()));
  expect(texts.map((text) => text.replaceAll(/\s+/g, " "))).toEqual(["Zoë Ångström Page 1 of 1"]);
});

const definition = {
  nodes: [
    { id: "cover", type: "input/document" },
    { id: "body", type: "input/document" },
    { id: "join", type: "utility/merge_pdf", parameters: { file_name: "whole.pdf" } },
    { id: "pdf", type: "output/document", parameters: { key: "pdf" } },
  ],
  connections: [
    { from: { node: "cover", port: "document" }, to: { node: "join", port: "documents" } },
    { from: { node: "body", port: "document" }, to: { node: "join", port: "documents" } },
    { from: { node: "join", port: "document" }, to: { node: "pdf", port: "document" } },
  ],
};

async function runOf(workflow: string, cover: string, body: string) {
  const id = await submitRun(client, {
    workflow,
    inputs: { cover: { asset_path: cover }, body: { asset_path: body } },
  });
  return waitForRun(client, id, { timeoutMs: 60_000 });
}

async function urlOf(id: string): Promise<string> {
  const { result } = await client.call<{ result: { by_key: Record<string, { url: string }> } }>(
    "GET",
    `/api/v1/executions/${id}/result`,
  );
  return result.by_key["pdf"]!.url;
}

test("utility/merge_pdf joins documents in a run, in order, with the same bytes each time", async () => {
  const workflow = await publish(client, { name: "Merge", definition });
  const cover = await upload("cover.pdf", await pdfOf("Cover"));
  const body = await upload("body.pdf", await pdfOf("First", "Second"));
  const files: Uint8Array[] = [];
  for (let round = 0; round < 2; round++) {
    const run = await runOf(workflow, cover, body);
    expect(run, JSON.stringify(run)).toMatchObject({ status: "completed" });
    const url = await urlOf(run.id);
    expect(url).toContain("whole.pdf");
    files.push(new Uint8Array(await (await fetch(url)).arrayBuffer()));
  }
  expect(await readPdfTexts(files[0]!)).toEqual(["Cover", "First", "Second"]);
  const [one, two] = files.map((bytes) => createHash("sha256").update(bytes).digest("hex"));
  expect(one).toBe(two);

  const damaged = await upload("damaged.pdf", (await pdfOf("Cut off")).slice(0, 300));
  const failed = await runOf(workflow, cover, damaged);
  expect(failed).toMatchObject({ status: "failed" });
  expect(failed.error_message).toContain('Document 2 ("damaged.pdf")');
});
