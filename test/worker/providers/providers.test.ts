/** The operator API for providers of models, of the system and of a workspace. */
import { env } from "cloudflare:workers";
import { describe, expect, test, vi } from "vitest";
import { openSecret } from "../../../src/platform/provider-secrets.ts";
import { ADMIN_TOKEN, call, newCaller, newWorkspace, operator } from "../../support/api-caller.ts";
import { HOME_DB } from "../../support/home-database.ts";

const MARKER = "sk-Geheimnis-91ab";
const BASE = "https://models.example.com/v1";
const MODEL = {
  model: "my-flux",
  remote_model: "flux.1",
  display_name: "My Flux",
  capabilities: ["text_to_image", "image_edit"],
  cost_unit: "per_image",
  credit_cost_milli_credits: 300,
};
const BODY = { kind: "openai_compatible", base_url: BASE };

const workspaceId = await newWorkspace();
const SCOPES = [
  ["the system", "/admin/v1/providers"],
  ["a workspace", `/admin/v1/workspaces/${workspaceId}/providers`],
] as const;

interface Stored {
  readonly api_key: string;
  readonly headers: string;
}

describe.each(SCOPES)("a provider of %s", (_name, base) => {
  const isSystem = base === "/admin/v1/providers";
  const put = (id: string, json: unknown) => operator("PUT", `${base}/${id}`, json);

  test("is stored with its defaults, read, listed, replaced and deleted", async () => {
    const created = await put("hosted", { ...BODY, models: [MODEL] });
    expect([created.status, created.json]).toEqual([
      200,
      {
        id: "hosted",
        kind: "openai_compatible",
        scope: isSystem ? "system" : "workspace",
        base_url: BASE,
        enabled: true,
        has_api_key: false,
        api_key_updated_at: null,
        header_names: [],
        catalog: null,
        prices: {},
        models: [
          {
            ...MODEL,
            input_milli_credits_per_1k: null,
            output_milli_credits_per_1k: null,
            supports_vision: false,
            quality_tier: "standard",
            speed_tier: "medium",
            json_mode: "json_schema",
            max_tokens_field: "max_tokens",
            voices: [],
            controls: [],
            max_input_images: 1,
            max_images_per_call: 1,
            sizes: [],
            timeout_ms: 120_000,
          },
        ],
        max_concurrency: 16,
        max_concurrency_per_workspace: 8,
        created_at: expect.any(String),
        updated_at: expect.any(String),
      },
    ]);
    expect((await operator("GET", `${base}/hosted`)).json).toEqual(created.json);
    await put("another", { kind: "replicate" });
    const first = await operator("GET", `${base}?limit=1`);
    expect(first.json).toMatchObject({
      data: [{ id: "another", base_url: "https://api.replicate.com/v1" }],
      has_more: true,
      next_cursor: "another",
      total_count: 2,
    });
    const second = await operator("GET", `${base}?limit=1&starting_after=another`);
    expect(second.json).toMatchObject({ data: [created.json], has_more: false, next_cursor: null });
    // What was read can be written again.
    const { models } = created.json;
    const replaced = await put("hosted", { ...BODY, models, enabled: false, max_concurrency: 256 });
    expect(replaced.json).toMatchObject({ models, enabled: false, max_concurrency: 256 });
    expect(replaced.json.created_at).toBe(created.json.created_at);
    for (const id of ["hosted", "another"]) {
      expect((await operator("DELETE", `${base}/${id}`)).status).toBe(204);
    }
    for (const method of ["GET", "DELETE"]) {
      const { status, json } = await operator(method, `${base}/hosted`);
      expect([status, json.code], method).toEqual([404, "not_found"]);
    }
    for (const [query, code] of [
      ["limit=0", "validation_error"],
      ["starting_after=hosted", "invalid_request"],
    ]) {
      const { status, json } = await operator("GET", `${base}?${query}`);
      expect([status, json.code], query).toEqual([400, code]);
    }
  });

  test("keeps its key and headers encrypted, and no response or log line has them", async () => {
    const lines: string[] = [];
    const spies = (["log", "info", "warn", "error", "debug"] as const).map((level) =>
      vi.spyOn(console, level).mockImplementation((...parts: unknown[]) => {
        lines.push(parts.map(String).join(" "));
      }),
    );
    const seen: string[] = [];
    const send = async (json: object) => {
      const reply = await put("secret", { ...BODY, ...json });
      seen.push(reply.text);
      return reply;
    };
    const set = await send({ api_key: MARKER, headers: { "X-Org": MARKER } });
    expect(set.json).toMatchObject({ has_api_key: true, header_names: ["X-Org"] });
    expect(set.json.api_key_updated_at).toBe(set.json.updated_at);
    const database = isSystem ? env.DB : HOME_DB;
    const stored = await database
      .prepare("SELECT * FROM providers WHERE id = 'secret'")
      .first<Stored>();
    expect(JSON.stringify(stored)).not.toContain(MARKER);
    const place = isSystem
      ? ({ scope: "system", workspaceId: null } as const)
      : ({ scope: "workspace", workspaceId } as const);
    const opened = (field: "api_key" | "headers") =>
      openSecret(
        env.PROVIDER_KEYS_SECRET ?? "",
        { ...place, providerId: "secret", field },
        stored?.[field] ?? "",
      );
    expect(await opened("api_key")).toBe(MARKER);
    expect(JSON.parse((await opened("headers")) ?? "")).toEqual({ "X-Org": MARKER });
    // Omitted, the key stays; the headers are replaced as every other setting.
    const kept = await send({});
    expect(kept.json).toMatchObject({ has_api_key: true, header_names: [] });
    expect(kept.json.api_key_updated_at).toBe(set.json.api_key_updated_at);
    const refused: object[] = [
      { api_key: `${MARKER}\n` },
      { api_key: `${MARKER}\u0000` },
      { api_key: [MARKER] },
      { api_key: { [MARKER]: MARKER } },
      { api_key: "" },
      { api_key: MARKER.repeat(300) },
      { headers: { "X-Org": `${MARKER}\r\nX-Evil: 1` } },
      { headers: { "X-Org": [MARKER] } },
      { headers: [MARKER] },
      { headers: MARKER },
      { headers: { "x-a": MARKER, "X-A": MARKER } },
      { headers: { Host: MARKER } },
      { headers: Object.fromEntries(Array.from({ length: 9 }, (_, n) => [`X-${n}`, MARKER])) },
    ];
    for (const json of refused) {
      const reply = await send(json);
      const field = Object.keys(json)[0] ?? "";
      expect([reply.status, reply.json.code], JSON.stringify(json)).toEqual([
        400,
        "validation_error",
      ]);
      expect(reply.json.errors[0].field).toMatch(new RegExp(`^${field}`));
    }
    for (const base_url of [`https://user:${MARKER}@models.example.com`, `${BASE}?key=${MARKER}`]) {
      expect((await send({ base_url })).json.code).toBe("invalid_url");
    }
    expect((await send({})).json.has_api_key).toBe(true);
    expect((await send({ api_key: null })).json).toMatchObject({
      has_api_key: false,
      api_key_updated_at: null,
    });
    seen.push((await operator("GET", base)).text, (await operator("GET", `${base}/secret`)).text);
    await operator("DELETE", `${base}/secret`);
    for (const spy of spies) {
      spy.mockRestore();
    }
    expect(lines.length).toBeGreaterThan(10);
    expect([...seen, ...lines].filter((text) => text.includes("Geheimnis"))).toEqual([]);
  });

  test("needs the secret for a key or headers, and nothing else", async () => {
    const bare = { PROVIDER_KEYS_SECRET: "" };
    const send = (json: object) =>
      call("PUT", `${base}/keyless`, { token: ADMIN_TOKEN, json: { ...BODY, ...json }, env: bare });
    for (const json of [{ api_key: "k" }, { headers: { "X-Org": "a" } }]) {
      const { status, json: problem } = await send(json);
      expect([status, problem.code]).toEqual([501, "feature_disabled"]);
    }
    expect((await operator("GET", `${base}/keyless`)).status).toBe(404);
    expect((await send({ api_key: null, headers: {} })).status).toBe(200);
    await operator("DELETE", `${base}/keyless`);
  });

  test("never changes its kind", async () => {
    await put("fixed", { kind: "fal" });
    const { status, json } = await put("fixed", { kind: "replicate" });
    expect([status, json.code, json.errors[0].field]).toEqual([400, "validation_error", "kind"]);
    await operator("DELETE", `${base}/fixed`);
    expect((await put("fixed", { kind: "replicate" })).status).toBe(200);
    await operator("DELETE", `${base}/fixed`);
  });

  test("has slugs that no other provider of the scope and no built-in model has", async () => {
    await put("one", { ...BODY, models: [MODEL, { ...MODEL, model: "b" }] });
    for (const model of ["b", "flux-schnell", "sample-image", "gpt-image-1"]) {
      const { status, json } = await put("two", { ...BODY, models: [{ ...MODEL, model }] });
      expect([status, json.code], model).toEqual([409, "conflict"]);
    }
    expect((await operator("GET", `${base}/two`)).status).toBe(404);
    await put("one", { ...BODY, models: [MODEL] });
    expect((await put("two", { ...BODY, models: [{ ...MODEL, model: "b" }] })).status).toBe(200);
    const race = await Promise.all(
      ["three", "four"].map((id) => put(id, { ...BODY, models: [{ ...MODEL, model: "c" }] })),
    );
    expect(race.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409]);
    for (const id of ["one", "two", "three", "four"]) {
      await operator("DELETE", `${base}/${id}`);
    }
  });

  test("is refused with the path of each wrong member", async () => {
    const cases: readonly (readonly [id: string, json: object, field: string])[] = [
      ["x", {}, "kind"],
      ["x", { kind: "sample" }, "kind"],
      ["x", { kind: "openai_compatible" }, "base_url"],
      ["x", { kind: "workers_ai" }, "kind"],
      ["workers_ai", { kind: "fal" }, "kind"],
      ["workers_ai", { kind: "workers_ai", base_url: BASE }, "base_url"],
      ["sample", BODY, "id"],
      ["9x", BODY, "id"],
      ["X", BODY, "id"],
      ["x".repeat(41), BODY, "id"],
      ["x", { ...BODY, no_such_member: 1 }, "no_such_member"],
      ["x", { kind: "fal", catalog: "openai" }, "catalog"],
      ["x", { kind: "fal", models: [MODEL] }, "models"],
      ["x", { ...BODY, max_concurrency: 257 }, "max_concurrency"],
      ["x", { ...BODY, max_concurrency_per_workspace: 0 }, "max_concurrency_per_workspace"],
      ["x", { ...BODY, models: Array.from({ length: 200 }, () => MODEL) }, "models"],
      ["x", { ...BODY, models: [MODEL, MODEL] }, "models[1].model"],
      ["x", { ...BODY, models: [{ ...MODEL, model: "A" }] }, "models[0].model"],
      [
        "x",
        { ...BODY, models: [{ ...MODEL, capabilities: ["fly"] }] },
        "models[0].capabilities[0]",
      ],
      [
        "x",
        { ...BODY, models: [{ ...MODEL, credit_cost_milli_credits: 10_000_001 }] },
        "models[0].credit_cost_milli_credits",
      ],
      [
        "x",
        { ...BODY, models: [{ ...MODEL, credit_cost_milli_credits: 0.5 }] },
        "models[0].credit_cost_milli_credits",
      ],
      [
        "x",
        { ...BODY, models: [{ ...MODEL, credit_cost_milli_credits: undefined }] },
        "models[0].credit_cost_milli_credits",
      ],
      [
        "x",
        { ...BODY, models: [{ ...MODEL, cost_unit: "per_1k_tokens" }] },
        "models[0].input_milli_credits_per_1k",
      ],
      [
        "x",
        { ...BODY, models: [{ ...MODEL, capabilities: ["multi_image_edit"] }] },
        "models[0].max_input_images",
      ],
      ["x", { ...BODY, models: [{ ...MODEL, sizes: ["big"] }] }, "models[0].sizes[0]"],
      ["x", { ...BODY, models: [{ ...MODEL, timeout_ms: 900_001 }] }, "models[0].timeout_ms"],
      [
        "x",
        { kind: "fal", prices: { "my-flux": { credit_cost_milli_credits: 1 } } },
        "prices.my-flux",
      ],
      [
        "x",
        { kind: "fal", prices: { "fal-demucs": { input_milli_credits_per_1k: 1 } } },
        "prices.fal-demucs",
      ],
      [
        "x",
        { kind: "fal", prices: { "fal-demucs": { credit_cost_milli_credits: -1 } } },
        "prices.fal-demucs.credit_cost_milli_credits",
      ],
    ];
    for (const [id, json, field] of cases) {
      const reply = await put(id, json);
      expect([reply.status, reply.json.code], `${field} ${reply.text}`).toEqual([
        400,
        "validation_error",
      ]);
      const fields = reply.json.errors.map((each: { field: string }) => each.field);
      expect(
        fields.some((each: string) => each === field),
        `${field}: ${fields}`,
      ).toBe(true);
    }
    expect((await operator("GET", base)).json.total_count).toBe(0);
  });

  test("has an address that is https and public, in every spelling", async () => {
    for (const base_url of [
      "http://models.example.com",
      "https://localhost/v1",
      "https://a.localhost/v1",
      "https://127.0.0.1/v1",
      "https://127.1/v1",
      "https://2130706433/v1",
      "https://0x7f.0.0.1/v1",
      "https://0177.0.0.1/v1",
      "https://10.0.0.8/v1",
      "https://192.168.1.4/v1",
      "https://169.254.169.254/latest",
      "https://100.64.0.1/v1",
      "https://[::1]/v1",
      "https://[::ffff:127.0.0.1]/v1",
      "https://[fd00::1]/v1",
      "https://[fe80::1]/v1",
      "https://0.0.0.0/v1",
      "https://user@models.example.com/v1",
      "https://models.example.com/v1?x=1",
      "https://models.example.com/v1#x",
      "https://models.example.com/v1?",
      "ftp://models.example.com",
      "models.example.com/v1",
      "https://models .example.com",
      "",
      "http://127.0.0.1:11434/v1",
    ]) {
      const { status, json } = await put("where", { ...BODY, base_url });
      expect([status, json.code], base_url).toEqual([400, "invalid_url"]);
    }
    for (const base_url of ["https://models.example.com:8443/v1", "https://93.184.216.34/v1"]) {
      expect((await put("where", { ...BODY, base_url })).status, base_url).toBe(200);
    }
    const allowing = { PROVIDERS_ALLOW_LOOPBACK: "127.0.0.1:11434" };
    const local = (base_url: string) =>
      call("PUT", `${base}/where`, {
        token: ADMIN_TOKEN,
        json: { ...BODY, base_url },
        env: allowing,
      });
    expect((await local("http://127.0.0.1:11434/v1")).status).toBe(200);
    for (const other of ["http://127.0.0.1:11435/v1", "http://127.1:11434/v1"]) {
      expect((await local(other)).json.code, other).toBe("invalid_url");
    }
    await operator("DELETE", `${base}/where`);
  });
});

