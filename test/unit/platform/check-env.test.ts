import { afterEach, expect, test, vi } from "vitest";
import {
  isEnvUsable,
  isMediaEnvUsable,
  isRendererEnvUsable,
  isRunnerEnvUsable,
} from "../../../src/platform/check-env.ts";

const names = (list: string) => Object.fromEntries(list.split(" ").map((name) => [name, {}]));

const API = {
  ...names(
    "DB FILES RUN RUN_GROUP WORKSPACE RATE_LIMITER SCHEDULE BATCH ORGANIZATION_ACCESS EMBED_TOKEN WEBHOOK_ENDPOINT UPLOAD NODE_TASKS",
  ),
  ...names(
    "WEBHOOK_DELIVERIES ZIP_EXPORT FONT_CHECKER FILE_TYPES ZIP_BUILDERS RESULT_CACHE BATCH_EXPORTS ORGANIZATION_MOVES THUMBNAILS MODEL_PROVIDERS RENDERER TEMPLATE_DRAFT",
  ),
  ENVIRONMENT: "production",
  BOOT_ID: "cloudflare",
  BASE_URL: "",
  JWT_SECRET: "a secret of the tests, at least 32 bytes long",
};
const RUNNER = {
  ...names(
    "DB FILES RUN EXECUTOR RENDERER_EXECUTOR MEDIA_EXECUTOR SOUND_DECODER WEBHOOK_ENDPOINT WEBHOOK_SENDER ZIP_EXPORT ZIP_BUILDER PROVIDER_GATE CACHE ORGANIZATION_MOVE BATCH BATCH_EXPORT",
  ),
  ENVIRONMENT: "production",
  BOOT_ID: "cloudflare",
};
const RENDERER = {
  ...names("DB FILES RUN EXECUTOR RESULT_CACHE ASSETS"),
  ENVIRONMENT: "production",
  BOOT_ID: "cloudflare",
};
const MEDIA = {
  ...names("DB FILES RUN EXECUTOR RESULT_CACHE"),
  ENVIRONMENT: "production",
  BOOT_ID: "cloudflare",
};

const said: string[] = [];
vi.spyOn(console, "error").mockImplementation((line: unknown) => {
  said.push(String(line));
});

afterEach(() => {
  said.length = 0;
});

test("each Worker serves with the settings of its own wrangler file and secrets", () => {
  expect([
    isEnvUsable({ ...API }),
    isRunnerEnvUsable({ ...RUNNER }),
    isRendererEnvUsable({ ...RENDERER }),
    isMediaEnvUsable({ ...MEDIA }),
  ]).toEqual([true, true, true, true]);
  expect(said).toEqual([]);
});

test("a missing or malformed secret in one Worker stops only that Worker, and its log has the name", () => {
  const { JWT_SECRET: _secret, ...withoutSecret } = API;
  for (const broken of [withoutSecret, { ...API, JWT_SECRET: "short and secret" }]) {
    expect([isEnvUsable(broken), isRunnerEnvUsable({ ...RUNNER })]).toEqual([false, true]);
    expect(said.join()).toContain('"worker":"api"');
    expect(said.join()).toContain("JWT_SECRET");
    expect(said.join()).not.toContain("short and secret");
    said.length = 0;
  }
  const broken = { ...RUNNER, BOOT_ID: "" };
  expect([isEnvUsable({ ...API }), isRunnerEnvUsable(broken)]).toEqual([true, false]);
  expect(said.join()).toContain('"worker":"runner"');
  expect(said.join()).toContain("BOOT_ID");
});

test.each(["EGRESS_ALLOW_LOOPBACK", "PROVIDERS_ALLOW_LOOPBACK"])(
  "no deployment serves with %s, and the local mode does",
  (name) => {
    const named = { [name]: "127.0.0.1:9" };
    expect(isEnvUsable({ ...API, ...named })).toBe(false);
    expect(isRunnerEnvUsable({ ...RUNNER, ...named })).toBe(false);
    expect(isRendererEnvUsable({ ...RENDERER, ...named })).toBe(false);
    expect(isMediaEnvUsable({ ...MEDIA, ...named })).toBe(false);
    expect(said).toHaveLength(4);
    expect(said.every((line) => line.includes(name))).toBe(true);
    const local = { ...named, ENVIRONMENT: "local" };
    expect(isEnvUsable({ ...API, ...local })).toBe(true);
    expect(isRunnerEnvUsable({ ...RUNNER, ...local })).toBe(true);
  },
);

test.each([
  ["api", API, isEnvUsable],
  ["runner", RUNNER, isRunnerEnvUsable],
] as const)(
  "a malformed list of providers' encryption keys stops the Worker %s, and is not logged",
  (worker, vars, isUsable) => {
    const key = btoa("x".repeat(32));
    expect(isUsable({ ...vars, PROVIDER_KEYS_SECRET: `${key},${key}` })).toBe(true);
    expect(isUsable({ ...vars, PROVIDER_KEYS_SECRET: "" })).toBe(true);
    expect(said).toEqual([]);
    expect(isUsable({ ...vars, PROVIDER_KEYS_SECRET: `${key},c2hvcnQ=` })).toBe(false);
    expect(said.join()).toContain(`"worker":"${worker}"`);
    expect(said.join()).toContain("PROVIDER_KEYS_SECRET");
    expect(said.join()).not.toMatch(/c2hvcnQ|eHh4/);
  },
);

test("an invalid setting is logged once for an environment, however often it is checked", () => {
  const broken = { ...RUNNER, DB: undefined };
  expect([isRunnerEnvUsable(broken), isRunnerEnvUsable(broken)]).toEqual([false, false]);
  expect(said).toHaveLength(1);
});

test("an AI_PROVIDERS that breaks a rule stops the Workers that read it; the log names the member and no value", () => {
  const provider = {
    id: "a",
    kind: "fal",
    api_key: "sk-Geheimnis",
    base_url: "http://sk-Geheimnis",
  };
  const broken = { AI_PROVIDERS: JSON.stringify([provider]) };
  expect(isEnvUsable({ ...API, ...broken })).toBe(false);
  expect(isRunnerEnvUsable({ ...RUNNER, ...broken })).toBe(false);
  expect(isRendererEnvUsable({ ...RENDERER, ...broken })).toBe(true);
  expect(said).toHaveLength(2);
  expect(said.every((line) => line.includes("AI_PROVIDERS[0].base_url: "))).toBe(true);
  expect(said.join()).not.toContain("Geheimnis");
  const { base_url: _base, ...usable } = provider;
  expect(isEnvUsable({ ...API, AI_PROVIDERS: JSON.stringify([usable]) })).toBe(true);
});
