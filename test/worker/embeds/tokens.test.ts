/** docs/contract/embeds.md#tokens: mint, claims, refusals, revocation. */
import { decodeJwt, decodeProtectedHeader } from "jose";
import { describe, expect, test } from "vitest";
import { call, newCaller, operator } from "../../support/api-caller.ts";
import {
  EMBED_ORIGINS,
  mint,
  mintEditor,
  newEmbedCaller,
  resigned,
  revoke,
} from "../../support/embeds/embed-caller.ts";

const JTI = /^emb_[0-9a-f]{32}$/;
const HUNDRED_YEARS_S = 36_525 * 24 * 3600;

const config = (token: string) => call("GET", "/api/embed/config", { token });
const fieldsOf = (json: { errors?: { field: string }[] }) =>
  (json.errors ?? []).map(({ field }) => field).toSorted();

describe("a runtime token", () => {
  test("is minted with exactly three members, and has exactly the claims of the contract", async () => {
    const caller = await newEmbedCaller();
    const reply = await call("POST", "/api/v1/embed/tokens", {
      token: caller.token,
      json: {
        workflow: caller.workflowId.slice("wf_".length),
        allowed_origins: [
          "HTTPS://App.Example.com:443/",
          "https://app.example.com",
          "http://a.localhost:80",
        ],
        interface: null,
        expires_in_minutes: 5,
        max_executions: 3,
        prefilled_inputs: { any: ["thing"] },
        end_user_id: "🙂".repeat(128),
      },
    });
    expect(reply.status, reply.text).toBe(201);
    expect(reply.headers.get("cache-control")).toBe("no-store");
    expect(Object.keys(reply.json).toSorted()).toEqual(["expires_at", "jti", "token"]);
    const { token, jti, expires_at } = reply.json;
    expect(decodeProtectedHeader(token)).toEqual({ alg: "HS256", typ: "JWT" });
    const claims = decodeJwt(token);
    expect(jti).toMatch(JTI);
    expect(claims).toEqual({
      iss: "edgeloom",
      sub: "embed",
      jti,
      iat: claims.iat,
      exp: (claims.iat ?? 0) + 300,
      wf: caller.workflowId,
      if: null,
      org_id: caller.organizationId,
      ws_id: caller.workspaceId,
      aki: caller.clientId,
      permissions: [
        "ws:assets:manage",
        "ws:assets:read",
        "ws:executions:create",
        "ws:executions:read",
        "ws:workflows:read",
      ],
      allowed_origins: ["https://app.example.com", "http://a.localhost"],
      max_executions: 3,
      end_user_id: "🙂".repeat(128),
    });
    expect(expires_at).toBe(new Date((claims.exp ?? 0) * 1000).toISOString());
  });

  test("has null where nothing was given, lives 36,525 days, and has those of its key's permissions that an embed may have", async () => {
    const caller = await newEmbedCaller();
    const narrow = await newCaller({
      workspaceId: caller.workspaceId,
      permissions: ["ws:executions:create", "ws:webhooks:manage"],
    });
    const { token } = await mint({ ...narrow, workflowId: caller.workflowId });
    const claims = decodeJwt(token);
    expect(claims).toMatchObject({ if: null, max_executions: null, end_user_id: null });
    expect((claims.exp ?? 0) - (claims.iat ?? 0)).toBe(HUNDRED_YEARS_S);
    expect(claims["permissions"]).toEqual(["ws:executions:create"]);
    const refused = await config(token);
    expect([refused.status, refused.json.code]).toEqual([403, "insufficient_scope"]);
  });

  test.each([
    ["no body members", {}, ["allowed_origins", "workflow"]],
    [
      "every fault at once, ids included",
      {
        workflow: "wf_1",
        allowed_origins: ["https://*.example.com", "https://fine.example.com", "null"],
        interface: 5,
        expires_in_minutes: 0,
        max_executions: 1_000_000_001,
        prefilled_inputs: [],
        end_user_id: "a\u0007",
        more: true,
      },
      [
        "allowed_origins[0]",
        "allowed_origins[2]",
        "end_user_id",
        "expires_in_minutes",
        "interface",
        "max_executions",
        "more",
        "prefilled_inputs",
        "workflow",
      ],
    ],
    ["no origin", { allowed_origins: [] }, ["allowed_origins"]],
    [
      "21 origins",
      { allowed_origins: Array.from({ length: 21 }, (_, i) => `https://a${i}.example`) },
      ["allowed_origins"],
    ],
    [
      "a lifetime beyond a hundred years",
      { expires_in_minutes: 52_596_001 },
      ["expires_in_minutes"],
    ],
    ["half a minute", { expires_in_minutes: 0.5 }, ["expires_in_minutes"]],
    ["129 characters of an id", { end_user_id: "é".repeat(129) }, ["end_user_id"]],
    ["an empty id", { end_user_id: "" }, ["end_user_id"]],
    ["17 KiB of inputs", { prefilled_inputs: { a: "x".repeat(17 * 1024) } }, ["prefilled_inputs"]],
  ])("is refused for %s", async (name, json, fields) => {
    const caller = await shared();
    const reply = await call("POST", "/api/v1/embed/tokens", {
      token: caller.token,
      json:
        name === "no body members" || "workflow" in json
          ? json
          : { workflow: caller.workflowId, allowed_origins: EMBED_ORIGINS, ...json },
    });
    expect([reply.status, reply.json.code], reply.text).toEqual([400, "validation_error"]);
    expect(fieldsOf(reply.json)).toEqual(fields);
  });

  test("is refused at its origins if it would be longer than 8,192 characters", async () => {
    const caller = await shared();
    const label = "a".repeat(60);
    const origins = Array.from(
      { length: 20 },
      (_, i) => `https://${Array(4).fill(label).join(".")}.b${i}:1234`,
    );
    const reply = await call("POST", "/api/v1/embed/tokens", {
      token: caller.token,
      json: {
        workflow: caller.workflowId,
        allowed_origins: origins,
        end_user_id: "🙂".repeat(128),
      },
    });
    expect(fieldsOf(reply.json), reply.text).toEqual(["allowed_origins"]);
    const fewer = await mint(caller, { allowed_origins: origins.slice(0, 15) });
    expect(fewer.token.length).toBeLessThanOrEqual(8_192);
    expect(fewer.token.length).toBeGreaterThan(4_096);
    expect((await config(fewer.token)).status).toBe(200);
  });

  test("needs a published workflow of the own workspace, and one of its interfaces", async () => {
    const caller = await shared();
    const other = await newEmbedCaller();
    const draft = await call("POST", "/api/v1/workflows", {
      token: caller.token,
      json: { name: "Draft" },
    });
    const refusal = async (json: object) => {
      const reply = await call("POST", "/api/v1/embed/tokens", {
        token: caller.token,
        json: { allowed_origins: EMBED_ORIGINS, ...json },
      });
      return [reply.status, reply.json.code, fieldsOf(reply.json)];
    };
    expect(await refusal({ workflow: `wf_${"0".repeat(32)}` })).toEqual([404, "not_found", []]);
    expect(await refusal({ workflow: other.workflowId })).toEqual([403, "forbidden", []]);
    expect(await refusal({ workflow: draft.json.id })).toEqual([400, "workflow_not_published", []]);
    expect(await refusal({ workflow: caller.workflowId, interface: "int_x" })).toEqual([
      400,
      "validation_error",
      ["interface"],
    ]);
  });

  test("is another one each time, whatever the key for repeats says", async () => {
    const caller = await shared();
    const headers = { "idempotency-key": "one-and-the-same" };
    const json = { workflow: caller.workflowId, allowed_origins: EMBED_ORIGINS };
    const mintOnce = () =>
      call("POST", "/api/v1/embed/tokens", { token: caller.token, json, headers });
    const [one, other] = [await mintOnce(), await mintOnce()];
    expect([one.status, other.status]).toEqual([201, 201]);
    expect(one.json.jti).not.toBe(other.json.jti);
  });

  test("is not minted without the scope, the permission, or a plan that includes embeds", async () => {
    const caller = await shared();
    const mintAs = async (token: string, path = "tokens") =>
      call("POST", `/api/v1/embed/${path}`, {
        token,
        json: {
          ...(path === "tokens" && { workflow: caller.workflowId }),
          allowed_origins: EMBED_ORIGINS,
        },
      });
    const { workspaceId } = caller;
    const noScope = await newCaller({ workspaceId, scopes: ["workflows:read"] });
    const noPermission = await newCaller({ workspaceId, permissions: ["ws:workflows:read"] });
    for (const { token } of [noScope, noPermission]) {
      for (const path of ["tokens", "editor/tokens"]) {
        const reply = await mintAs(token, path);
        expect([reply.status, reply.json.code]).toEqual([403, "insufficient_scope"]);
      }
    }
    const revoked = await revoke({ ...caller, token: noScope.token }, `emb_${"0".repeat(32)}`);
    expect([revoked.status, revoked.json.code]).toEqual([403, "insufficient_scope"]);
    await operator("PUT", "/admin/v1/plans/no-embeds", {
      name: "No",
      limits: { embed_access: false },
    });
    await operator("PUT", `/admin/v1/workspaces/${workspaceId}/plan`, { plan: "no-embeds" });
    for (const path of ["tokens", "editor/tokens"]) {
      const reply = await mintAs(caller.token, path);
      expect([reply.status, reply.json.code], reply.text).toEqual([402, "plan_limit_exceeded"]);
    }
    await operator("PUT", `/admin/v1/workspaces/${workspaceId}/plan`, { plan: "dev" });
  });
});