test("providers of the environment are listed among the system's, which replace them, and are in no other list", async () => {
  const AI_PROVIDERS = JSON.stringify(
    ["a", "c"].map((id) => ({ id, ...BODY, api_key: MARKER, headers: { "X-Org": MARKER } })),
  );
  const given = (method: string, path: string, json?: unknown) =>
    call(method, path, { token: ADMIN_TOKEN, json, env: { AI_PROVIDERS } });
  const [[, base], [, own]] = SCOPES;
  await operator("PUT", `${base}/b`, BODY);
  const one = await given("GET", `${base}/a`);
  expect(one.json).toMatchObject({
    id: "a",
    scope: "environment",
    base_url: BASE,
    has_api_key: true,
    api_key_updated_at: null,
    header_names: ["X-Org"],
    max_concurrency: 16,
    created_at: null,
    updated_at: null,
  });
  const ids = (json: { data: { id: string; scope: string }[] }) =>
    json.data.map(({ id, scope }) => `${id} ${scope}`);
  const all = await given("GET", base);
  expect([ids(all.json), all.json.total_count]).toEqual([
    ["a environment", "b system", "c environment"],
    3,
  ]);
  const pages = [];
  for (let cursor = ""; pages.length < 4;) {
    // oxlint-disable-next-line no-await-in-loop -- each page names the next
    const { json } = await given("GET", `${base}?limit=1${cursor}`);
    pages.push(ids(json)[0]);
    if (!json.has_more) {
      break;
    }
    cursor = `&starting_after=${json.next_cursor}`;
  }
  expect(pages).toEqual(["a environment", "b system", "c environment"]);
  expect(all.text + one.text).not.toContain("Geheimnis");
  expect((await given("GET", own)).json.total_count).toBe(0);
  for (const [method, path] of [
    ["GET", `${own}/a`],
    ["DELETE", `${base}/a`],
  ] as const) {
    expect((await given(method, path)).status, path).toBe(404);
  }
  await given("PUT", `${base}/a`, { ...BODY, enabled: false });
  expect(ids((await given("GET", base)).json)).toEqual(["a system", "b system", "c environment"]);
  for (const id of ["a", "b"]) {
    expect((await operator("DELETE", `${base}/${id}`)).status).toBe(204);
  }
  expect((await given("GET", `${base}/a`)).json.scope).toBe("environment");
});

