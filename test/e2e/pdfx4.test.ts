/** PDF/X-4 made in runs, checked file by file; its profile is deleted while a published version names it. */
import { randomUUID } from "node:crypto";
import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { pressProfile } from "../../scripts/press-profile.ts";
import { publish } from "../../scripts/provision.ts";
import { submitRun, waitForRun } from "../../scripts/run-workflow.ts";
import type { ApiClient } from "../../scripts/api-client.ts";
import { type SharedService, sharedService } from "../support/node/shared-service.ts";
import { readPdfTexts } from "../support/pdf/read-pdf-texts.ts";
import { checkX4 } from "../support/pdf/x4/check-x4.ts";
import { X4File } from "../support/pdf/x4/x4-file.ts";

let service: SharedService;
let client: ApiClient;

beforeAll(async () => {
  service = await sharedService();
  ({ client } = service);
});

async function send(method: string, path: string, body?: object | FormData) {
  const isForm = body instanceof FormData;
  const response = await fetch(new URL(path, service.baseUrl), {
    method,
    headers: {
      authorization: `Bearer ${await client.token()}`,
      "idempotency-key": randomUUID(),
      "if-match": "*",
      ...(body !== undefined && !isForm && { "content-type": "application/json" }),
    },
    ...(body !== undefined && { body: isForm ? body : JSON.stringify(body) }),
  });
  const text = await response.text();
  return { status: response.status, json: text === "" ? undefined : JSON.parse(text) };
}

/** A profile that no other test has. */
function ownProfile(): Uint8Array {
  const bytes = pressProfile();
  // The header's reserved bytes.
  bytes.set(Buffer.from(randomUUID()).subarray(0, 28), 100);
  return bytes;
}

async function newProfile(bytes: Uint8Array): Promise<string> {
  const form = new FormData();
  form.set("file", new File([Uint8Array.from(bytes)], "press.icc"));
  const { path: asset_path } = (await send("POST", "/api/v1/assets", form)).json;
  const made = await send("POST", "/api/v1/color-profiles", { asset_path, name: "Press 7" });
  expect(made.status).toBe(201);
  // Only the profile's own copy is left.
  await send("DELETE", `/api/v1/assets?path=${encodeURIComponent(asset_path)}`);
  return made.json.guid;
}

async function publishLabel(): Promise<string> {
  const guid = (n: number) => `00000000-0000-4000-8000-${String(n).padStart(12, "0")}`;
  const placeholder = { id: guid(3), name: "Name", code: "name", placeholderType: "text" };
  const link = { type: "url", url: "https://example.com/" };
  const box = { $type: "text", left: 10, width: 180, height: 30, top: 10 };
  const elements = [{ ...box, id: guid(2), text: "Nobody", placeholder, link }];
  const made = await send("POST", "/api/v1/design-templates", {
    name: "Label",
    content: { schemaVersion: "2.0", pages: [{ id: guid(1), width: 200, height: 100, elements }] },
  });
  const published = await send(
    "POST",
    `/api/v1/design-templates/${made.json.id}/draft/publish`,
    {},
  );
  expect(published.status).toBe(201);
  return made.json.id;
}

function definitionOf(template_id: string, color_profile_guid: string) {
  const x4 = { template_id, pdf_export_mode: "pdfx4", color_profile_guid };
  const node = (id: string, type: string, parameters: object = {}) => ({ id, type, parameters });
  const out = (key: string) => node(key, "output/document", { key });
  const link = (text: string) => {
    const [from, to] = text.split(" > ").map((end) => {
      const [name, port] = end.split(".");
      return { node: name, port };
    });
    return { from, to };
  };
  return {
    nodes: [
      node("rows", "input/json"),
      node("name", "utility/json_path", { path: "$.name", output_type: "text" }),
      node("print", "design/template_render", x4),
      node("pdf", "document/pdf", { ...x4, template_revision: 1 }),
      node("all", "aggregate/pdf", x4),
      ...["printed", "each", "whole"].map(out),
    ],
    connections: [
      "rows.item > print.data",
      "rows.item > name.json",
      "name.value > pdf.name",
      "name.value > all.name",
      "print.pdf > printed.document",
      "pdf.document > each.document",
      "all.document > whole.document",
    ].map(link),
  };
}

