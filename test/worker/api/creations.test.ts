/** Creations with an Idempotency-Key happen once: twice in a row, at once, and across a crash. */
import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, test } from "vitest";
import { pressProfile } from "../../../scripts/press-profile.ts";
import type { EndpointDeclaration } from "../../../src/api/endpoint-declaration.ts";
import { ENDPOINTS } from "../../../src/api/routes.ts";
import { ADMIN_TOKEN, type Reply, call, type Caller, newCaller } from "../../support/api-caller.ts";
import { keysOf } from "../../support/asset-form.ts";
import { fontForm } from "../../support/fonts/font-form.ts";
import { publishedWorkflow } from "../../support/published-workflow.ts";
import { HOME_DB } from "../../support/home-database.ts";

let caller: Caller;
let source: string;
let echo: string;
let template: string;
let profile: string;
let shareToken: string;
let keys = 0;

beforeAll(async () => {
  caller = await newCaller();
  echo = await publishedWorkflow(caller);
  source = (await post("/api/v1/workflows", { name: "A source" })).json.id;
  const made = await post("/api/v1/design-templates", { name: "A template" }, newKey());
  template = made.json.id;
  const icc = form([["file", new File([pressProfile()], "press.icc")]]);
  profile = (await post("/api/v1/assets", icc)).json.path;
  const headers = { "idempotency-key": newKey(), "if-match": "*" };
  const path = `/api/v1/design-templates/${template}`;
  await call("POST", `${path}/draft/publish`, { token: caller.token, headers });
  shareToken = (await post(`${path}/share-links`, {})).json.token;
});

function newKey(): string {
  keys += 1;
  return `creation-${String(keys)}-${crypto.randomUUID()}`;
}

function post(path: string, body: unknown, key?: string, token = caller.token): Promise<Reply> {
  return call("POST", path, {
    token: path.startsWith("/admin/") ? ADMIN_TOKEN : token,
    ...(key !== undefined && { headers: { "idempotency-key": key } }),
    ...(body instanceof FormData ? { body } : { json: body }),
  });
}

function form(parts: readonly (readonly [string, string | File])[]): FormData {
  const made = new FormData();
  for (const [name, value] of parts) {
    made.append(name, value);
  }
  return made;
}

function textFile(text: string, name = "note.txt"): FormData {
  return form([["file", new File([text], name)]]);
}

function namedFont(displayName: string): FormData {
  return fontForm({ fields: { displayName } });
}

const DAILY = { cron: "@daily", inputs: { words: { value: '"hi"' } } };

interface Creation {
  readonly path: string;
  /** Made again for each call; with `other` it requests another resource. */
  readonly body: (name: string, other?: boolean) => unknown;
  readonly table: string;
  readonly idOf: (json: Record<string, unknown>) => unknown;
}

