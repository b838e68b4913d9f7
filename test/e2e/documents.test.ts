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

const guid = (n: number) => `00000000-0000-4000-8000-${String(n).padStart(12, "0")}`;

async function send(path: string, body: unknown, headers: Record<string, string> = {}) {
  return fetch(new URL(`/api/v1/design-templates${path}`, service.baseUrl), {
    method: "POST",
    headers: {
      authorization: `Bearer ${await client.token()}`,
      "content-type": "application/json",
      "idempotency-key": randomUUID(),
      ...headers,
    },
    body: JSON.stringify(body),
  });
}

/** A published template with a required name, a logo, and the page's number; its id. */
async function publishLabel(): Promise<string> {
  const placeholder = (n: number, code: string, placeholderType: string, required: boolean) => ({
    placeholder: { id: guid(n), name: code, code, placeholderType, required },
  });
  const box = { left: 10, width: 180, height: 30, fontSize: 14 };
  const name = { ...box, ...placeholder(3, "name", "text", true) };
  const logo = { left: 170, top: 70, width: 20, height: 20 };
  const content = {
    schemaVersion: "2.0",
    pages: [
      {
        id: guid(1),
        width: 200,
        height: 100,
        elements: [
          { $type: "text", id: guid(2), top: 10, text: "Nobody", ...name },
          { $type: "text", id: guid(4), top: 50, text: "Page {{page}} of {{pages}}", ...box },
          { $type: "image", id: guid(5), ...logo, ...placeholder(6, "logo", "image", false) },
        ],
      },
    ],
  };
  const created = await send("", { name: "Label", content });
  expect(created.status).toBe(201);
  const { id, draft_etag: etag } = (await created.json()) as { id: string; draft_etag: string };
  const published = await send(`/${id}/draft/publish`, {}, { "if-match": `"${etag}"` });
  expect(published.status, await published.clone().text()).toBe(201);
  return id;
}

const PNG =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==";

const wordsOf = async (bytes: Uint8Array) =>
  (await readPdfTexts(bytes)).map((text) => text.replaceAll(/\s+/g, " ").trim());

test("a template that is published renders its values, for the reader of a PDF", async () => {
  const id = await publishLabel();
  const rendered = await send(`/${id}/versions/1/render`, { values: { name: "Zoë Ångström" } });
  expect(rendered.status).toBe(200);
  const bytes = new Uint8Array(await rendered.arrayBuffer());
  expect(await wordsOf(bytes)).toEqual(["Zoë Ångström Page 1 of 1"]);
});

