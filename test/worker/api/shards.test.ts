import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { OrganizationAccessObject } from "../../../durable-objects/organization-access/organization-access-object.ts";
import { PLANS } from "../../../src/domain/access/kept-facts.ts";
import { forgetCallers, knownCaller } from "../../../src/domain/access/access-facts.ts";
import { findStoredFile } from "../../../src/domain/files/find-stored-file.ts";
import { isDisabled } from "../../../src/domain/models/find-connection.ts";
import type { AppContext } from "../../../src/platform/context.ts";
import { createLogger } from "../../../src/platform/logger.ts";
import { BillingPlanLimits } from "../../../src/contracts/workspaces/billing-plan.ts";
import { upsertBillingPlan } from "../../../src/storage/d1/billing-plan-store.ts";
import { waitUntil } from "../../support/wait-until.ts";
import { findApiKey } from "../../../src/storage/d1/api-key-store.ts";
import { listExpiredPreviews } from "../../../src/storage/d1/preview-store.ts";
import { findOrganization } from "../../../src/storage/d1/organization-store.ts";
import { findWorkspace } from "../../../src/storage/d1/workspace-row-store.ts";
import { beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { modelConfigurationFor } from "../../../src/storage/d1/model-default-store.ts";
import {
  believeHome,
  forgetHomes,
  homeOf,
  homeOfWorkspace,
  takeHint,
} from "../../../src/storage/d1/databases.ts";
import { findShareLink, ShareLinkStore } from "../../../src/storage/d1/share-link-store.ts";
import { TemplateRows } from "../../../src/storage/d1/template-rows.ts";
import type { TemplateRecord } from "../../../src/contracts/templates/template-object-api.ts";
import { ProviderStore, providersFor } from "../../../src/storage/d1/provider-store.ts";
import { ADMIN_TOKEN, call, type Reply } from "../../support/api-caller.ts";
import { counted } from "../../support/counted-database.ts";
import { expectWithin } from "../../support/expect-within.ts";
import { HAS_SHARDS } from "../../support/home-database.ts";
import { intercepted } from "../../support/moves.ts";
import { accessOver } from "../../support/access-over.ts";
import { newShards, type Shards } from "../../support/shards.ts";
import type { Env, TaskEnv } from "../../../src/platform/env.ts";

let shards: Shards;

beforeAll(async () => {
  shards = await newShards();
});

beforeEach(() => {
  forgetHomes();
});

function operator(
  method: string,
  path: string,
  json?: unknown,
  more: { readonly env?: Partial<Env>; readonly headers?: Readonly<Record<string, string>> } = {},
): Promise<Reply> {
  const { env: other, headers } = more;
  return call(method, `/admin/v1/${path}`, {
    token: ADMIN_TOKEN,
    json,
    env: { ...shards, ...other },
    ...(headers !== undefined && { headers }),
  });
}

async function newOrganization(shard?: number): Promise<{ id: string; shard: number }> {
  const reply = await operator("POST", "organizations", { name: "O", shard });
  expect(reply.status).toBe(201);
  return reply.json;
}

const template = (id: string, workspace: string): TemplateRecord => ({
  id,
  workspace_id: workspace,
  name: "T",
  description: "",
  tags: [],
  status: "published",
  source: null,
  draft_revision: 1,
  content_hash: "h",
  page_count: 1,
  content_changed_at_ms: 1,
  latest: null,
  created_at_ms: 1,
  updated_at_ms: 1,
});

describe("organizations", () => {
  test("come to the open shard with the fewest, the lowest number first, or to the one that is asked for", async () => {
    const homes: number[] = [];
    for (const wanted of [undefined, undefined, undefined, undefined, 2, 2]) {
      homes.push((await newOrganization(wanted)).shard);
    }
    expect(homes).toEqual([0, 1, 2, 0, 2, 2]);
    expect((await newOrganization()).shard).toBe(1);
    const { status, json } = await operator("GET", "shards");
    expect(status).toBe(200);
    expect(json.data).toMatchObject([
      { shard: 0, binding: "DB", organizations: 2, is_open: true },
      { shard: 1, binding: "DB_1", organizations: 2, is_open: true },
      { shard: 2, binding: "DB_2", organizations: 3, is_open: true },
    ]);
    expect(json.data.every((row: { size_bytes: number }) => row.size_bytes > 10_000)).toBe(true);
    const stored = await shards.DB_2.prepare("SELECT count(*) AS n FROM organizations").first("n");
    expect(stored).toBe(3);
  });

  test("do not come to a closed shard, nor to one that is not there", async () => {
    const closed = await operator("PATCH", "shards/1", { is_open: false });
    expect([closed.status, closed.json.is_open]).toEqual([200, false]);
    const refused = await operator("POST", "organizations", { name: "O", shard: 1 });
    expect([refused.status, refused.json.code]).toEqual([400, "validation_error"]);
    expect(refused.json.errors[0].field).toBe("shard");
    for (let round = 0; round < 4; round += 1) {
      expect((await newOrganization()).shard).not.toBe(1);
    }
    const unknown = await operator("POST", "organizations", { name: "O", shard: 9 });
    expect([unknown.status, unknown.json.code]).toEqual([400, "validation_error"]);
    const missing = await operator("PATCH", "shards/9", { is_open: false });
    expect([missing.status, missing.json.code]).toEqual([400, "validation_error"]);
    for (const shard of [0, 2]) {
      await operator("PATCH", `shards/${String(shard)}`, { is_open: false });
    }
    const none = await operator("POST", "organizations", { name: "O" });
    expect([none.status, none.json.code]).toEqual([409, "conflict"]);
    for (const shard of [0, 1, 2]) {
      const { json } = await operator("PATCH", `shards/${String(shard)}`, { is_open: true });
      expect(json.is_open).toBe(true);
    }
  });

  test("of a shard that is missing in the configuration get 503, and others work", async () => {
    const { id } = await newOrganization(2);
    forgetHomes();
    const without = {
      DB: shards.DB,
      DB_1: shards.DB_1,
      DB_2: undefined,
    } as unknown as Partial<Env>;
    const json = { organization_id: id, name: "W" };
    const reply = await operator("POST", "workspaces", json, { env: without });
    expect([reply.status, reply.json.code]).toEqual([503, "service_unavailable"]);
    const other = await newOrganization(1);
    const made = { organization_id: other.id, name: "W" };
    expect((await operator("POST", "workspaces", made, { env: without })).status).toBe(201);
  });
});

/** A workspace on a shard, with a token of a key of it. */
async function newTenant(shard: number) {
  const { id } = await newOrganization(shard);
  const workspace = await operator("POST", "workspaces", { organization_id: id, name: "W" });
  const key = await operator("POST", "api-keys", { workspace_id: workspace.json.id, name: "K" });
  expect(key.status).toBe(201);
  const { client_id: client, client_secret: secret } = key.json;
  const signIn = (bindings: Partial<Env>) =>
    call("POST", "/api/v1/auth/token", {
      headers: {
        "cf-connecting-ip": "2001:db8:2::1",
        authorization: `Basic ${btoa(`${client}:${secret}`)}`,
        "content-type": "application/x-www-form-urlencoded",
      },
      body: "grant_type=client_credentials",
      env: bindings,
    });
  const { json } = await signIn(shards);
  return {
    organization: id,
    workspace: workspace.json.id as string,
    client: client as string,
    token: json.access_token as string,
    signIn,
  };
}

/** A database whose statements wait for `held`. */
function heldUp(db: D1Database, held: Promise<void>, onWait: () => void): D1Database {
  const real = new WeakMap<object, D1PreparedStatement>();
  const later = async <T>(act: () => T | Promise<T>): Promise<T> => {
    onWait();
    await held;
    return await act();
  };
  const statement = (of: D1PreparedStatement): D1PreparedStatement => {
    const made = {
      bind: (...values: unknown[]) => statement(of.bind(...values)),
      first: (column?: string) =>
        later(() => (column === undefined ? of.first() : of.first(column))),
      all: () => later(() => of.all()),
      run: () => later(() => of.run()),
      raw: () => later(() => of.raw()),
    } as unknown as D1PreparedStatement;
    real.set(made, of);
    return made;
  };
  return {
    prepare: (text: string) => statement(db.prepare(text)),
    batch: (list: readonly D1PreparedStatement[]) =>
      later(() => db.batch(list.map((one) => real.get(one) ?? one))),
  } as unknown as D1Database;
}

/** A database that has no room: what it has can be read. */
function fullDatabase(db: D1Database): D1Database {
  const full = () => Promise.reject(new Error("D1_ERROR: database or disk is full: SQLITE_FULL"));
  const isWrite = new WeakMap<object, boolean>();
  const real = new WeakMap<object, D1PreparedStatement>();
  const statement = (text: string, of: D1PreparedStatement): D1PreparedStatement => {
    const writes = !/^\s*(SELECT|WITH)\b/i.test(text);
    const made = {
      bind: (...values: unknown[]) => statement(text, of.bind(...values)),
      first: (column?: string) =>
        writes ? full() : column === undefined ? of.first() : of.first(column),
      all: () => (writes ? full() : of.all()),
      run: () => (writes ? full() : of.run()),
    } as unknown as D1PreparedStatement;
    isWrite.set(made, writes);
    real.set(made, of);
    return made;
  };
  return {
    prepare: (text: string) => statement(text, db.prepare(text)),
    batch: (list: readonly D1PreparedStatement[]) =>
      list.some((one) => isWrite.get(one)) ? full() : db.batch(list.map((one) => real.get(one)!)),
  } as unknown as D1Database;
}

/** The Worker's databases without some. */
function without(...names: readonly ("DB_1" | "DB_2")[]): Shards {
  return { ...shards, ...Object.fromEntries(names.map((name) => [name, undefined])) };
}

describe("a tenant whose shard is missing in the configuration", () => {
  test.each([
    { missing: ["DB_1", "DB_2"] as const, what: "only DB is there" },
    { missing: ["DB_1"] as const, what: "another shard is there" },
  ])("gets 503 from every door if $what, and never another answer", async ({ missing }) => {
    const tenant = await newTenant(1);
    const bindings = without(...missing);
    forgetHomes();
    forgetCallers();
    const refused = [503, "service_unavailable"];
    const statusOf = ({ status, json }: Reply) => [status, json.code];
    expect(statusOf(await tenant.signIn(bindings))).toEqual(refused);
    const asTenant = { token: tenant.token, env: bindings };
    expect(statusOf(await call("GET", "/api/v1/workflows", asTenant))).toEqual(refused);
    const made = { organization_id: tenant.organization, name: "W" };
    expect(statusOf(await operator("POST", "workspaces", made, { env: bindings }))).toEqual(
      refused,
    );
    expect(await findApiKey(bindings, "key_unknown")).toBeUndefined();
    expect(await findOrganization(bindings, "org_unknown")).toBeUndefined();
  });

  // With WORKER_SHARDS=1 the access object has all databases.
  test.skipIf(HAS_SHARDS)("is not unknown to a caller without a token's hint", async () => {
    const tenant = await newTenant(1);
    for (const bindings of [without("DB_1", "DB_2"), without("DB_1")]) {
      forgetHomes();
      forgetCallers();
      const ctx = {
        env: { ...env, ...bindings },
        nowMs: () => Date.now(),
        waitUntil: () => undefined,
        log: createLogger({}),
      } as unknown as AppContext;
      const caller = {
        keyId: tenant.client,
        workspaceId: tenant.workspace,
        organizationId: tenant.organization,
      };
      await expect(knownCaller(ctx, caller)).rejects.toMatchObject({ code: "service_unavailable" });
    }
  });

  test("has no missing file and no enabled provider, as far as a runner knows", async () => {
    const { id } = await newOrganization(1);
    await shards.DB_1.prepare("INSERT INTO workspaces VALUES ('ws_unseen', ?, 'W', 'dev', 1)")
      .bind(id)
      .run();
    const runnerOn = (bindings: Shards) => ({ ...env, ...bindings }) as unknown as TaskEnv;
    for (const bindings of [without("DB_1", "DB_2"), without("DB_1")]) {
      const runner = runnerOn(bindings);
      const refused = { code: "service_unavailable" };
      await expect(findStoredFile(runner, "ws_unseen", "file.txt")).rejects.toMatchObject(refused);
      await expect(isDisabled(runner, "ws_unseen", "openai")).rejects.toMatchObject(refused);
      const whole = runnerOn(shards);
      expect(await findStoredFile(whole, "ws_unseen", "file.txt")).toBeUndefined();
      expect(await isDisabled(whole, "ws_unseen", "openai")).toBe(false);
    }
  });
});

/** A database whose every statement fails. */
const broken = {
  prepare: () => {
    throw new Error("D1 is gone");
  },
} as unknown as D1Database;

describe("a shard that does not respond", () => {
  const nowMs = 1_000;

  test("fails look-ups of its own tenants with 503, and nobody else's", async () => {
    const { id } = await newOrganization(1);
    await shards.DB_1.prepare("INSERT INTO workspaces VALUES ('ws_cold', ?, 'W', 'dev', 1)")
      .bind(id)
      .run();
    await new TemplateRows(shards, "ws_cold").insert(template("tpl_cold", "ws_cold"), undefined);
    const link = { id: "sl_cold", template_id: "tpl_cold", revision: 1, max_imports: null };
    const limits = {
      expires_at_ms: null,
      created_at_ms: 1,
      require_sign_in: false,
      is_entered: false,
    };
    await new ShareLinkStore(shards, "ws_cold").insert({ ...link, ...limits }, "cold", undefined);
    const bindings = { ...shards, DB_2: broken };
    await shards.DB_1.prepare("INSERT INTO workspaces VALUES ('ws_colder', ?, 'W', 'dev', 1)")
      .bind(id)
      .run();
    expect((await homeOfWorkspace(bindings, "ws_colder")).shard).toBe(1);
    expect(await findShareLink(bindings, "cold", 2)).toMatchObject({ id: "sl_cold" });
    const refused = { code: "service_unavailable" };
    await expect(homeOfWorkspace(bindings, "ws_nowhere")).rejects.toMatchObject(refused);
    await expect(findShareLink(bindings, "warm", 2)).rejects.toMatchObject(refused);
  });

  test("for minutes holds up its own tenants only, whose calls are answered when it is", async () => {
    const [slow, other] = [await newTenant(1), await newTenant(2)];
    const held = Promise.withResolvers<void>();
    let waiting = 0;
    const databases = { ...shards, DB_1: heldUp(shards.DB_1, held.promise, () => (waiting += 1)) };
    const bindings = { ...databases, ...accessOver(databases) };
    forgetHomes();
    forgetCallers();
    const ofFolders = (token: string, name?: string) =>
      call(name === undefined ? "GET" : "POST", "/api/v1/workflow-folders", {
        token,
        env: bindings,
        ...(name !== undefined && { json: { name } }),
      });
    const calls = [slow.signIn(bindings), ofFolders(slow.token), ofFolders(slow.token, "Late")];
    await waitUntil("the calls to wait", () => Promise.resolve(waiting > 0));
    // While those wait.
    expect((await other.signIn(bindings)).status).toBe(200);
    expect((await ofFolders(other.token, "Now")).status).toBe(201);
    expect((await ofFolders(other.token)).json.data).toMatchObject([{ name: "Now" }]);
    const still = await Promise.race([Promise.all(calls), Promise.resolve("waiting")]);
    expect(still).toBe("waiting");
    held.resolve();
    const statuses = (await Promise.all(calls)).map(({ status }) => status);
    expect(statuses).toEqual([200, 200, 201]);
    expect((await ofFolders(slow.token)).json.data).toMatchObject([{ name: "Late" }]);
  });

  test("and is full refuses the writes of its own tenants with 503, and nobody else's", async () => {
    const [full, other] = [await newTenant(1), await newTenant(2)];
    const databases = { ...shards, DB_1: fullDatabase(shards.DB_1) };
    const bindings = { ...databases, ...accessOver(databases) };
    forgetHomes();
    forgetCallers();
    const create = async (token: string, more: Partial<Env> = {}) => {
      const json = { name: "Folder" };
      const env = { ...bindings, ...more };
      const reply = await call("POST", "/api/v1/workflow-folders", { token, json, env });
      return [reply.status, reply.json.code, reply.headers.get("retry-after")];
    };
    const list = async (token: string) => {
      const reply = await call("GET", "/api/v1/workflow-folders", { token, env: bindings });
      return [reply.status, reply.json.data?.length];
    };
    expect(await create(full.token)).toEqual([503, "service_unavailable", "5"]);
    expect(await create(other.token)).toEqual([201, undefined, null]);
    // It can still be read, and nothing was written.
    expect([await list(full.token), await list(other.token)]).toEqual([
      [200, 0],
      [200, 1],
    ]);
    expect(await create(full.token, shards)).toEqual([201, undefined, null]);
  });

  test("is logged by a sweep, which has the rows of the others; with none of them it fails", async () => {
    await shards.DB_1.prepare(
      "INSERT INTO design_template_previews (folder, workspace_id, page_count, expires_at_ms) VALUES ('f', 'ws', 1, 1)",
    ).run();
    const logged: unknown[] = [];
    const log = { error: (event: string) => logged.push(event) };
    const expired = (env: Shards) => listExpiredPreviews({ env, log }, nowMs, 10);
    expect(await expired({ ...shards, DB_2: broken })).toMatchObject([{ folder: "f" }]);
    expect(logged).toEqual(["shard.unreachable"]);
    await expect(expired({ DB: broken, DB_1: broken, DB_2: broken })).rejects.toThrow("is gone");
  });
});

describe("a shard that is full", () => {
  /** A database that takes no row any more. */
  const full = (db: D1Database) =>
    intercepted(db, async (texts, run) => {
      if (texts.some((text) => /^\s*(?:INSERT|UPDATE)/.test(text))) {
        throw new Error("D1_ERROR: database or disk is full: SQLITE_FULL");
      }
      return await run();
    });

  test("is 503 for writes of its own organizations within 100 ms; their reads and all others go on", async () => {
    const [own, other] = [await newOrganization(1), await newOrganization(2)];
    const workspace = await operator("POST", "workspaces", { organization_id: own.id, name: "W" });
    const bindings = { ...shards, DB_1: full(shards.DB_1) };
    const made = (json: object) => operator("POST", "workspaces", json, { env: bindings });
    const refused = [503, "service_unavailable"];
    await expectWithin(100, async () => {
      const { status, json } = await made({ organization_id: own.id, name: "V" });
      expect([status, json.code]).toEqual(refused);
    });
    expect((await findWorkspace(bindings, workspace.json.id))?.name).toBe("W");
    expect((await made({ organization_id: other.id, name: "V" })).status).toBe(201);
    const before = (await operator("GET", "shards")).json.data;
    const organization = { name: "O", shard: 1 };
    const { status, json } = await operator("POST", "organizations", organization, {
      env: bindings,
    });
    expect([status, json.code]).toEqual(refused);
    const counts = (rows: { organizations: number }[]) => rows.map((row) => row.organizations);
    expect(counts((await operator("GET", "shards")).json.data)).toEqual(counts(before));
  });
});

describe("the access object of an organization on another shard", () => {
  test("asks no shard where a workspace is whose organization its caller knows", async () => {
    const { id } = await newOrganization(2);
    await shards.DB_2.prepare("INSERT INTO workspaces VALUES ('ws_told', ?, 'W', 'dev', 1)")
      .bind(id)
      .run();
    const all = [counted(shards.DB), counted(shards.DB_1), counted(shards.DB_2)] as const;
    const [DB, DB_1, DB_2] = all;
    const bindings = { ...env, DB: DB.db, DB_1: DB_1.db, DB_2: DB_2.db };
    const stub = env.ORGANIZATION_ACCESS.get(env.ORGANIZATION_ACCESS.idFromName(id));
    forgetHomes();
    const request = { v: 1, key: null, workspace: "ws_told", organization: id } as const;
    const read = (shard: { shard?: number }) =>
      runInDurableObject(stub, async (_object, state) => {
        const object = new OrganizationAccessObject(state, bindings);
        expect((await object.read({ ...request, ...shard })).plans?.workspace).toBe("dev");
      });
    await read({});
    // The statement also shows whether the shard is still the home.
    expect(all.map(({ texts }) => texts.length)).toEqual([1, 0, 1]);
    expect(DB_2.texts.join()).toContain("FROM organization_moves");
    // With what a token says, nor the directory where the organization is.
    forgetHomes();
    const change = { v: 1, subject: PLANS } as const;
    await runInDurableObject(stub, (_object, state) =>
      new OrganizationAccessObject(state, bindings).changed(change),
    );
    await read({ shard: 2 });
    expect(all.map(({ texts }) => texts.length)).toEqual([1, 0, 2]);
  });
});

describe("an operator's key for a creation on another shard", () => {
  const key = { "idempotency-key": "one-creation-only" };

  /** A directory whose settlement fails, as if the isolate had ended between the two databases. */
  const cut = () =>
    new Proxy(shards.DB, {
      get: (target, name) => {
        const member: unknown = Reflect.get(target, name);
        return name === "prepare"
          ? (text: string) => {
              if (text.includes("SET resource_id")) {
                throw new Error("D1 is gone");
              }
              return target.prepare(text);
            }
          : typeof member === "function"
            ? member.bind(target)
            : member;
      },
    });
  /** The lease of the attempt that was cut off ends. */
  const waitForLease = () =>
    shards.DB.prepare("UPDATE idempotency_keys SET lease_expires_at_ms = 1").run();

  test("keeps another body from creating, on the same shard and on another one", async () => {
    const { id } = await newOrganization(1);
    const headers = { "idempotency-key": "one-body-only" };
    const body = { organization_id: id, name: "W" };
    const first = await operator("POST", "workspaces", body, { headers, env: { DB: cut() } });
    expect(first.status).toBe(500);
    const conflict = [409, "idempotency_conflict"];
    const elsewhere = { organization_id: (await newOrganization(2)).id, name: "W" };
    const other = await operator("POST", "workspaces", elsewhere, { headers });
    expect([other.status, other.json.code]).toEqual(conflict);
    await waitForLease();
    const renamed = await operator("POST", "workspaces", { ...body, name: "V" }, { headers });
    expect([renamed.status, renamed.json.code]).toEqual(conflict);
    const again = await operator("POST", "workspaces", body, { headers });
    expect([again.status, again.json.name]).toEqual([201, "W"]);
  });

  test("creates once, also if the attempt ends before the directory has its record", async () => {
    const { id } = await newOrganization(1);
    const body = { organization_id: id, name: "W" };
    const first = await operator("POST", "workspaces", body, { headers: key, env: { DB: cut() } });
    expect(first.status).toBe(500);
    await waitForLease();
    const second = await operator("POST", "workspaces", body, { headers: key });
    expect(second.status).toBe(201);
    const third = await operator("POST", "workspaces", body, { headers: key });
    expect(third.headers.get("idempotency-replayed")).toBe("true");
    expect(third.json).toEqual(second.json);
    const rows = await shards.DB_1.prepare("SELECT id FROM workspaces WHERE organization_id = ?")
      .bind(id)
      .all();
    expect(rows.results).toEqual([{ id: second.json.id }]);
    const other = await newOrganization(2);
    const conflict = await operator(
      "POST",
      "workspaces",
      { organization_id: other.id, name: "W" },
      { headers: key },
    );
    expect([conflict.status, conflict.json.code]).toEqual([409, "idempotency_conflict"]);
  });
});

describe("a key", () => {
  test("signs in with one question to the directory, and its token names its shard", async () => {
    const { id } = await newOrganization(1);
    const workspace = await operator("POST", "workspaces", { organization_id: id, name: "W" });
    const key = await operator("POST", "api-keys", { workspace_id: workspace.json.id, name: "K" });
    expect(key.status).toBe(201);
    const { client_id: client, client_secret: secret } = key.json;
    const [directory, home] = [counted(shards.DB), counted(shards.DB_1)];
    forgetHomes();
    const reply = await call("POST", "/api/v1/auth/token", {
      headers: {
        "cf-connecting-ip": "2001:db8:1::1",
        authorization: `Basic ${btoa(`${client}:${secret}`)}`,
        "content-type": "application/x-www-form-urlencoded",
      },
      body: "grant_type=client_credentials",
      env: { ...shards, DB: directory.db, DB_1: home.db },
    });
    expect(reply.status).toBe(200);
    expect(directory.texts).toHaveLength(1);
    expect(home.texts).toEqual(["SELECT * FROM api_keys WHERE id = ?"]);
    const [, claims = ""] = reply.json.access_token.split(".");
    expect(JSON.parse(atob(claims.replaceAll("-", "+").replaceAll("_", "/")))).toMatchObject({
      org: id,
      ws: workspace.json.id,
      shard: 1,
    });
    expect((await operator("DELETE", `api-keys/${client}`)).status).toBe(204);
    const revoked = await shards.DB_1.prepare("SELECT revoked_at_ms FROM api_keys WHERE id = ?")
      .bind(client)
      .first<number>("revoked_at_ms");
    expect(revoked).toBeGreaterThan(0);
  });

  test("signs in without the directory where it was found last, in any isolate", async () => {
    const tenant = await newTenant(1);
    const name = `directory/keys/${tenant.client}`;
    const isNoted = () =>
      waitUntil("the hint to be written", async () => {
        return (await (await env.FILES.get(name))?.text()) === "1";
      });
    await isNoted();
    const [directory, home] = [counted(shards.DB), counted(shards.DB_1)];
    forgetHomes();
    const reply = await tenant.signIn({ ...shards, DB: directory.db, DB_1: home.db });
    expect(reply.status).toBe(200);
    expect([directory.texts, home.texts.length]).toEqual([[], 1]);
    // What R2 has is a hint: without it, and with a wrong one, the directory is asked and the hint is written again.
    for (const hint of [undefined, "2", "63", "x"]) {
      await (hint === undefined ? env.FILES.delete(name) : env.FILES.put(name, hint));
      forgetHomes();
      directory.texts.length = 0;
      const again = await tenant.signIn({ ...shards, DB: directory.db });
      expect([again.status, directory.texts.length]).toEqual([200, 1]);
      await isNoted();
    }
    // Without R2 it asks the directory.
    const failing = { get: () => Promise.reject(new Error("R2 is gone")) };
    const bindings = { ...shards, FILES: { ...failing, put: failing.get } as unknown as R2Bucket };
    expect((await tenant.signIn(bindings)).status).toBe(200);
  });

  test("beyond the plan's limit leaves nothing in the directory", async () => {
    const { id } = await newOrganization(1);
    const workspace = await operator("POST", "workspaces", { organization_id: id, name: "W" });
    const { limits } = (await operator("PUT", "plans/one-user", { limits: { max_users: 0 } })).json;
    expect(limits.max_users).toBe(0);
    await operator("PUT", `workspaces/${workspace.json.id}/plan`, { plan: "one-user" });
    const key = await operator("POST", "api-keys", { workspace_id: workspace.json.id, name: "K" });
    expect([key.status, key.json.code]).toEqual([402, "plan_limit_exceeded"]);
    const entries = shards.DB.prepare(
      "SELECT count(*) AS n FROM key_organizations WHERE organization_id = ?",
    );
    expect(await entries.bind(id).first("n")).toBe(0);
  });
});

describe("an isolate", () => {
  test("believes a home for 30 s, and asks the directory again after", async () => {
    const now = vi.spyOn(Date, "now");
    const { db, texts } = counted(shards.DB);
    const bindings = { ...shards, DB: db };
    const { id } = await newOrganization(2);
    forgetHomes();
    const start = 1_800_000_000_000;
    const asked = async (ms: number) => {
      now.mockReturnValue(start + ms);
      const { shard } = await homeOf(bindings, id);
      return [shard, texts.length];
    };
    expect(await asked(0)).toEqual([2, 1]);
    await shards.DB.prepare("UPDATE organization_homes SET shard = 1 WHERE organization_id = ?")
      .bind(id)
      .run();
    expect(await asked(29_999)).toEqual([2, 1]);
    expect(await asked(30_000)).toEqual([1, 2]);
    now.mockRestore();
  });

  test("takes a new token's hint in place of a question, and neither an old one's nor a second one's", async () => {
    const { db, texts } = counted(shards.DB);
    const bindings = { ...shards, DB: db };
    const { id } = await newOrganization(2);
    const workspace = await operator("POST", "workspaces", { organization_id: id, name: "W" });
    const hint = (shard: number, ageMs: number) => {
      const issuedAtMs = Date.now() - ageMs;
      const ids = { workspaceId: workspace.json.id, organizationId: id };
      takeHint(bindings, { ...ids, shard, issuedAtMs });
    };
    const home = async () => (await homeOfWorkspace(bindings, workspace.json.id)).shard;
    forgetHomes();
    hint(2, 0);
    expect([await home(), texts.length]).toEqual([2, 0]);
    hint(1, 0);
    expect([await home(), texts.length]).toEqual([2, 0]);
    forgetHomes();
    hint(1, 10 * 60_000);
    expect([await home(), texts.length]).toEqual([2, 1]);
    believeHome(id, 2);
  });

  test("finds a workspace whose organization nobody has told it on any shard", async () => {
    const { id } = await newOrganization(2);
    const [shard] = ["DB_2"] as const;
    await shards[shard]
      .prepare("INSERT INTO workspaces VALUES ('ws_untold', ?, 'W', 'dev', 1)")
      .bind(id)
      .run();
    expect((await homeOfWorkspace(shards, "ws_untold")).shard).toBe(2);
    expect((await homeOfWorkspace(shards, "ws_nowhere")).shard).toBe(0);
  });
});

describe("a share link of another shard", () => {
  test("is found, and counts each import: never more than it allows, and no failed one", async () => {
    const [owner, importer] = await Promise.all(
      [1, 2].map(async (shard) => {
        const { id } = await newOrganization(shard);
        const reply = await operator("POST", "workspaces", { organization_id: id, name: "W" });
        return reply.json.id as string;
      }),
    );
    if (owner === undefined || importer === undefined) {
      throw new Error("two workspaces were created");
    }
    await new TemplateRows(shards, owner).insert(template("tpl_shared", owner), undefined);
    const links = new ShareLinkStore(shards, owner);
    const link = { id: "sl_shared", template_id: "tpl_shared", revision: 1, max_imports: 2 };
    const limits = {
      expires_at_ms: null,
      created_at_ms: 1,
      require_sign_in: false,
      is_entered: false,
    };
    await links.insert({ ...link, ...limits }, "digest", undefined);
    const found = await findShareLink(shards, "digest", 2);
    expect(found).toMatchObject({ id: "sl_shared", workspace_id: owner, is_open: 1 });
    expect(await findShareLink(shards, "another", 2)).toBeUndefined();

    const store = new ShareLinkStore(shards, importer);
    const imported = (id: string) =>
      store.insertImported(
        { record: template(id, importer), pictures: [] },
        { id: link.id, workspace_id: owner },
        2,
        undefined,
      );
    const count = async () => (await links.find("tpl_shared", link.id))?.import_count;
    expect(await imported("tpl_first")).toBe(true);
    // A second template of this id cannot be written. It exists, so the import stays counted.
    await expect(imported("tpl_first")).rejects.toThrow("UNIQUE");
    expect(await count()).toBe(2);
    await shards.DB_1.prepare("UPDATE design_template_share_links SET import_count = 1").run();
    await shards.DB_2.prepare(
      "CREATE TRIGGER no_more BEFORE INSERT ON design_templates BEGIN SELECT RAISE(ABORT, 'no'); END",
    ).run();
    await expect(imported("tpl_refused")).rejects.toThrow("no");
    await shards.DB_2.prepare("DROP TRIGGER no_more").run();
    expect(await count()).toBe(1);
    const together = await Promise.all([1, 2, 3].map((n) => imported(`tpl_together_${String(n)}`)));
    expect(together.filter(Boolean)).toHaveLength(1);
    expect(await count()).toBe(2);
    const rows = new TemplateRows(shards, importer);
    expect(await rows.exists("tpl_first")).toBe(true);
    expect(await rows.exists("tpl_refused")).toBe(false);
  });
});

describe("an address that guesses share links", () => {
  test("gets 429 after 30 unknown ones in a minute, and then asks no shard; others are served", async () => {
    const asked = counted(shards.DB_1);
    // As if a release from before had made it: otherwise no shard is asked.
    await shards.DB_1.prepare("UPDATE design_template_share_links SET is_entered = 0").run();
    const guess = (address: string, index: number) =>
      call("GET", `/api/v1/shared-templates/${String(index).padStart(43, "x")}`, {
        headers: { "cf-connecting-ip": address },
        env: { ...shards, DB_1: asked.db },
      });
    for (let index = 0; index < 30; index += 1) {
      expect((await guess("2001:db8:9::1", index)).status).toBe(404);
    }
    const before = asked.texts.length;
    expect(before).toBeGreaterThanOrEqual(30);
    const refused = await guess("2001:db8:9::1", 31);
    expect([refused.status, refused.json.code]).toEqual([429, "too_many_requests"]);
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
    expect(asked.texts.length).toBe(before);
    expect((await guess("2001:db8:9::2", 31)).status).toBe(404);
  });
});

describe("what belongs to the whole deployment", () => {
  test("plans are written to every shard, and a shard of later has those that its rows need", async () => {
    const limits = { max_credits_per_month: 5, requests_per_minute: 7 };
    await operator("PUT", "plans/everywhere", { limits });
    for (const db of [shards.DB, shards.DB_1, shards.DB_2]) {
      const text = await db
        .prepare("SELECT limits FROM plans WHERE code = 'everywhere'")
        .first<string>("limits");
      expect(JSON.parse(text ?? "{}")).toMatchObject(limits);
    }
    await shards.DB_1.prepare("DELETE FROM plans WHERE code = 'everywhere'").run();
    const reply = await operator("POST", "organizations", {
      name: "O",
      plan: "everywhere",
      shard: 1,
    });
    expect(reply.status).toBe(201);
    const copy = await shards.DB_1.prepare(
      "SELECT limits FROM plans WHERE code = 'everywhere'",
    ).first<string>("limits");
    expect(JSON.parse(copy ?? "{}")).toMatchObject(limits);
  });

  test("a plan that is written twice at once is the same on every shard, however late a copy arrives", async () => {
    const plan = (credits: number) => ({
      code: "twice",
      name: "Twice",
      limits: BillingPlanLimits.parse({ max_credits_per_month: credits, requests_per_minute: 7 }),
    });
    let isHeld = true;
    let release: () => void = () => undefined;
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    // The first write stops between the directory and the first copy.
    const slow = {
      ...shards,
      DB_1: new Proxy(shards.DB_1, {
        get: (target, name) =>
          name === "prepare"
            ? (sql: string) => ({
                bind: (...values: unknown[]) => ({
                  run: async () => {
                    if (isHeld) {
                      await held;
                    }
                    return await target
                      .prepare(sql)
                      .bind(...values)
                      .run();
                  },
                }),
              })
            : (Reflect.get(target, name) as unknown),
      }),
    };
    const first = upsertBillingPlan(slow, plan(1), 1_000);
    const written = () =>
      shards.DB.prepare("SELECT limits FROM plans WHERE code = 'twice'").first<string>("limits");
    await waitUntil("the first write", async () => (await written()) !== null);
    // By a clock that is behind.
    await upsertBillingPlan(shards, plan(2), 500);
    isHeld = false;
    release();
    await first;
    for (const db of [shards.DB, shards.DB_1, shards.DB_2]) {
      const limits = await db
        .prepare("SELECT limits FROM plans WHERE code = 'twice'")
        .first<string>("limits");
      expect(JSON.parse(limits ?? "{}")).toMatchObject({ max_credits_per_month: 2 });
    }
  });

  test("organizations and keys of an older release enter the directory with the next migration", async () => {
    const tenant = await newTenant(0);
    await shards.DB.prepare("DELETE FROM organization_homes WHERE organization_id = ?")
      .bind(tenant.organization)
      .run();
    await shards.DB.prepare("DELETE FROM key_organizations WHERE key_id = ?")
      .bind(tenant.client)
      .run();
    const moves = env.TEST_MIGRATIONS.find(({ name }) => name.startsWith("0019"));
    const fills =
      moves?.queries.filter((query) =>
        /INSERT INTO (?:organization_homes|key_organizations)/.test(query),
      ) ?? [];
    expect(fills).toHaveLength(2);
    const elsewhere = await shards.DB_1.prepare("SELECT count(*) AS n FROM organizations").first(
      "n",
    );
    expect(elsewhere).toBeGreaterThan(0);
    for (const db of [shards.DB, shards.DB_1]) {
      for (const query of fills) {
        await db.prepare(query).run();
      }
    }
    const home = await shards.DB.prepare(
      "SELECT shard FROM organization_homes WHERE organization_id = ?",
    )
      .bind(tenant.organization)
      .first("shard");
    const owner = await shards.DB.prepare(
      "SELECT organization_id AS o FROM key_organizations WHERE key_id = ?",
    )
      .bind(tenant.client)
      .first("o");
    expect([home, owner]).toEqual([0, tenant.organization]);
    const directories = await shards.DB_1.prepare(
      "SELECT count(*) AS n FROM organization_homes",
    ).first("n");
    expect(directories).toBe(0);
  });

  test("providers of the system are found beside those of a workspace on another shard, by id", async () => {
    const { id } = await newOrganization(1);
    const workspace = await operator("POST", "workspaces", { organization_id: id, name: "W" });
    const row = (name: string) => ({
      id: name,
      kind: "openai",
      settings: "{}",
      api_key: null,
      headers: null,
      updated_at_ms: 1,
    });
    await new ProviderStore(shards, null).put(row("b-system"), []);
    for (const name of ["a-own", "c-own"]) {
      await new ProviderStore(shards, workspace.json.id).put(row(name), []);
    }
    const names = ["a-own", "b-system", "c-own"];
    const found = await providersFor(shards, workspace.json.id);
    expect(found.map((provider) => provider.id)).toEqual(names);
    const { providers } = await modelConfigurationFor(shards, workspace.json.id);
    expect(providers.map((provider) => provider.id)).toEqual(names);
    expect((await providersFor(shards, "")).map((provider) => provider.id)).toEqual(["b-system"]);
  });
});