function creations(): readonly Creation[] {
  const named = (name: string, other = false) => ({ name: other ? `${name} 2` : name });
  return [
    { path: "/api/v1/workflows", body: named, table: "workflows", idOf: ({ id }) => id },
    {
      path: `/api/v1/workflows/${source}/clone`,
      body: named,
      table: "workflows",
      idOf: ({ id }) => id,
    },
    {
      path: "/api/v1/workflow-folders",
      body: named,
      table: "workflow_folders",
      idOf: ({ id }) => id,
    },
    {
      path: "/api/v1/assets",
      body: (name, other = false) => textFile(other ? "b" : "a", `${name}.txt`),
      table: "assets",
      idOf: ({ path }) => path,
    },
    {
      path: "/api/v1/design-templates",
      body: named,
      table: "design_templates",
      idOf: ({ id }) => id,
    },
    {
      path: `/api/v1/design-templates/${template}/duplicate`,
      body: named,
      table: "design_templates",
      idOf: ({ id }) => id,
    },
    {
      path: "/api/v1/color-profiles",
      body: (name, other = false) => ({ asset_path: profile, ...named(name, other) }),
      table: "color_profiles",
      idOf: ({ guid }) => guid,
    },
    {
      path: "/api/v1/design-templates/import",
      body: (name, other) => ({ share_token: shareToken, ...named(name, other) }),
      table: "design_templates",
      idOf: ({ id }) => id,
    },
    {
      path: `/api/v1/design-templates/${template}/share-links`,
      body: (name, other = false) => ({ max_imports: name.length + (other ? 1 : 0) }),
      table: "design_template_share_links",
      idOf: ({ id }) => id,
    },
    {
      path: "/api/v1/schedules",
      body: (name, other) => ({ workflow: echo, ...named(name, other), ...DAILY }),
      table: "schedules",
      idOf: ({ id }) => id,
    },
    {
      path: "/api/v1/fonts",
      body: (name, other = false) => namedFont(other ? `${name} 2` : name),
      table: "font_revisions",
      idOf: ({ versionGuid }) => versionGuid,
    },
    {
      path: "/admin/v1/organizations",
      body: named,
      table: "organizations",
      idOf: ({ id }) => id,
    },
    {
      path: "/admin/v1/workspaces",
      body: (name, other = false) => ({
        organization_id: caller.organizationId,
        ...named(name, other),
      }),
      table: "workspaces",
      idOf: ({ id }) => id,
    },
    {
      path: "/admin/v1/api-keys",
      body: (name, other = false) => ({ workspace_id: caller.workspaceId, ...named(name, other) }),
      table: "api_keys",
      idOf: ({ id }) => id,
    },
  ];
}

/** POSTs that create and whose keys are not recorded in D1, with the place and the test of them. */
const KEPT_ELSEWHERE = {
  "/api/v1/embed/tokens": "nothing is stored: each call mints another token",
  "/api/v1/embed/editor/tokens": "nothing is stored: each call mints another token",
  "/api/v1/webhooks/endpoints":
    "the object of the endpoint; test/worker/webhooks/refusals.test.ts, test/e2e/webhooks.test.ts",
};

/** Routes with a key that the tests of this table do not fit. */
const TESTED_APART = {
  "/admin/v1/credit-grants": "a credit grant with a key in its header",
  "/admin/v1/organizations/{id}/move": "test/worker/api/moves.test.ts",
  "/api/embed/assets": "test/worker/embeds/uploads.test.ts",
  "/api/v1/assets/import": "test/worker/assets/refusals-leave-nothing.test.ts",
  "/api/v1/batch-executions": "test/worker/batches/batches.test.ts",
  "/api/v1/batch-executions/{id}/cancel": "test/worker/batches/batches.test.ts",
  "/api/v1/batch-executions/{id}/exports": "test/worker/batches/exports.test.ts",
  "/api/v1/batch-executions/{id}/retry": "test/worker/batches/retries.test.ts",
  "/api/v1/batch-executions/{id}/start": "test/worker/batches/batches.test.ts",
  "/api/v1/fonts/{familyGuid}/revisions": "a font revision with a key",
  "/api/v1/schedules/{id}/pause": "test/worker/schedules/life.test.ts",
  "/api/v1/schedules/{id}/resume": "test/worker/schedules/life.test.ts",
  "/api/v1/schedules/{id}/trigger": "test/worker/schedules/firings.test.ts",
};

/** Paths of the POSTs whose success is 201 and that are not declared to create once. */
function unkeyed(endpoints: readonly EndpointDeclaration[]): string[] {
  return endpoints
    .filter(({ method, responses }) => method === "post" && 201 in responses)
    .filter(({ createsOnce }) => (createsOnce ?? false) === false)
    .map(({ path }) => path);
}

async function count(table: string): Promise<number> {
  // With several databases, a new organization comes to any of them.
  const all = [env.DB, env["DB_1"], env["DB_2"]].filter((db) => db !== undefined);
  const counts = await Promise.all(
    all.map((db) => db.prepare(`SELECT count(*) AS n FROM ${table}`).first<number>("n")),
  );
  return counts.reduce<number>((sum, each) => sum + (each ?? 0), 0);
}