describe("an editor token", () => {
  test("has exactly the claims of the contract", async () => {
    const caller = await shared();
    const { token, jti } = await mintEditor(caller, { end_user_id: "ann", expires_in_minutes: 1 });
    const claims = decodeJwt(token);
    expect(claims).toEqual({
      iss: "edgeloom",
      sub: "embed_editor",
      jti,
      iat: claims.iat,
      exp: (claims.iat ?? 0) + 60,
      uid: caller.clientId,
      org_id: caller.organizationId,
      ws_id: caller.workspaceId,
      aki: caller.clientId,
      email_verified: true,
      org_role: "service",
      ws_role: "service",
      permissions: [
        "ws:assets:manage",
        "ws:assets:read",
        "ws:executions:create",
        "ws:executions:read",
        "ws:templates:manage",
        "ws:templates:read",
        "ws:webhooks:manage",
        "ws:workflows:manage",
        "ws:workflows:read",
      ],
      allowed_origins: EMBED_ORIGINS,
      end_user_id: "ann",
    });
  });

  test("is a bearer of /api/v1 for workflows, executions, assets and templates, not for webhooks", async () => {
    const caller = await shared();
    const { token } = await mintEditor(caller);
    for (const path of ["workflows", "executions", "assets", "design-templates", "node-types"]) {
      expect((await call("GET", `/api/v1/${path}`, { token })).status, path).toBe(200);
    }
    const hooks = await call("GET", "/api/v1/webhooks/endpoints", { token });
    expect([hooks.status, hooks.json.code]).toEqual([403, "insufficient_scope"]);
    const made = await call("POST", "/api/v1/workflows", {
      token,
      json: { name: "By the editor" },
    });
    expect(made.status).toBe(201);
  });

  test("has no scope that its key lacks", async () => {
    const caller = await shared();
    const narrow = await newCaller({
      workspaceId: caller.workspaceId,
      scopes: ["embeds:write", "workflows:read"],
    });
    const { token } = await mintEditor(narrow);
    const statusOf = async (path: string) =>
      (await call("GET", `/api/v1/${path}`, { token })).status;
    expect(await statusOf("workflows")).toBe(200);
    expect(await statusOf("executions")).toBe(403);
    expect(await statusOf("design-templates")).toBe(403);
    const made = await call("POST", "/api/v1/workflows", { token, json: { name: "No" } });
    expect([made.status, made.json.code]).toEqual([403, "insufficient_scope"]);
  });

  test("cannot mint or revoke, and neither can a runtime token", async () => {
    const caller = await shared();
    const runtime = await mint(caller);
    const editor = await mintEditor(caller);
    for (const { token, jti } of [runtime, editor]) {
      for (const [method, path] of [
        ["POST", "/api/v1/embed/tokens"],
        ["POST", "/api/v1/embed/editor/tokens"],
        ["DELETE", `/api/v1/embed/tokens/${jti}`],
      ] as const) {
        const reply = await call(method, path, { token, ...(method === "POST" && { json: {} }) });
        expect([reply.status, reply.json.code]).toEqual([403, "api_key_required"]);
      }
    }
  });
});

