import { expect, test } from "vitest";
import { call, newCaller } from "../../support/api-caller.ts";

const { token } = await newCaller();
const get = (path: string, headers: Record<string, string> = {}) =>
  call("GET", `/api/v1/${path}`, { token, headers });

test("the catalog's responses are English, have a tag, and are 304 for clients that have them", async () => {
  for (const path of [
    "node-types",
    "node-types?search=json",
    "node-types/utility/calculate",
    "node-types/utility/calculate/models",
    "models",
    "models?capability=text_to_image",
    "models/sample-image/params-schema",
    "models/sample-voice/voices",
    "capabilities",
    "presets?category=art_style",
    "effects?limit=3",
    "json-schemas/svc.quality-check/v1",
  ]) {
    const first = await get(path);
    expect([first.status, first.headers.get("content-language")], path).toEqual([200, "en"]);
    const etag = first.headers.get("etag") ?? "";
    const again = await get(path, { "if-none-match": etag });
    expect([again.status, again.text, again.headers.get("etag")], path).toEqual([304, "", etag]);
    expect((await get(path, { "if-none-match": '"another"' })).text, path).toBe(first.text);
  }
});

test("unknown catalog entries are 404, including prototype names", async () => {
  for (const path of [
    "node-types/utility/none",
    "node-types/__proto__/constructor",
    "node-types/utility/none/models",
    "models/no-such-model/params-schema",
    "models/__proto__/params-schema",
    "models/no-such-model/voices",
    "models/sample-image/voices",
    "models/__proto__/voices",
    "json-schemas/svc.none/v1",
    "json-schemas/constructor",
  ]) {
    const { status, json } = await get(path);
    expect([status, json.code], path).toEqual([404, "not_found"]);
  }
});

test("models that this release can call are listed, for the node types that use them, and the vocabulary is", async () => {
  const { data } = (await get("models")).json as { data: readonly { model: string }[] };
  expect(data.map(({ model }) => model)).toEqual([
    "sample-cutout",
    "sample-image",
    "sample-stems",
    "sample-text",
    "sample-transcript",
    "sample-upscale",
    "sample-voice",
  ]);
  expect((await get("models/sample-image/params-schema")).json.defaults).toEqual({
    accent: "auto",
  });
  expect((await get("node-types/ai/showroom_visualizer/models")).json.capabilities).toMatchObject([
    { capability: "multi_image_edit", default_model: "sample-image", default_source: "system" },
  ]);
  expect((await get("node-types/utility/calculate/models")).json).toEqual({
    node_type: "utility/calculate",
    capabilities: [],
  });
  expect((await get("capabilities")).json.total_count).toBe(9);
  expect((await get("presets?category=text_tone")).json.total_count).toBe(6);
  expect((await get("effects")).json.total_count).toBe(16);
});

test("a cursor of another list is 400 invalid_request", async () => {
  for (const path of ["models", "capabilities", "presets", "effects"]) {
    const { status, json } = await get(`${path}?starting_after=nowhere`);
    expect([status, json.code], path).toEqual([400, "invalid_request"]);
  }
});