/** Secrets of the responses, which are null in a repeat; `url` contains a share link's token. */
const SHOWN_ONCE = ["client_secret", "token", "url"] as const;

describe("a creation with an Idempotency-Key", () => {
  test("is supported by each POST whose success is 201", () => {
    expect(unkeyed(ENDPOINTS).toSorted()).toEqual(Object.keys(KEPT_ELSEWHERE).toSorted());
    const forgetful = ENDPOINTS.map((endpoint) =>
      endpoint.operationId === "createDesignTemplateShareLink"
        ? { ...endpoint, createsOnce: false }
        : endpoint,
    );
    expect(unkeyed(forgetful)).toContain("/api/v1/design-templates/{id}/share-links");
  });

  test("is tested here on every route that creates rows of D1, but for those named with their test", () => {
    const declared = ENDPOINTS.filter(
      ({ createsOnce, path }) => (createsOnce ?? false) !== false && !path.includes("/draft/"),
    ).map(({ path }) => path);
    const routeOf = (path: string) =>
      declared.find((route) => new RegExp(`^${route.replaceAll(/\{\w+\}/g, "[^/]+")}$`).test(path));
    const tested = creations().map(({ path }) => routeOf(path) ?? path);
    expect([...tested, ...Object.keys(TESTED_APART)].toSorted()).toEqual(declared.toSorted());
  });

  test("creates once, and a repeat returns the same status, the resource and the header", async () => {
    for (const { path, body, table, idOf } of creations()) {
      const key = newKey();
      const before = await count(table);
      const first = await post(path, body("Once"), key);
      const again = await post(path, body("Once"), key);
      expect([first.status, again.status, await count(table)], path).toEqual([
        201,
        201,
        before + 1,
      ]);
      expect(idOf(again.json), path).toBe(idOf(first.json));
      expect(
        [first.headers.get("idempotency-replayed"), again.headers.get("idempotency-replayed")],
        path,
      ).toEqual([null, "true"]);
      // The whole resource, except for secrets that are shown once.
      const secrets = SHOWN_ONCE.filter((name) => name in first.json);
      expect(secrets.map((name) => typeof first.json[name])).toEqual(secrets.map(() => "string"));
      const hidden = Object.fromEntries(secrets.map((name) => [name, null]));
      expect(again.json, path).toEqual({ ...first.json, ...hidden });
    }
  });

  test("is 409 for another request, and creates nothing", async () => {
    for (const { path, body, table } of creations()) {
      const key = newKey();
      expect((await post(path, body("Twice"), key)).status, path).toBe(201);
      const before = await count(table);
      const other = await post(path, body("Twice", true), key);
      expect([other.status, other.json.code, await count(table)], path).toEqual([
        409,
        "idempotency_conflict",
        before,
      ]);
    }
  });

  test("creates once for eight concurrent requests, and all eight return the resource", async () => {
    for (const { path, body, table, idOf } of creations()) {
      const key = newKey();
      const before = await count(table);
      const answers = await Promise.all(
        Array.from({ length: 8 }, () => post(path, body("At once"), key)),
      );
      expect(
        answers.map(({ status }) => status),
        path,
      ).toEqual(Array(8).fill(201));
      expect(new Set(answers.map(({ json }) => idOf(json))).size, path).toBe(1);
      const replays = answers.filter(({ headers }) => headers.has("idempotency-replayed"));
      expect([replays.length, await count(table)], path).toEqual([7, before + 1]);
    }
  });

  test("is rejected with a key of the wrong length; without a key each request creates", async () => {
    for (const { path, body, table } of creations()) {
      const refused = await post(path, body("Keyless"), "k".repeat(7));
      expect([refused.status, refused.json.code], path).toEqual([400, "invalid_idempotency_key"]);
      const before = await count(table);
      const keyless = [await post(path, body("Keyless A")), await post(path, body("Keyless B"))];
      const isKeyNeeded =
        path.startsWith("/api/v1/design-templates") && !path.endsWith("/share-links");
      expect(await count(table), path).toBe(before + (isKeyNeeded ? 0 : 2));
      expect(keyless[0]!.json.code === "missing_idempotency_key", path).toBe(isKeyNeeded);
    }
  });

  test("releases its key when it is refused", async () => {
    const key = newKey();
    const refused = await post("/api/v1/workflows", { name: "Lost", folder_id: missing }, key);
    expect(refused.status).toBe(404);
    const made = await post("/api/v1/workflows", { name: "Found" }, key);
    expect([made.status, made.headers.get("idempotency-replayed")]).toEqual([201, null]);
    const badForm = await post("/api/v1/assets", textFile("a", "note.exe"), newKey());
    expect(badForm.json.code).toBe("invalid_file_type");
  });
});