test("a run prints a template for each item, and all items as one PDF with a cover", async () => {
  const template_id = await publishLabel();
  const node = (id: string, type: string, parameters: object = {}) => ({ id, type, parameters });
  const link = (text: string) => {
    const [from, to] = text.split(" > ").map((end) => {
      const [name, port] = end.split(".");
      return { node: name, port };
    });
    return { from, to };
  };
  const workflow = await publish(client, {
    name: "Labels",
    definition: {
      nodes: [
        node("rows", "input/json"),
        node("cover", "input/document"),
        node("logo", "input/image"),
        node("one", "design/template_render", {
          template_id,
          output: "both",
          max_page_dimension: 200,
        }),
        node("page", "enumerate/json", { path: "$.pages" }),
        node("ref", "utility/json_path", { path: "$.image.storage_ref", output_type: "text" }),
        node("picture", "utility/media_from_url", { media_type: "image" }),
        node("name", "utility/json_path", { path: "$.name", output_type: "text" }),
        node("all", "aggregate/pdf", { template_id, file_name: "labels.pdf" }),
        node("each", "output/document", { key: "each" }),
        node("pictures", "output/image", { key: "pictures" }),
        node("pdf", "output/document", { key: "pdf" }),
        node("check", "output/json", { key: "check" }),
      ],
      connections: [
        "rows.item > one.data",
        "rows.item > name.json",
        "name.value > all.name",
        "cover.document > all.introPdf",
        "logo.image > all.logo",
        "logo.image > one.logo",
        "one.pages_manifest > page.json",
        "page.item > ref.json",
        "ref.value > picture.url",
        "picture.media > pictures.image",
        "one.pdf > each.document",
        "one.quality_check > check.json",
        "all.document > pdf.document",
      ].map(link),
    },
  });
  const rowsOf = (...rows: object[]) => ({ value: JSON.stringify(rows) });
  const inputs = {
    rows: rowsOf({ name: "Zoë", unknown: 1 }, { name: "Ada" }),
    cover: { asset_path: await upload("cover.pdf", await pdfOf("Cover")) },
    logo: { asset_path: await upload("logo.png", Buffer.from(PNG, "base64")) },
  };
  const id = await submitRun(client, { workflow, inputs });
  const run = await waitForRun(client, id, { timeoutMs: 60_000 });
  expect(run, JSON.stringify(run)).toMatchObject({ status: "completed" });
  const { result } = await client.call<{
    result: {
      by_key: Record<string, { url: string; items: { url: string; value: { passed: boolean } }[] }>;
    };
  }>("GET", `/api/v1/executions/${id}/result`);
  const groups = result.by_key;
  const read = async (url: string) => new Uint8Array(await (await fetch(url)).arrayBuffer());
  const each = await Promise.all(groups["each"]!.items.map(({ url }) => read(url).then(wordsOf)));
  expect(each).toEqual([["Zoë Page 1 of 1"], ["Ada Page 1 of 1"]]);
  expect(groups["check"]!.items.map(({ value }) => value.passed)).toEqual([true, true]);
  const [picture] = await Promise.all(groups["pictures"]!.items.map(({ url }) => read(url)));
  // Width and height of a PNG.
  const { buffer, byteOffset } = picture!;
  expect([16, 20].map((at) => new DataView(buffer, byteOffset).getUint32(at))).toEqual([200, 100]);
  expect(groups["pdf"]!.url).toContain("labels.pdf");
  const whole = await read(groups["pdf"]!.url);
  expect(await wordsOf(whole)).toEqual(["Cover", "Zoë Page 1 of 1", "Ada Page 1 of 1"]);
  const { context } = await PDFDocument.load(whole);
  const countOf = (entry: RegExp) =>
    context.enumerateIndirectObjects().filter(([, object]) => entry.test(String(object))).length;
  // The cover has one of the standard fonts, which is not embedded; the picture has a soft mask.
  expect([countOf(/\/FontFile2\b/), countOf(/\/Subtype \/Image\b/)]).toEqual([1, 2]);

  const failing = await submitRun(client, {
    workflow,
    inputs: { ...inputs, rows: rowsOf({ name: null }) },
  });
  const failed = await waitForRun(client, failing, { timeoutMs: 60_000 });
  expect(failed).toMatchObject({ status: "failed", error_code: "MISSING_REQUIRED_FIELD" });
});