test("a workspace's providers are those of no other workspace and not the system's", async () => {
  const other = await newWorkspace();
  const [, [, base]] = SCOPES;
  await operator("PUT", `${base}/mine`, { ...BODY, models: [MODEL] });
  const elsewhere = [`/admin/v1/workspaces/${other}/providers`, "/admin/v1/providers"];
  for (const path of elsewhere) {
    expect((await operator("GET", path)).json.total_count, path).toBe(0);
    for (const method of ["GET", "DELETE"]) {
      expect((await operator(method, `${path}/mine`)).status, path).toBe(404);
    }
    // Neither its id nor its slugs are taken there.
    expect((await operator("PUT", `${path}/mine`, { ...BODY, models: [MODEL] })).status).toBe(200);
    await operator("DELETE", `${path}/mine`);
  }
  expect((await operator("GET", `${base}/mine`)).json.models).toHaveLength(1);
  await operator("DELETE", `${base}/mine`);
});

test("an unknown workspace is 404, and a caller's token opens none of these routes", async () => {
  const nobody = "/admin/v1/workspaces/ws_0190f3aa000070008000000000000001/providers";
  const malformed = "/admin/v1/workspaces/run_1/providers";
  const { token } = await newCaller();
  for (const [method, path, json] of [
    ["GET", "", undefined],
    ["GET", "/x", undefined],
    ["PUT", "/x", BODY],
    ["DELETE", "/x", undefined],
  ] as const) {
    const unknown = await operator(method, nobody + path, json);
    expect([unknown.status, unknown.json.code], method).toEqual([404, "not_found"]);
    const wrong = await operator(method, malformed + path, json);
    expect([wrong.status, wrong.json.code], method).toEqual([400, "invalid_id"]);
    for (const [, base] of SCOPES) {
      const outsider = await call(method, base + path, { token, json });
      expect([401, 403], `${method} ${base}`).toContain(outsider.status);
    }
  }
});