const missing = "fld_0190f3aa000070008000000000000001";

describe("a key", () => {
  test("belongs to one workspace and one address, with ids in any spelling", async () => {
    const key = newKey();
    const elsewhere = await newCaller();
    const ours = await post("/api/v1/workflows", { name: "Ours" }, key);
    const theirs = await post("/api/v1/workflows", { name: "Theirs" }, key, elsewhere.token);
    expect([ours.status, theirs.status, theirs.headers.get("idempotency-replayed")]).toEqual([
      201,
      201,
      null,
    ]);
    const folder = await post("/api/v1/workflow-folders", { name: "Same key" }, key);
    expect(folder.status).toBe(201);
    const bare = source.slice("wf_".length);
    const clone = await post(`/api/v1/workflows/${source}/clone`, {}, key);
    const repeat = await post(`/api/v1/workflows/${bare.toUpperCase()}/clone`, {}, key);
    expect([repeat.json.id, repeat.headers.get("idempotency-replayed")]).toEqual([
      clone.json.id,
      "true",
    ]);
    const another = await post(`/api/v1/workflows/${ours.json.id}/clone`, {}, key);
    expect([another.status, another.headers.get("idempotency-replayed")]).toEqual([201, null]);
  });

  test("identifies a body by its content, whatever its spelling", async () => {
    const key = newKey();
    const send = (body: string) =>
      call("POST", "/api/v1/workflows", {
        token: caller.token,
        headers: { "idempotency-key": key, "content-type": "application/json" },
        body,
      });
    const first = await send('{"name":"Spelt","tags":["a"]}');
    const again = await send('{ "tags": ["a"],\n "name": "Spelt" }');
    expect([again.json.id, again.headers.get("idempotency-replayed")]).toEqual([
      first.json.id,
      "true",
    ]);
  });

  test("identifies a form by each field's name, file name and bytes, whatever its boundary", async () => {
    const key = newKey();
    const first = await post("/api/v1/assets", textFile("a"), key);
    const again = await post("/api/v1/assets", textFile("a"), key);
    expect([again.json.path, again.headers.get("idempotency-replayed")]).toEqual([
      first.json.path,
      "true",
    ]);
    const file = new File(["a"], "note.txt");
    for (const other of [
      textFile("b"),
      textFile("a", "other.txt"),
      form([
        ["note", "x"],
        ["file", file],
      ]),
    ]) {
      const { status, json } = await post("/api/v1/assets", other, key);
      expect([status, json.code]).toEqual([409, "idempotency_conflict"]);
    }
  });

  test("whose resource was deleted creates nothing again, and reports that it is gone", async () => {
    const key = newKey();
    const made = await post("/api/v1/workflows", { name: "Short-lived" }, key);
    await call("DELETE", `/api/v1/workflows/${made.json.id}`, { token: caller.token });
    const again = await post("/api/v1/workflows", { name: "Short-lived" }, key);
    expect([again.status, again.json.code, again.headers.get("idempotency-replayed")]).toEqual([
      404,
      "not_found",
      "true",
    ]);
  });

  test("of a share link survives what would refuse a new one, and shows the link as it is now", async () => {
    const made = await post("/api/v1/design-templates", { name: "Shared" }, newKey());
    const at = `/api/v1/design-templates/${made.json.id}`;
    const headers = { "idempotency-key": newKey(), "if-match": "*" };
    await call("POST", `${at}/draft/publish`, { token: caller.token, headers });
    const key = newKey();
    const link = await post(`${at}/share-links`, {}, key);
    await call("DELETE", `${at}/share-links/${link.json.id}`, { token: caller.token });
    await post(`${at}/archive`, {});
    const again = await post(`${at}/share-links`, {}, key);
    expect([again.status, again.json.id, again.json.token]).toEqual([201, link.json.id, null]);
    expect(again.json.revoked_at).toEqual(expect.any(String));
    const refused = await post(`${at}/share-links`, {}, newKey());
    expect([refused.status, refused.json.code]).toEqual([409, "archived"]);
  });

  test("returns the current resource", async () => {
    const key = newKey();
    const made = await post("/api/v1/workflows", { name: "Before" }, key);
    const patched = await call("PATCH", `/api/v1/workflows/${made.json.id}`, {
      token: caller.token,
      json: { name: "After" },
    });
    expect(patched.status).toBe(200);
    expect((await post("/api/v1/workflows", { name: "Before" }, key)).json.name).toBe("After");
  });

  test("expires after 24 hours, and its row is deleted", async () => {
    const key = newKey();
    const first = await post("/api/v1/workflows", { name: "Yesterday" }, key);
    await HOME_DB.prepare("UPDATE idempotency_keys SET expires_at_ms = ? WHERE key = ?")
      .bind(Date.now() - 1, key)
      .run();
    const later = await post("/api/v1/workflows", { name: "Yesterday" }, newKey());
    const rows = await HOME_DB.prepare("SELECT 1 FROM idempotency_keys WHERE key = ?")
      .bind(key)
      .all();
    expect([later.status, rows.results]).toEqual([201, []]);
    const again = await post("/api/v1/workflows", { name: "Yesterday" }, key);
    expect([again.status, again.json.id === first.json.id]).toEqual([201, false]);
  });
});

