/** Documents made in a run by the renderer, read with another PDF reader. */
import { createHash } from "node:crypto";
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
