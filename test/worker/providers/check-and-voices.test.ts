/** docs/contract/models.md#providers and #voices: what the runner asks providers for the API Worker. */
import { env } from "cloudflare:workers";
import { afterEach, expect, test, vi } from "vitest";
import type { ModelProvidersApi } from "../../../src/contracts/models/model-providers.ts";
import { WORK_BYTES_MAX } from "../../../src/lib/memory/memory-budget.ts";
import { MemoryGate } from "../../../src/lib/memory/memory-gate.ts";
import { checkProvider } from "../../../src/workers/runner/check-provider.ts";
import { listProviderVoices } from "../../../src/workers/runner/list-provider-voices.ts";
import { ADMIN_TOKEN, call, newCaller, newWorkspace, operator } from "../../support/api-caller.ts";

const KEY = "sk-Geheimnis-5";
const workspaceId = await newWorkspace();
const OWN = `/admin/v1/workspaces/${workspaceId}/providers`;
const SYSTEM = "/admin/v1/providers";

let nowMs = 1_000_000;
/** The runner's code in this isolate, whose `fetch` is replaced. */
const RUNNER: ModelProvidersApi = {
  voices: (request) => listProviderVoices(env, request, () => nowMs),
  check: (request) => checkProvider(env, request),
};
const check = (path: string) =>
  call("POST", `${path}/check`, { token: ADMIN_TOKEN, env: { MODEL_PROVIDERS: RUNNER } });

afterEach(() => {
  vi.unstubAllGlobals();
});

/** Answers every request of the runner; returns what was sent. */
function answering(answer: (request: Request) => Response): Request[] {
  const sent: Request[] = [];
  vi.stubGlobal("fetch", (input: RequestInfo, init?: RequestInit) => {
    const request = new Request(input, init);
    sent.push(request);
    return Promise.resolve(answer(request));
  });
  return sent;
}

test.each([
  [
    "openai_compatible",
    "https://models.example.com/v1",
    "/models",
    "authorization",
    `Bearer ${KEY}`,
  ],
  ["replicate", undefined, "/account", "authorization", `Bearer ${KEY}`],
  ["elevenlabs", undefined, "/v1/models", "xi-api-key", KEY],
] as const)(
  "a check of %s is one free call with the stored key",
  async (kind, base_url, path, name, value) => {
    for (const base of [SYSTEM, OWN]) {
      const body = { kind, base_url, api_key: KEY, headers: { "X-Org": "a" }, enabled: false };
      const stored = await operator("PUT", `${base}/checked`, body);
      const sent = answering(() => Response.json({ data: [] }));
      const { status, json } = await check(`${base}/checked`);
      expect([status, json]).toEqual([
        200,
        { ok: true, latency_ms: expect.any(Number), error_code: null },
      ]);
      expect(sent).toHaveLength(1);
      expect([sent[0]?.method, sent[0]?.url]).toEqual(["GET", stored.json.base_url + path]);
      expect([sent[0]?.headers.get(name), sent[0]?.headers.get("x-org")]).toEqual([value, "a"]);
      vi.unstubAllGlobals();
      await operator("DELETE", `${base}/checked`);
    }
  },
);

test("a failed check has the code of a failed call, and nothing of the answer", async () => {
  const body = { kind: "openai_compatible", base_url: "https://models.example.com", api_key: KEY };
  await operator("PUT", `${OWN}/failing`, body);
  const cases: readonly (readonly [() => Response, string])[] = [
    [() => new Response(KEY, { status: 401 }), "PROVIDER_AUTH_FAILED"],
    [() => new Response(KEY, { status: 402 }), "PROVIDER_QUOTA_EXCEEDED"],
    [() => new Response(KEY, { status: 404 }), "PROVIDER_REJECTED"],
    [() => new Response(KEY, { status: 429 }), "PROVIDER_RATE_LIMITED"],
    [() => new Response(KEY, { status: 503 }), "PROVIDER_UNAVAILABLE"],
    [() => Response.redirect("https://other.example.com/", 302), "PROVIDER_BAD_OUTPUT"],
    [() => new Response(`<html>${KEY}</html>`), "PROVIDER_BAD_OUTPUT"],
    [() => new Response(`"${KEY}"`), "PROVIDER_BAD_OUTPUT"],
    [() => new Response(`{"${KEY}": `), "PROVIDER_BAD_OUTPUT"],
    [
      () => {
        throw new TypeError(`refused ${KEY}`);
      },
      "PROVIDER_UNAVAILABLE",
    ],
  ];
  for (const [answer, code] of cases) {
    answering(answer);
    const { status, json, text } = await check(`${OWN}/failing`);
    expect([status, json.ok, json.error_code]).toEqual([200, false, code]);
    expect(text).not.toContain("Geheimnis");
    vi.unstubAllGlobals();
  }
});