describe("a font revision with a key", () => {
  test("is replayed with its original status, also if it created none", async () => {
    const family = await post("/api/v1/fonts", namedFont("Revised"));
    const path = `/api/v1/fonts/${family.json.familyGuid}/revisions`;
    const key = newKey();
    const first = await post(path, namedFont("Revised"), key);
    const again = await post(path, namedFont("Revised"), key);
    expect([first.status, again.status, again.headers.get("idempotency-replayed")]).toEqual([
      200,
      200,
      "true",
    ]);
    expect(again.json).toEqual(first.json);
    const other = await post(path, namedFont("Renamed"), key);
    expect([other.status, other.json.code]).toEqual([409, "idempotency_conflict"]);
    const short = await post(path, namedFont("Revised"), "short");
    expect([short.status, short.json.code]).toEqual([400, "invalid_idempotency_key"]);
  });
});

describe("a credit grant with a key in its header", () => {
  test("grants once, and another amount under it is 409", async () => {
    const key = newKey();
    const grant = (milli: number, inBody = "a key of the body") =>
      post(
        "/admin/v1/credit-grants",
        { workspace_id: caller.workspaceId, milli_credits: milli, idempotency_key: inBody },
        key,
      );
    const first = await grant(5);
    const again = await grant(5);
    expect([first.status, again.status, again.headers.get("idempotency-replayed")]).toEqual([
      201,
      201,
      "true",
    ]);
    expect(again.json.balance_milli_credits).toBe(first.json.balance_milli_credits);
    expect((await grant(5, "another key of the body")).status).toBe(409);
    const body = { workspace_id: caller.workspaceId, milli_credits: 5, idempotency_key: newKey() };
    const short = await post("/admin/v1/credit-grants", body, "short");
    expect([short.status, short.json.code]).toEqual([400, "invalid_idempotency_key"]);
  });
});