test("utility/media_from_url takes a stored file of the workspace by its reference", async () => {
  const workflow = await publish(client, {
    name: "Stored",
    definition: {
      nodes: [
        { id: "ref", type: "input/text" },
        { id: "file", type: "utility/media_from_url", parameters: { media_type: "image" } },
        { id: "out", type: "output/image", parameters: { key: "pdf" } },
      ],
      connections: [
        { from: { node: "ref", port: "text" }, to: { node: "file", port: "url" } },
        { from: { node: "file", port: "media" }, to: { node: "out", port: "image" } },
      ],
    },
  });
  const runWith = async (path: string) => {
    const inputs = { ref: { value: JSON.stringify(`storage://${path}`) } };
    const id = await submitRun(client, { workflow, inputs });
    return waitForRun(client, id, { timeoutMs: 60_000 });
  };
  const bytes = Buffer.from(PNG, "base64");
  const run = await runWith(await upload("stored.png", bytes));
  expect(run, JSON.stringify(run)).toMatchObject({ status: "completed" });
  const url = await urlOf(run.id);
  expect(Buffer.from(await (await fetch(url)).arrayBuffer())).toEqual(bytes);
  // Of another run: the file is copied, and stays when that run is deleted.
  const copied = await runWith(new URL(url).pathname.replace("/files/", ""));
  expect(copied, JSON.stringify(copied)).toMatchObject({ status: "completed" });
  expect(await urlOf(copied.id)).not.toBe(url);

  const pdf = await upload("stored.pdf", await pdfOf("One"));
  expect(await runWith(pdf)).toMatchObject({ error_code: "MEDIA_TYPE_MISMATCH" });
  expect(await runWith("nothing.png")).toMatchObject({ error_code: "FILE_MISSING" });
  const elsewhere = url.replace(/^.*?\/files\/ws_[0-9a-f]{32}/, `ws_${"0".repeat(32)}`);
  expect(await runWith(elsewhere)).toMatchObject({ error_code: "FILE_MISSING" });
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

test("runs of a published workflow meet its draft as it is: a lost field, an absent value, a deleted template", async () => {
  const element = (n: number, code: string, top: number) => ({
    $type: "text",
    id: guid(n),
    left: 10,
    top,
    width: 180,
    height: 30,
    text: "Authored",
    placeholder: { id: guid(n + 10), name: code, code, placeholderType: "text" },
  });
  const contentOf = (...elements: object[]) => ({
    schemaVersion: "2.0",
    pages: [{ id: guid(1), width: 200, height: 100, elements }],
  });
  const both = contentOf(element(2, "name", 10), element(3, "place", 50));
  const created = await send("", { name: "Note", content: both });
  const { id: template_id } = (await created.json()) as { id: string };
  const workflow = await publish(client, {
    name: "Notes",
    definition: {
      nodes: [
        { id: "name", type: "input/text" },
        { id: "place", type: "input/text", parameters: { required: false } },
        { id: "print", type: "document/pdf", parameters: { template_id } },
        { id: "out", type: "output/document", parameters: { key: "pdf" } },
      ],
      connections: [
        { from: { node: "name", port: "text" }, to: { node: "print", port: "name" } },
        { from: { node: "place", port: "text" }, to: { node: "print", port: "place" } },
        { from: { node: "print", port: "document" }, to: { node: "out", port: "document" } },
      ],
    },
  });
  const runWith = async (values: Record<string, string>) => {
    const inputs = Object.fromEntries(
      Object.entries(values).map(([key, value]) => [key, { value: JSON.stringify(value) }]),
    );
    const id = await submitRun(client, { workflow, inputs });
    return waitForRun(client, id, { timeoutMs: 60_000 });
  };
  const printed = async (id: string) =>
    wordsOf(new Uint8Array(await (await fetch(await urlOf(id))).arrayBuffer()));
  // Nothing is given for the place: the template's own text prints.
  const absent = await runWith({ name: "Ada" });
  expect(await printed(absent.id)).toEqual(["Ada Authored"]);

  const path = `/api/v1/design-templates/${template_id}`;
  await client.call("PUT", `${path}/draft/content`, {
    body: contentOf(element(2, "name", 10)),
    headers: { "if-match": "*", "idempotency-key": randomUUID() },
  });
  expect(await printed((await runWith({ name: "Ada" })).id)).toEqual(["Ada"]);
  expect(await runWith({ name: "Ada", place: "Rome" })).toMatchObject({
    status: "failed",
    error_code: "TEMPLATE_FIELD_UNKNOWN",
  });
  await client.call("DELETE", path);
  expect(await runWith({ name: "Ada" })).toMatchObject({
    status: "failed",
    error_code: "TEMPLATE_NOT_AVAILABLE",
  });
});