test("a kind without a free call is 501, an unknown provider 404, and nothing is sent", async () => {
  const sent = answering(() => Response.json({}));
  for (const base of [SYSTEM, OWN]) {
    await operator("PUT", `${base}/queue`, { kind: "fal", api_key: KEY });
    const { status, json } = await check(`${base}/queue`);
    expect([status, json.code]).toEqual([501, "feature_disabled"]);
    expect((await check(`${base}/none`)).json.code).toBe("not_found");
  }
  // The system's provider is not one of the workspace.
  await operator("DELETE", `${OWN}/queue`);
  expect((await check(`${OWN}/queue`)).json.code).toBe("not_found");
  await operator("DELETE", `${SYSTEM}/queue`);
  const nobody = "/admin/v1/workspaces/ws_0190f3aa000070008000000000000001/providers";
  expect((await check(`${nobody}/queue`)).json.code).toBe("not_found");
  expect((await check("/admin/v1/workspaces/run_1/providers/queue")).json.code).toBe("invalid_id");
  const { token } = await newCaller();
  for (const base of [SYSTEM, OWN]) {
    expect([401, 403]).toContain((await call("POST", `${base}/queue/check`, { token })).status);
  }
  expect(sent).toEqual([]);
});

test("the voices of a model with a list of its own are that list, in its order", async () => {
  const { token } = await newCaller();
  const get = (path: string) => call("GET", `/api/v1/models/${path}`, { token });
  const { json } = await get("sample-voice/voices");
  expect(json).toEqual({
    data: ["mid", "low", "high"].map((voice) => ({
      voice,
      name: voice,
      language: null,
      labels: {},
      preview_url: null,
    })),
    has_more: false,
    next_cursor: null,
    total_count: 3,
  });
  const page = await get("sample-voice/voices?limit=1&starting_after=mid");
  expect([page.json.data[0].voice, page.json.next_cursor]).toEqual(["low", "low"]);
  expect((await get("sample-voice/voices?starting_after=none")).json.code).toBe("invalid_request");
});

test("the voices of an account are asked for once in ten minutes, and never with another workspace's key", async () => {
  const callers = await Promise.all([newCaller(), newCaller()]);
  for (const [at, caller] of callers.entries()) {
    const path = `/admin/v1/workspaces/${caller.workspaceId}/providers/eleven`;
    await operator("PUT", path, { kind: "elevenlabs", api_key: `${KEY}-${at}` });
  }
  const sent = answering((request) => {
    const key = request.headers.get("xi-api-key") ?? "";
    return Response.json({
      voices: [{ voice_id: `voice-of-${key.slice(-1)}`, name: "One", labels: { language: "en" } }],
      has_more: false,
    });
  });
  const list = (at: 0 | 1) =>
    call("GET", "/api/v1/models/eleven-flash-v2-5/voices", {
      token: callers[at].token,
      env: { MODEL_PROVIDERS: RUNNER },
    });
  for (const at of [0, 1, 0, 1] as const) {
    // oxlint-disable-next-line no-await-in-loop -- the second time from the cache
    const { status, json } = await list(at);
    expect([status, json.data]).toEqual([
      200,
      [
        {
          voice: `voice-of-${at}`,
          name: "One",
          language: "en",
          labels: { language: "en" },
          preview_url: null,
        },
      ],
    ]);
  }
  expect(sent.map(({ url }) => url)).toEqual(
    [0, 1].map(() => "https://api.elevenlabs.io/v2/voices?page_size=100"),
  );
  nowMs += 599_999;
  await list(0);
  expect(sent).toHaveLength(2);
  nowMs += 1;
  await list(0);
  expect(sent).toHaveLength(3);
});

