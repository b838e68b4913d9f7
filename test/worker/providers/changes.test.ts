/**
 * docs/contract/models.md#providers: outside local mode a change by the operator holds within 30 s, also in an isolate that has
 * read the configuration before and learns nothing of the change.
 */
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import { CACHE_LIMITS } from "../../../src/domain/cache-limits.ts";
import { RefreshingCache } from "../../../src/lib/memory/refreshing-cache.ts";
import { ADMIN_TOKEN, call, type Caller, newCaller } from "../../support/api-caller.ts";
import { publishedWorkflow } from "../../support/published-workflow.ts";

/** The contract's bound, and how often a client reads. */
const HOLDS_WITHIN_MS = 30_000;
const READS_EACH_MS = 5_000;
const DEPLOYED = { ENVIRONMENT: "production" };

let caller: Caller;

beforeAll(async () => {
  caller = await newCaller();
});

/** Moves ahead only: what the objects have stored stays in the past. */
let aheadMs = 0;
const realNow = Date.now.bind(Date);
const clock = vi.spyOn(Date, "now").mockImplementation(() => realNow() + aheadMs);
afterAll(async () => {
  await change("DELETE", "providers/keyed");
  clock.mockRestore();
});

async function change(method: string, path: string, json?: unknown) {
  const options = { token: ADMIN_TOKEN, json, env: DEPLOYED };
  const { status, text } = await call(method, `/admin/v1/${path}`, options);
  expect([200, 204], text).toContain(status);
}

/** Makes a change as another isolate would: nothing here is forgotten. */
async function elsewhere(make: () => Promise<void>) {
  const forget = vi.spyOn(RefreshingCache.prototype, "clear").mockImplementation(() => undefined);
  try {
    await make();
    expect(forget).toHaveBeenCalled();
  } finally {
    forget.mockRestore();
  }
}

/** The slugs that a deployment lists, the default first. */
async function listed(): Promise<string> {
  const path = "/api/v1/models?capability=text_to_image";
  const { json } = await call("GET", path, { token: caller.token, env: DEPLOYED });
  const models = json.data as { model: string; is_default: boolean }[];
  return models
    .toSorted((a, b) => Number(b.is_default) - Number(a.is_default))
    .map((each) => each.model)
    .join(" ");
}

const model = (slug: string) => ({
  model: slug,
  capabilities: ["text_to_image"],
  cost_unit: "per_image",
  credit_cost_milli_credits: 1,
});
const hosted = (...slugs: readonly string[]) => ({
  kind: "openai_compatible",
  base_url: "https://models.example.com/v1",
  models: slugs.map(model),
});

const own = () => `workspaces/${caller.workspaceId}`;
const CHANGES: readonly (readonly [name: string, make: () => Promise<void>, after: string])[] = [
  [
    "a provider that is added to the system",
    () => change("PUT", "providers/changing", hosted("one-a", "one-b")),
    "one-a one-b sample-image",
  ],
  [
    "a model that is taken from it",
    () => change("PUT", "providers/changing", hosted("one-b")),
    "one-b sample-image",
  ],
  [
    "a provider of the workspace",
    () => change("PUT", `${own()}/providers/own`, hosted("two")),
    "one-b sample-image two",
  ],
  [
    "a default of the workspace",
    () => change("PUT", `${own()}/model-defaults/text_to_image`, { model: "two" }),
    "two one-b sample-image",
  ],
  [
    "the end of that default",
    () => change("DELETE", `${own()}/model-defaults/text_to_image`),
    "one-b sample-image two",
  ],
  [
    "a provider that is switched off",
    () => change("PUT", `${own()}/providers/own`, { ...hosted("two"), enabled: false }),
    "one-b sample-image",
  ],
  [
    "a key that is added",
    () => change("PUT", "providers/keyed", { kind: "fal", api_key: "k" }),
    "fal-flux-schnell one-b sample-image",
  ],
  [
    "a key that is removed",
    () => change("PUT", "providers/keyed", { kind: "fal", api_key: null }),
    "one-b sample-image",
  ],
  ["a provider that is deleted", () => change("DELETE", "providers/changing"), "sample-image"],
];

/** When, after the change, a client that reads every five seconds first sees it, in milliseconds; infinite if never within a minute. */
async function seenAfterMs(after: string): Promise<number> {
  for (let ms = 0; ms <= 2 * HOLDS_WITHIN_MS; ms += READS_EACH_MS) {
    // oxlint-disable-next-line no-await-in-loop -- a client reads again and again
    if ((await listed()) === after) {
      return ms;
    }
    aheadMs += READS_EACH_MS;
  }
  return Number.POSITIVE_INFINITY;
}

describe("in an isolate that learns nothing of it", () => {
  afterEach(() => {
    // Everything that was read is forgotten by its age.
    aheadMs += HOLDS_WITHIN_MS;
  });

  test.each(CHANGES)("%s holds within 30 s", async (name, make, after) => {
    const before = await listed();
    expect(before).not.toBe(after);
    // The change comes at another age of what was read each time.
    const ageMs = CHANGES.findIndex(([each]) => each === name) * 3_500;
    aheadMs += ageMs;
    await elsewhere(make);
    const seenMs = await seenAfterMs(after);
    expect(seenMs).toBeLessThanOrEqual(HOLDS_WITHIN_MS);
    // What was read is used at first, so that this test sees its age and not only the change.
    expect(seenMs).toBeGreaterThan(0);
  });

  test("a client that did not read since before the change finds it after 30 s, and a submit does", async () => {
    await elsewhere(() => change("PUT", "providers/changing", hosted("three")));
    aheadMs += HOLDS_WITHIN_MS;
    expect(await listed()).toBe("three sample-image");
    const workflow = await publishedWorkflow(caller, {
      nodes: [
        { id: "prompt", type: "input/text", label: "prompt" },
        { id: "make", type: "ai/text_to_image", parameters: { model: "three" } },
        { id: "out", type: "output/image" },
      ],
      connections: [
        { from: { node: "prompt", port: "text" }, to: { node: "make", port: "prompt" } },
        { from: { node: "make", port: "result" }, to: { node: "out", port: "image" } },
      ],
    });
    const inputs = { prompt: { value: '"a"' } };
    const submit = () =>
      call("POST", "/api/v1/executions", {
        token: caller.token,
        json: { workflow, inputs },
        env: DEPLOYED,
      });
    expect((await submit()).status).toBe(202);
    await elsewhere(() => change("DELETE", "providers/changing"));
    aheadMs += HOLDS_WITHIN_MS;
    const { status, text } = await submit();
    expect([status, text]).toEqual([400, expect.stringContaining("MODEL_NOT_AVAILABLE")]);
  });

  test("and keeps what it read for longer, a change is found to be late", async () => {
    const given = { ...CACHE_LIMITS.providers };
    Object.assign(CACHE_LIMITS.providers, { ttlMs: 45_000, refreshMs: 45_000 });
    try {
      aheadMs += 45_000;
      expect(await listed()).toBe("sample-image");
      await elsewhere(() => change("PUT", "providers/changing", hosted("four")));
      expect(await seenAfterMs("four sample-image")).toBe(45_000);
    } finally {
      Object.assign(CACHE_LIMITS.providers, given);
      await change("DELETE", "providers/changing");
    }
  });
});

test("in the isolate where it is made a change holds at once", async () => {
  expect(await listed()).toBe("sample-image");
  await change("PUT", "providers/changing", hosted("five"));
  expect(await listed()).toBe("five sample-image");
  await change("DELETE", "providers/changing");
  expect(await listed()).toBe("sample-image");
});