async function run(workflow: string) {
  const rows = { value: JSON.stringify([{ name: "Zoë" }, { name: "Ada" }]) };
  const id = await submitRun(client, { workflow, inputs: { rows } });
  return await waitForRun(client, id, { timeoutMs: 60_000 });
}

async function filesOf(id: string): Promise<Uint8Array[]> {
  type Group = { readonly url?: string; readonly items?: readonly { readonly url: string }[] };
  const { result } = await client.call<{ result: { by_key: Record<string, Group> } }>(
    "GET",
    `/api/v1/executions/${id}/result`,
  );
  const urls = Object.values(result.by_key).flatMap(({ url, items }) =>
    items === undefined ? [url ?? ""] : items.map((item) => item.url),
  );
  return await Promise.all(
    urls.map(async (url) => new Uint8Array(await (await fetch(url)).arrayBuffer())),
  );
}

test("nodes print PDF/X-4, also with a profile that was deleted since, until its bytes are lost", async () => {
  const template = await publishLabel();
  const bytes = ownProfile();
  const profile = await newProfile(bytes);
  const definition = definitionOf(template, profile);
  const workflow = await publish(client, { name: "Flyers", definition });
  expect((await send("DELETE", `/api/v1/color-profiles/${profile}`)).status).toBe(204);

  const done = await run(workflow);
  expect(done, JSON.stringify(done)).toMatchObject({ status: "completed" });
  const files = await filesOf(done.id);
  expect(files).toHaveLength(5);
  for (const file of files) {
    expect(await checkX4(file)).toEqual([]);
    expect(Buffer.compare((await X4File.read(file)).profile!, bytes)).toBe(0);
  }
  // The texts are there for search and copy, as in a standard file.
  const texts = (await Promise.all(files.map(readPdfTexts))).flat().map((text) => text.trim());
  expect(texts.toSorted()).toEqual(["Ada", "Ada", "Ada", "Zoë", "Zoë", "Zoë"]);
  const pages = await Promise.all(
    files.map(async (file) => (await X4File.read(file)).pages.length),
  );
  expect(pages.toSorted((a, b) => a - b)).toEqual([1, 1, 1, 1, 2]);

  const { json } = await send("POST", "/api/v1/workflows/validate", { definition });
  expect(
    json.errors.map((one: { code: string; path: string }) => `${one.code} ${one.path}`),
  ).toEqual([2, 3, 4].map((at) => `INVALID_PARAMETER nodes[${at}].parameters.color_profile_guid`));
  const draft = await send("PUT", `/api/v1/workflows/${workflow}/definition`, definition);
  const again = await send("POST", `/api/v1/workflows/${workflow}/publish`, {});
  expect([draft.status < 300, again.status >= 400], JSON.stringify([draft, again])).toEqual([
    true,
    true,
  ]);

  // The renderer keeps the profiles that it has read; another one is read from the store.
  const lost = ownProfile();
  const losing = await publish(client, {
    name: "Lost",
    definition: definitionOf(template, await newProfile(lost)),
  });
  expect(replaceStored(lost)).toBe(1);
  const failed = await run(losing);
  expect(failed).toMatchObject({ status: "failed", error_code: "COLOR_PROFILE_INVALID" });
});

/** Damages the file in the store of the running service that has these bytes, and returns how many there are. */
function replaceStored(bytes: Uint8Array): number {
  let replaced = 0;
  // Other files of the service come and go meanwhile.
  const blobs = join(service.directory, "r2", "edgeloom-files", "blobs");
  for (const name of readdirSync(blobs)) {
    const path = join(blobs, name);
    const { size } = statSync(path, { throwIfNoEntry: false }) ?? { size: -1 };
    if (size === bytes.byteLength && Buffer.compare(readFileSync(path), bytes) === 0) {
      const damaged = Buffer.from(bytes);
      damaged[200] = 1 + (damaged[200] ?? 0);
      writeFileSync(path, damaged);
      replaced += 1;
    }
  }
  return replaced;
}
