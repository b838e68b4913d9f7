/** docs/contract/models.md#providers: which key and address a call of a workspace gets. */
import { env } from "cloudflare:workers";
import { expect, test, vi } from "vitest";
import { findConnection } from "../../../src/domain/models/find-connection.ts";
import type { TaskEnv } from "../../../src/platform/env.ts";
import { configuredProvider, providersOf } from "../../../src/workers/runner/model-providers.ts";
import { newWorkspace, operator } from "../../support/api-caller.ts";
import { intercepted } from "../../support/moves.ts";
import { HOME_DB, withHome } from "../../support/home-database.ts";

const [mine, other] = [await newWorkspace(), await newWorkspace()];
const id = "connections";

async function put(workspaceId: string | null, more: object): Promise<void> {
  const scope = workspaceId === null ? "/admin/v1" : `/admin/v1/workspaces/${workspaceId}`;
  const body = { kind: "openai_compatible", base_url: "https://models.example.com/v1", ...more };
  const { status, text } = await operator("PUT", `${scope}/providers/${id}`, body);
  expect(status, text).toBe(200);
}

const CAPS = { max_concurrency: 4, max_concurrency_per_workspace: 2 };

const find = (workspaceId: string, vars: Parameters<typeof findConnection>[0] = env) =>
  findConnection(vars, workspaceId, id);

test("a call gets the workspace's own provider, otherwise the system's, and none that is disabled", async () => {
  expect(await find(mine)).toBeUndefined();
  await put(null, { api_key: "of the system", headers: { "X-Org": "one" } });
  await put(mine, { base_url: "https://mine.example.com", api_key: "of mine", ...CAPS });
  expect(await find(other)).toEqual({
    kind: "openai_compatible",
    baseUrl: "https://models.example.com/v1",
    apiKey: "of the system",
    headers: { "X-Org": "one" },
    scope: "system",
    limits: { all: 16, each: 8 },
  });
  expect(await find(mine)).toEqual({
    kind: "openai_compatible",
    baseUrl: "https://mine.example.com",
    apiKey: "of mine",
    headers: {},
    scope: "workspace",
    limits: { all: 4, each: 2 },
  });
  await put(mine, { enabled: false });
  expect(await find(mine)).toBeUndefined();
  expect((await find(other))?.apiKey).toBe("of the system");
  await put(null, { api_key: null });
  expect((await find(other))?.apiKey).toBeNull();
});

test("a key that cannot be decrypted, or that was stored for another workspace, is not used", async () => {
  await put(null, { api_key: "of the system" });
  const lost = {
    ...withHome(HOME_DB),
    ENVIRONMENT: "local",
    PROVIDER_KEYS_SECRET: btoa("another secret of thirty-two byt"),
  };
  const log = vi.spyOn(console, "error").mockImplementation(() => undefined);
  const { PROVIDER_KEYS_SECRET: _secret, ...without } = lost;
  try {
    await expect(find(other, lost)).rejects.toMatchObject({ code: "PROVIDER_AUTH_FAILED" });
    await expect(find(other, without)).rejects.toMatchObject({ code: "PROVIDER_AUTH_FAILED" });
    const lines = log.mock.calls.map(([line]) => JSON.parse(String(line)) as object);
    const line = { event: "provider.key_unreadable", provider: id, secret: "PROVIDER_KEYS_SECRET" };
    expect(lines).toMatchObject([
      { ...line, field: "api_key", is_set: true },
      { ...line, field: "api_key", is_set: false },
    ]);
    expect(JSON.stringify(lines)).not.toMatch(/of the system|another secret|YW5vdGhlci/);
  } finally {
    log.mockRestore();
  }
  await put(mine, { enabled: true, api_key: "of mine" });
  await HOME_DB.prepare("UPDATE providers SET workspace_id = ? WHERE workspace_id = ? AND id = ?")
    .bind(other, mine, id)
    .run();
  await expect(find(other)).rejects.toMatchObject({ code: "PROVIDER_AUTH_FAILED" });
});

test("without a stored provider a call gets that of the environment, unless it is disabled", async () => {
  const workspace = await newWorkspace();
  const inEnvironment = (more: object) => ({
    ...env,
    AI_PROVIDERS: JSON.stringify([{ id: "given", kind: "fal", api_key: "of all", ...more }]),
  });
  const given = (more: object = {}) => findConnection(inEnvironment(more), workspace, "given");
  expect(await given({ headers: { "X-Org": "two" } })).toEqual({
    kind: "fal",
    baseUrl: "https://queue.fal.run",
    apiKey: "of all",
    headers: { "X-Org": "two" },
    scope: "system",
    limits: { all: 16, each: 8 },
  });
  expect(await given({ enabled: false })).toBeUndefined();
  await operator("PUT", "/admin/v1/providers/given", { kind: "fal", api_key: "of the system" });
  expect((await given())?.apiKey).toBe("of the system");
  await operator("PUT", "/admin/v1/providers/given", { kind: "fal", enabled: false });
  expect(await given()).toBeUndefined();
  await operator("DELETE", "/admin/v1/providers/given");
});

test("Workers AI is called through its binding, unless the operator switched it off for the workspace", async () => {
  const AI = { run: () => Promise.reject(new Error("No model is run.")) };
  const vars = env as unknown as TaskEnv;
  const kindOf = async (workspaceId: string, more: object = { AI }) =>
    (await configuredProvider({ ...vars, ...more }, workspaceId, "workers_ai"))?.provider.kind;
  expect(await kindOf(mine, {})).toBeUndefined();
  expect(await kindOf(mine)).toBe("workers_ai");
  const path = `/admin/v1/workspaces/${mine}/providers/workers_ai`;
  const { status, text } = await operator("PUT", path, { kind: "workers_ai", enabled: false });
  expect(status, text).toBe(200);
  expect([await kindOf(mine), await kindOf(other)]).toEqual([undefined, "workers_ai"]);
});

test("tasks of one run share a read of the database for a second, and a later run finds a change", async () => {
  const workspace = await newWorkspace();
  await put(workspace, { api_key: "of before" });
  let reads = 0;
  // With several databases, a read of providers also reads whether the workspace has moved.
  const counting = intercepted(HOME_DB, async (texts, run) => {
    reads += texts.some((text) => text.includes("providers")) ? 1 : 0;
    return await run();
  });
  const vars = { ...(env as unknown as TaskEnv), ...withHome(counting) };
  let nowMs = 1_000_000;
  const clock = vi.spyOn(Date, "now").mockImplementation(() => nowMs);
  try {
    const executor = {};
    const keyIn = async (run: string) =>
      (await providersOf(executor, run)(vars, workspace, id))?.connection?.apiKey;
    const keys = await Promise.all(Array.from({ length: 48 }, () => keyIn("first")));
    expect(new Set(keys)).toEqual(new Set(["of before"]));
    expect(reads).toBe(1);
    await put(workspace, { api_key: "of after" });
    expect([await keyIn("later"), await keyIn("first")]).toEqual(["of after", "of before"]);
    expect(reads).toBe(2);
    nowMs += 1_000;
    expect(await keyIn("first")).toBe("of after");
    expect(await providersOf(executor, "later")(vars, await newWorkspace(), id)).not.toMatchObject({
      connection: { apiKey: "of after" },
    });
  } finally {
    clock.mockRestore();
  }
});
