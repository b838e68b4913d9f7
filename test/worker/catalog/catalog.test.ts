import { expect, test } from "vitest";
import { call, type Caller, newCaller, operator } from "../../support/api-caller.ts";

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

test("every list is the whole of its pages, with its filters, each page English and with a tag of its own", async () => {
  const lists: readonly (readonly [path: string, filter: readonly [string, string] | null])[] = [
    ["node-types", null],
    ["node-types", ["category", "ai"]],
    ["models", null],
    ["models", ["capability", "image_edit"]],
    ["models/sample-voice/voices", null],
    ["capabilities", null],
    ["presets", null],
    ["presets", ["category", "art_style"]],
    ["effects", null],
    ["effects", ["category", "lens"]],
  ];
  for (const [path, filter] of lists) {
    const query = filter === null ? "" : `&${filter.join("=")}`;
    const whole = await get(`${path}?${query}`);
    const items = whole.json.data as readonly Record<string, unknown>[];
    const limit = Math.max(1, Math.ceil(items.length / 3));
    const pages: unknown[] = [];
    const tags = new Set<string | null>();
    for (let cursor = ""; ;) {
      const page = await get(`${path}?limit=${limit}${query}${cursor}`);
      expect([page.status, page.json.total_count], path).toEqual([200, items.length]);
      expect(page.headers.get("content-language")).toBe("en");
      expect(page.headers.get("cache-control")).toBe("private, max-age=60");
      tags.add(page.headers.get("etag"));
      pages.push(...page.json.data);
      expect(page.json.has_more, path).toBe(page.json.next_cursor !== null);
      if (page.json.next_cursor === null) {
        break;
      }
      cursor = `&starting_after=${encodeURIComponent(page.json.next_cursor)}`;
    }
    expect([path, pages]).toEqual([path, items]);
    expect(tags.size, path).toBe(Math.ceil(items.length / limit));
    if (filter !== null) {
      const [name, value] = filter;
      const all = (await get(path)).json.data as readonly Record<string, unknown>[];
      const selected = all.filter(({ [name]: of, capabilities, type }) =>
        name === "capability"
          ? (capabilities as string[]).includes(value)
          : (of ?? String(type).split("/")[0]) === value,
      );
      expect(selected.length).toBeGreaterThan(0);
      // A default is that of the list's capability.
      const names = (found: readonly Record<string, unknown>[]) =>
        found.map(({ type, model, category, code }) => type ?? model ?? [category, code]);
      expect(names(items)).toEqual(names(selected));
      const none = await get(`${path}?${name}=nothing`);
      expect([none.status, none.json.data, none.json.total_count]).toEqual([200, [], 0]);
    }
  }
});

test("what a workspace cannot use is not listed, for it alone", async () => {
  const [mine, other] = [await newCaller(), await newCaller()];
  const put = async (id: string, json: object) => {
    const path = `/admin/v1/workspaces/${mine.workspaceId}/providers/${id}`;
    const { status, text } = await operator("PUT", path, json);
    expect(status, text).toBe(200);
  };
  const hosted = {
    kind: "openai_compatible",
    base_url: "https://models.example.com/v1",
    models: [
      {
        model: "own-painter",
        // The second is one that no node of this release can call there.
        capabilities: ["text_to_image", "background_removal"],
        cost_unit: "per_image",
        credit_cost_milli_credits: 7,
      },
    ],
  };
  const listed = async (by: Caller, env = {}) => {
    const read = async (path: string) =>
      (await call("GET", `/api/v1/${path}`, { token: by.token, env })).json;
    const [all, ofType] = [await read("models"), await read("node-types/ai/magic_box/models")];
    const cutouts = await read("models?capability=background_removal");
    const names = (list: { data: { model: string }[] }) => list.data.map(({ model }) => model);
    const usable = names(all).filter((model) => !model.startsWith("sample-"));
    return {
      usable,
      ofType: ofType.capabilities.map((each: { default_model: string }) => each.default_model),
      cutouts: names(cutouts),
      samples: names(all).length - usable.length,
    };
  };
  const NOTHING = { usable: [], ofType: Array(3).fill("sample-image"), cutouts: ["sample-cutout"] };
  expect(await listed(mine)).toMatchObject(NOTHING);
  // No key: a kind that needs one has no models.
  await put("replicate", { kind: "replicate" });
  expect(await listed(mine)).toMatchObject(NOTHING);
  await put("replicate", { kind: "replicate", api_key: "r8" });
  await put("own", hosted);
  expect(await listed(mine)).toMatchObject({
    usable: [
      "bria-cutout",
      "flux-kontext-pro",
      "flux-schnell",
      "nano-banana",
      "own-painter",
      "recraft-upscale",
    ],
    ofType: ["flux-schnell", "flux-kontext-pro", "nano-banana"],
    cutouts: ["bria-cutout", "sample-cutout"],
  });
  expect(await listed(other)).toMatchObject(NOTHING);
  const paths = ["models/own-painter/params-schema", "models/bria-cutout/params-schema"];
  for (const path of paths) {
    const asked = (by: Caller) => call("GET", `/api/v1/${path}`, { token: by.token });
    expect([(await asked(mine)).status, (await asked(other)).status], path).toEqual([200, 404]);
  }
  await put("replicate", { kind: "replicate", enabled: false });
  await put("own", { ...hosted, enabled: false });
  expect(await listed(mine)).toMatchObject(NOTHING);
  // Without the sample models nothing serves the types, which are in the catalog all the same.
  expect(await listed(mine, { SAMPLE_PROVIDER: "off" })).toEqual({
    usable: [],
    ofType: [null, null, null],
    cutouts: [],
    samples: 0,
  });
  expect((await get("node-types/ai/magic_box")).status).toBe(200);
  // A definition that needs a model which is not there is refused, by its default as by its name.
  for (const model of [null, "own-painter"]) {
    const definition = {
      nodes: [
        { id: "prompt", type: "input/text" },
        { id: "make", type: "ai/text_to_image", parameters: { model } },
        { id: "out", type: "output/image" },
      ],
      connections: [
        { from: { node: "prompt", port: "text" }, to: { node: "make", port: "prompt" } },
        { from: { node: "make", port: "result" }, to: { node: "out", port: "image" } },
      ],
    };
    const { token } = mine;
    const created = await call("POST", "/api/v1/workflows", {
      token,
      json: { name: "Test", definition },
    });
    const { status, json } = await call("POST", `/api/v1/workflows/${created.json.id}/publish`, {
      token,
      env: { SAMPLE_PROVIDER: "off" },
    });
    const [issue] = json.errors;
    expect([status, json.code, issue.code, issue.node_id, issue.path]).toEqual([
      422,
      "validation_error",
      "MODEL_NOT_AVAILABLE",
      "make",
      "nodes[1].parameters.model",
    ]);
  }
});

test("a cursor of another list is 400 invalid_request", async () => {
  for (const path of ["models", "capabilities", "presets", "effects"]) {
    const { status, json } = await get(`${path}?starting_after=nowhere`);
    expect([status, json.code], path).toEqual([400, "invalid_request"]);
  }
});