test("a provider that does not answer is 502, and the next request asks again", async () => {
  const { token, workspaceId: own } = await newCaller();
  const path = `/admin/v1/workspaces/${own}/providers/eleven`;
  await operator("PUT", path, { kind: "elevenlabs", api_key: KEY });
  const list = () =>
    call("GET", "/api/v1/models/eleven-flash-v2-5/voices", {
      token,
      env: { MODEL_PROVIDERS: RUNNER },
    });
  for (const failing of [
    () => new Response(KEY, { status: 401 }),
    () => new Response(`<html>${KEY}`),
    () => Response.json({ voices: KEY }),
  ]) {
    answering(failing);
    // oxlint-disable-next-line no-await-in-loop -- one answer after another
    const { status, json, text } = await list();
    expect([status, json.code]).toEqual([502, "fetch_failed"]);
    expect(text).not.toContain("Geheimnis");
    vi.unstubAllGlobals();
  }
  answering(() => Response.json({ voices: [], has_more: false }));
  expect((await list()).json.data).toEqual([]);
});

test("without memory in ten seconds nothing is asked: a check is 503, a list of voices 502, and both can be repeated", async () => {
  const { token, workspaceId: own } = await newCaller();
  const path = `/admin/v1/workspaces/${own}/providers`;
  await operator("PUT", `${path}/eleven`, { kind: "elevenlabs", api_key: KEY });
  const sent = answering(() => Response.json({ voices: [], has_more: false }));
  const list = () =>
    call("GET", "/api/v1/models/eleven-flash-v2-5/voices", {
      token,
      env: { MODEL_PROVIDERS: RUNNER },
    });
  const waits: number[] = [];
  const others = new MemoryGate().takeAnyway(WORK_BYTES_MAX);
  const wait = vi.spyOn(MemoryGate.prototype, "takeWithin").mockImplementation((_bytes, ms) => {
    waits.push(ms);
    return Promise.resolve(undefined);
  });
  try {
    const checked = await check(`${path}/eleven`);
    expect([checked.status, checked.json.code]).toEqual([503, "service_unavailable"]);
    const listed = await list();
    expect([listed.status, listed.json.code]).toEqual([502, "fetch_failed"]);
    expect([waits, sent]).toEqual([[10_000, 10_000], []]);
  } finally {
    wait.mockRestore();
    others.release();
  }
  expect((await check(`${path}/eleven`)).json.ok).toBe(true);
  expect((await list()).json.data).toEqual([]);
});

test("lists of voices are kept by their size: many large ones displace the oldest", async () => {
  const labels = Object.fromEntries(
    Array.from({ length: 20 }, (_, at) => [`label ${at} ${"l".repeat(180)}`, "t".repeat(200)]),
  );
  const voices = Array.from({ length: 60 }, (_, at) => ({ voice_id: `v${at}`, name: "a", labels }));
  const sent = answering(() => Response.json({ voices, has_more: false }));
  const request = { v: 1, provider: "eleven" } as const;
  const list = (id: string) => RUNNER.voices({ ...request, workspace_id: id });
  const owners = await Promise.all(Array.from({ length: 8 }, () => newWorkspace()));
  for (const id of owners) {
    // oxlint-disable-next-line no-await-in-loop -- in order
    await operator("PUT", `/admin/v1/workspaces/${id}/providers/eleven`, {
      kind: "elevenlabs",
      api_key: KEY,
    });
    // oxlint-disable-next-line no-await-in-loop -- in order
    expect(await list(id)).toHaveLength(60);
  }
  expect(sent).toHaveLength(8);
  await list(owners[7] ?? "");
  expect(sent).toHaveLength(8);
  await list(owners[0] ?? "");
  expect(sent).toHaveLength(9);
});