describe("tokens never stand in for each other", () => {
  test("a runtime token on /api/v1 and /admin, an editor's and an access token on /api/embed", async () => {
    const caller = await shared();
    const runtime = await mint(caller);
    const editor = await mintEditor(caller);
    const answers = async (path: string, token: string) => {
      const { status, json } = await call("GET", path, { token });
      return [status, json.code, json.reason];
    };
    expect(await answers("/api/v1/workflows", runtime.token)).toEqual([
      403,
      "forbidden",
      undefined,
    ]);
    expect(
      await answers(`/admin/v1/workspaces/${caller.workspaceId}/ledger`, runtime.token),
    ).toEqual([403, "forbidden", undefined]);
    expect(await answers("/api/embed/config", editor.token)).toEqual([403, "forbidden", undefined]);
    expect(await answers("/api/embed/config", caller.token)).toEqual([
      401,
      "unauthorized",
      "token_invalid",
    ]);
  });

  test("a token that was not signed here, or whose claims were changed, is refused", async () => {
    const caller = await shared();
    const { token } = await mint(caller);
    const [head = "", body = "", signature = ""] = token.split(".");
    const encoded = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");
    const claims = decodeJwt(token);
    const bad: Record<string, string> = {
      "alg none": `${encoded({ alg: "none", typ: "JWT" })}.${body}.`,
      "alg none with its signature": `${encoded({ alg: "none", typ: "JWT" })}.${body}.${signature}`,
      "another secret": await resigned(token, {}, "another secret of at least 32 bytes!!"),
      "another issuer": await resigned(token, { iss: "someone" }),
      "an editor's subject": await resigned(token, { sub: "embed_editor" }),
      "a claim more": await resigned(token, { role: "admin" }),
      "a claim of another type": await resigned(token, { max_executions: "3" }),
      "edited claims": `${head}.${encoded({ ...claims, max_executions: null, wf: "wf_2" })}.${signature}`,
      "9 KB": `${head}.${"a".repeat(9_216)}.${signature}`,
      "two parts": `${head}.${body}`,
      nothing: "x",
    };
    for (const [name, forged] of Object.entries(bad)) {
      const { status, json } = await config(forged);
      expect([status, json.code, json.reason], name).toEqual([
        401,
        "unauthorized",
        "token_invalid",
      ]);
      const elsewhere = await call("GET", "/api/v1/workflows", { token: forged });
      expect([elsewhere.status, elsewhere.json.code], name).toEqual([401, "unauthorized"]);
    }
    const none = await call("GET", "/api/embed/config");
    expect([none.status, none.json.code, none.json.reason]).toEqual([
      401,
      "unauthorized",
      "token_missing",
    ]);
  });

  test("an expired token is refused, also by a second", async () => {
    const caller = await shared();
    const { token } = await mint(caller);
    const nowS = Math.floor(Date.now() / 1000);
    const late = await config(await resigned(token, { exp: nowS - 1 }));
    expect([late.status, late.json.reason]).toEqual([401, "token_expired"]);
    const editor = await mintEditor(caller);
    const lateEditor = await call("GET", "/api/v1/workflows", {
      token: await resigned(editor.token, { exp: nowS - 1 }),
    });
    expect([lateEditor.status, lateEditor.json.reason]).toEqual([401, "token_expired"]);
    expect((await config(await resigned(token, { exp: nowS + 600 }))).status).toBe(200);
  });

  test("a token of another workspace's key is refused", async () => {
    const caller = await shared();
    const other = await newCaller();
    const { token } = await mint(caller);
    const moved = await config(await resigned(token, { aki: other.clientId }));
    expect([moved.status, moved.json.reason]).toEqual([401, "token_revoked"]);
  });
});

