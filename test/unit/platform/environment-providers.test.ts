/** docs/contract/models.md#providers: the secret AI_PROVIDERS. */
import { expect, test } from "vitest";
import {
  environmentProblems,
  environmentProviders,
} from "../../../src/platform/environment-providers.ts";

const MARKER = "sk-Geheimnis-77";
const MODEL = {
  model: "my-flux",
  capabilities: ["text_to_image"],
  cost_unit: "per_image",
  credit_cost_milli_credits: 300,
};
const HOSTED = { kind: "openai_compatible", base_url: "https://models.example.com/v1" };
const deployment = (given: unknown) => ({
  ENVIRONMENT: "production",
  AI_PROVIDERS: typeof given === "string" ? given : JSON.stringify(given),
});

test("the secret has providers with the defaults of the route, by id", () => {
  const env = deployment([
    { id: "z", ...HOSTED, api_key: MARKER, headers: { "X-Org": "a" }, models: [MODEL] },
    { id: "fal", kind: "fal", api_key: MARKER, enabled: false, max_concurrency: 2 },
  ]);
  expect(environmentProblems(env)).toEqual([]);
  expect(environmentProviders(env)).toMatchObject([
    { id: "fal", base_url: "https://queue.fal.run", enabled: false, max_concurrency: 2 },
    {
      id: "z",
      kind: "openai_compatible",
      api_key: MARKER,
      headers: { "X-Org": "a" },
      max_concurrency: 16,
      models: [{ model: "my-flux", remote_model: "my-flux", display_name: "my-flux" }],
    },
  ]);
  expect(environmentProviders({ ENVIRONMENT: "production" })).toEqual([]);
  expect(environmentProviders(deployment(" "))).toEqual([]);
});

test.each([
  [`[{"id":"a","api_key":"${MARKER}`, "AI_PROVIDERS"],
  [{ id: "a", ...HOSTED, api_key: MARKER }, "AI_PROVIDERS"],
  [`"${MARKER}"`, "AI_PROVIDERS"],
  [[MARKER], "AI_PROVIDERS[0]"],
  [[null], "AI_PROVIDERS[0]"],
  [[HOSTED], "AI_PROVIDERS[0].id"],
  [[{ id: MARKER, ...HOSTED }], "AI_PROVIDERS[0].id"],
  [
    [
      { id: "a", ...HOSTED },
      { id: "a", ...HOSTED },
    ],
    "AI_PROVIDERS[1].id",
  ],
  [[{ id: "sample", ...HOSTED }], "AI_PROVIDERS[0]"],
  [[{ id: "a", kind: MARKER }], "AI_PROVIDERS[0].kind"],
  [[{ id: "a", kind: "workers_ai" }], "AI_PROVIDERS[0]"],
  [[{ id: "a", kind: "openai_compatible" }], "AI_PROVIDERS[0].base_url"],
  [[{ id: "a", ...HOSTED, base_url: `https://${MARKER}@x.example` }], "AI_PROVIDERS[0].base_url"],
  [[{ id: "a", ...HOSTED, base_url: "http://x.example" }], "AI_PROVIDERS[0].base_url"],
  [[{ id: "a", ...HOSTED, base_url: "http://127.0.0.1:11434" }], "AI_PROVIDERS[0].base_url"],
  [[{ id: "a", ...HOSTED, api_key: `${MARKER}\n` }], "AI_PROVIDERS[0].api_key"],
  [[{ id: "a", ...HOSTED, api_key: MARKER.repeat(300) }], "AI_PROVIDERS[0].api_key"],
  [[{ id: "a", ...HOSTED, headers: { [MARKER]: 1 } }], "AI_PROVIDERS[0].headers"],
  [[{ id: "a", ...HOSTED, [MARKER]: 1 }], "AI_PROVIDERS[0]"],
  [[{ id: "a", kind: "fal", prices: { [MARKER]: {} } }], "AI_PROVIDERS[0]"],
  [[{ id: "a", ...HOSTED, max_concurrency: 0 }], "AI_PROVIDERS[0].max_concurrency"],
  [
    [{ id: "a", ...HOSTED, models: [{ ...MODEL, model: "flux-schnell" }] }],
    "AI_PROVIDERS[0].models[0].model",
  ],
  [
    [
      { id: "a", ...HOSTED, models: [MODEL] },
      { id: "b", ...HOSTED, models: [{ ...MODEL, model: "b" }, MODEL] },
    ],
    "AI_PROVIDERS[1].models[1].model",
  ],
])(
  "a secret that breaks a rule names the member, and nothing of its values: %#",
  (given, member) => {
    const env = deployment(given);
    const problems = environmentProblems(env);
    expect(problems.map((problem) => problem.member)).toEqual([member]);
    expect(JSON.stringify(problems)).not.toContain("Geheimnis");
    expect(environmentProviders(env)).toEqual([]);
  },
);

test("a secret of 5 MB is refused without being parsed", () => {
  const env = deployment(`[${" ".repeat(5_000_000)}]`);
  expect(environmentProblems(env)).toEqual([
    { member: "AI_PROVIDERS", rule: expect.stringContaining("at most 131072 characters") },
  ]);
});

test("only the local mode has providers on this machine, and only those that it names", () => {
  const env = deployment([{ id: "a", ...HOSTED, base_url: "http://127.0.0.1:11434/v1" }]);
  const PROVIDERS_ALLOW_LOOPBACK = "127.0.0.1:11434";
  const local = { ...env, ENVIRONMENT: "local" };
  expect(environmentProblems({ ...env, PROVIDERS_ALLOW_LOOPBACK })).toHaveLength(1);
  expect(environmentProblems(local)).toHaveLength(1);
  expect(environmentProblems({ ...local, PROVIDERS_ALLOW_LOOPBACK })).toEqual([]);
  expect(environmentProviders({ ...local, PROVIDERS_ALLOW_LOOPBACK })).toHaveLength(1);
});