describe("a crash", () => {
  /** A claim of a request that ended without releasing it. */
  async function leaveClaim(key: string, row: { bootId: string; leaseExpiresAtMs: number }) {
    await HOME_DB.prepare(
      `INSERT INTO idempotency_keys (scope, route, key, fingerprint, claim, boot_id, lease_expires_at_ms, expires_at_ms)
       VALUES (?, 'POST /api/v1/workflows', ?, 'a fingerprint', 'a claim', ?, ?, ?)`,
    )
      .bind(caller.workspaceId, key, row.bootId, row.leaseExpiresAtMs, Date.now() + 3_600_000)
      .run();
  }

  test("before anything was created leaves a claim that expires, or is void after the next start", async () => {
    const lapsed = newKey();
    await leaveClaim(lapsed, { bootId: env.BOOT_ID, leaseExpiresAtMs: Date.now() - 1 });
    const otherBoot = newKey();
    await leaveClaim(otherBoot, {
      bootId: "the boot before",
      leaseExpiresAtMs: Date.now() + 60_000,
    });
    for (const key of [lapsed, otherBoot]) {
      const { status, headers } = await post("/api/v1/workflows", { name: "After a crash" }, key);
      expect([status, headers.get("idempotency-replayed")]).toEqual([201, null]);
    }
  });

  test("leaves a live claim, which a repeat waits for until it expires", async () => {
    const key = newKey();
    const untilMs = Date.now() + 1500;
    await HOME_DB.prepare(
      `INSERT INTO idempotency_keys (scope, route, key, fingerprint, claim, boot_id, lease_expires_at_ms, expires_at_ms)
       VALUES (?, 'POST /api/v1/assets', ?, NULL, 'a claim', ?, ?, ?)`,
    )
      .bind(caller.workspaceId, key, env.BOOT_ID, untilMs, untilMs + 3_600_000)
      .run();
    // A form whose body was read for the comparison cannot be read again to store it: the caller sends it again.
    const waited = await post("/api/v1/assets", textFile("a"), key);
    expect(Date.now()).toBeGreaterThanOrEqual(untilMs);
    expect([waited.status, waited.json.code, waited.headers.get("retry-after")]).toEqual([
      503,
      "service_unavailable",
      "1",
    ]);
    const again = await post("/api/v1/assets", textFile("a"), key);
    expect([again.status, again.headers.get("idempotency-replayed")]).toEqual([201, null]);
  });

  test("of a request whose claim another request took over creates nothing, and leaves no bytes", async () => {
    const own = await newCaller();
    const key = newKey();
    const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
    const writer = writable.getWriter();
    const boundary = "----slow";
    const head = `--${boundary}\r\ncontent-disposition: form-data; name="file"; filename="slow.txt"\r\n\r\n`;
    const slow = call("POST", "/api/v1/assets", {
      token: own.token,
      headers: {
        "idempotency-key": key,
        "content-type": `multipart/form-data; boundary=${boundary}`,
      },
      body: readable,
    });
    const utf8 = new TextEncoder();
    await writer.write(utf8.encode(`${head}half of it`));
    await takeOver(key);
    await writer.write(utf8.encode(`\r\n--${boundary}--\r\n`));
    await writer.close();
    const { status, json } = await slow;
    expect([status, json.code]).toEqual([503, "service_unavailable"]);
    const list = await call("GET", "/api/v1/assets", { token: own.token });
    expect([list.json.total_count, await keysOf(own.workspaceId)]).toEqual([0, []]);
  });

  /** Waits for the claim of a request in progress and gives it to another request. */
  async function takeOver(key: string): Promise<void> {
    for (let look = 0; look < 200; look += 1) {
      const taken = await HOME_DB.prepare(
        "UPDATE idempotency_keys SET claim = 'another' WHERE key = ?",
      )
        .bind(key)
        .run();
      if (taken.meta.changes > 0) {
        return;
      }
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    throw new Error("The key was not claimed.");
  }
});