describe("revocation", () => {
  test("refuses both kinds of tokens everywhere, and ends when it was told to", async () => {
    const caller = await shared();
    const runtime = await mint(caller);
    const editor = await mintEditor(caller);
    expect((await config(runtime.token)).status).toBe(200);
    expect((await call("GET", "/api/v1/workflows", { token: editor.token })).status).toBe(200);
    for (const { jti, expires_at } of [runtime, editor]) {
      expect((await revoke(caller, jti, `?expires_at=${expires_at}`)).status).toBe(204);
      expect((await revoke(caller, jti)).status).toBe(204);
    }
    const refused = await config(runtime.token);
    expect([refused.status, refused.json.code, refused.json.reason]).toEqual([
      401,
      "unauthorized",
      "token_revoked",
    ]);
    const refusedEditor = await call("GET", "/api/v1/workflows", { token: editor.token });
    expect([refusedEditor.status, refusedEditor.json.reason]).toEqual([401, "token_revoked"]);
  });

  test("is 204 for an unknown id, a past end, and another workspace's token, which go on", async () => {
    const caller = await shared();
    const stranger = await newCaller();
    const { token, jti } = await mint(caller);
    expect((await revoke(caller, `emb_${"0".repeat(32)}`)).status).toBe(204);
    expect((await revoke(caller, jti, "?expires_at=2020-01-01T00:00:00Z")).status).toBe(204);
    expect((await revoke(stranger, jti)).status).toBe(204);
    expect((await config(token)).status).toBe(200);
  });

  test.each([
    ["emb_1", "", "invalid_jti"],
    [`run_${"0".repeat(32)}`, "", "invalid_jti"],
    ["0".repeat(32), "", "invalid_jti"],
    [`emb_${"0".repeat(32)}`, "?expires_at=soon", "validation_error"],
    [`emb_${"0".repeat(32)}`, "?until=2030-01-01", "validation_error"],
  ])("of %s%s is 400 %s", async (jti, query, code) => {
    const reply = await revoke(await shared(), jti, query);
    expect([reply.status, reply.json.code]).toEqual([400, code]);
  });

  test("of its key stops a token", async () => {
    const caller = await shared();
    const key = await newCaller({ workspaceId: caller.workspaceId });
    const { token } = await mint({ ...key, workflowId: caller.workflowId });
    expect((await config(token)).status).toBe(200);
    await operator("DELETE", `/admin/v1/api-keys/${key.clientId}`);
    const refused = await config(token);
    expect([refused.status, refused.json.reason]).toEqual([401, "token_revoked"]);
  });
});

let made: ReturnType<typeof newEmbedCaller> | undefined;
/** A caller that the tests share: none of them changes it. */
function shared(): ReturnType<typeof newEmbedCaller> {
  return (made ??= newEmbedCaller());
}
