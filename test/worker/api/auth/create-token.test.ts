import { env } from "cloudflare:workers";
import { SignJWT } from "jose";
import { describe, expect, test } from "vitest";
import {
  ADMIN_TOKEN,
  call,
  newCaller,
  operator,
  requestToken,
} from "../../../support/api-caller.ts";
import { changeAccess } from "../../../../src/domain/access/access-facts.ts";
import { organizationAccessObject } from "../../../../src/storage/objects/organization-access-object.ts";
import { markApiKeyRevoked } from "../../../../src/storage/d1/api-key-store.ts";
import { RequestMemory } from "../../../../src/platform/request-memory.ts";
import { HOME_DB } from "../../../support/home-database.ts";

const FORM = "application/x-www-form-urlencoded";
let addresses = 0;

function token(options: { headers?: Record<string, string>; body?: BodyInit }) {
  addresses += 1;
  return call("POST", "/api/v1/auth/token", {
    headers: { "cf-connecting-ip": `192.0.2.${addresses}`, ...options.headers },
    ...(options.body !== undefined && { body: options.body }),
  });
}

const basic = (text: string) => `Basic ${btoa(text)}`;
const good = "grant_type=client_credentials";

describe("the token endpoint", () => {
  test("returns a token with exactly the four fields, which must not be cached", async () => {
    const caller = await newCaller({ scopes: ["workflows:read", "assets:read"] });
    const response = await requestToken(caller.clientId, caller.clientSecret);
    expect(response.status).toBe(200);
    expect(Object.keys(response.json).toSorted()).toEqual([
      "access_token",
      "expires_in",
      "scope",
      "token_type",
    ]);
    expect(response.json).toMatchObject({
      token_type: "Bearer",
      expires_in: 3600,
      scope: "workflows:read assets:read",
    });
    expect(response.headers.get("cache-control")).toBe("no-store");
    expect(response.headers.get("x-ratelimit-limit")).toBe("100");
  });

  test("accepts a multipart form too, and the scheme and type in any letter case", async () => {
    const { clientId, clientSecret } = await newCaller();
    const form = new FormData();
    form.set("grant_type", "client_credentials");
    const authorization = basic(`${clientId}:${clientSecret}`);
    expect((await token({ headers: { authorization }, body: form })).status).toBe(200);
    const shouted = {
      authorization: authorization.replace("Basic", "bAsIc"),
      "content-type": FORM.toUpperCase(),
    };
    expect((await token({ headers: shouted, body: good })).status).toBe(200);
  });

  test.each([
    ["no colon", basic("nocolon")],
    ["not base64", "Basic %%%"],
    ["nothing after the scheme", "Basic "],
    ["the scheme alone", "Basic"],
    ["another scheme", "Digest abc"],
    ["a bearer token", "Bearer abc"],
    ["bytes that are not UTF-8", `Basic ${btoa("\xff\xfe:x")}`],
    ["far too long", basic(`a:${"b".repeat(9000)}`)],
  ])("returns invalid_request for a Basic header with %s", async (_name, authorization) => {
    const response = await token({ headers: { authorization, "content-type": FORM }, body: good });
    expect([response.status, response.json.code]).toEqual([400, "invalid_request"]);
  });

  test("returns invalid_request without grant_type, whatever the body", async () => {
    const authorization = basic("a:b");
    const bodies: [Record<string, string>, BodyInit | undefined][] = [
      [{}, undefined],
      [{ "content-type": FORM }, ""],
      [{ "content-type": FORM }, "grant_type="],
      [{ "content-type": FORM }, "other=1"],
      [{ "content-type": FORM }, `${good}&${good}`],
      [{ "content-type": "application/json" }, `{"grant_type":"client_credentials"}`],
      [{ "content-type": "multipart/form-data" }, "no boundary"],
    ];
    for (const [headers, body] of bodies) {
      const response = await token({
        headers: { ...headers, authorization },
        ...(body !== undefined && { body }),
      });
      expect([response.status, response.json.code], JSON.stringify([headers, body])).toEqual([
        400,
        "invalid_request",
      ]);
    }
  });

  test("returns unsupported_grant_type for any other grant", async () => {
    const response = await token({
      headers: { authorization: basic("a:b"), "content-type": FORM },
      body: "grant_type=password",
    });
    expect([response.status, response.json.code]).toEqual([400, "unsupported_grant_type"]);
  });

  test("returns invalid_client alike for missing, unknown, wrong, revoked and expired credentials", async () => {
    const live = await newCaller();
    const revoked = await newCaller();
    await operator("DELETE", `/admin/v1/api-keys/${revoked.clientId}`);
    const expired = await newCaller();
    await HOME_DB.prepare("UPDATE api_keys SET expires_at_ms = 1 WHERE id = ?")
      .bind(expired.clientId)
      .run();
    const headers = [
      {},
      { authorization: basic(":") },
      { authorization: basic("nobody:secret") },
      { authorization: basic(`key_${"0".repeat(32)}:secret`) },
      { authorization: basic(`${live.clientId}:`) },
      { authorization: basic(`${live.clientId}:x`) },
      { authorization: basic(`${live.clientId}:${"x".repeat(2000)}`) },
      { authorization: basic(`${live.clientId}:${live.clientSecret}x`) },
      { authorization: basic(`${live.clientId}:${live.clientSecret}:`) },
      { authorization: basic(`${revoked.clientId}:${revoked.clientSecret}`) },
      { authorization: basic(`${expired.clientId}:${expired.clientSecret}`) },
    ];
    const details = new Set<string>();
    for (const header of headers) {
      const response = await token({ headers: { ...header, "content-type": FORM }, body: good });
      expect([response.status, response.json.code], JSON.stringify(header)).toEqual([
        401,
        "invalid_client",
      ]);
      expect(response.headers.get("www-authenticate")).toMatch(/^Basic /);
      details.add(response.json.detail);
    }
    expect(details.size).toBe(1);
  });

  test("refuses a form over 16 KiB", async () => {
    const response = await token({
      headers: { authorization: basic("a:b"), "content-type": FORM },
      body: `x=${"y".repeat(20_000)}&${good}`,
    });
    expect([response.status, response.json.code]).toEqual([413, "payload_too_large"]);
  });

  test("allows 100 requests of an address in a minute, then returns the time to wait", async () => {
    const { clientId, clientSecret } = await newCaller();
    const mine = { "cf-connecting-ip": "198.51.100.7" };
    const statuses = new Map<number, number>();
    for (let sent = 0; sent < 101; sent++) {
      const { status } = await call("POST", "/api/v1/auth/token", { headers: mine });
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
    }
    expect([...statuses]).toEqual([
      [400, 100],
      [429, 1],
    ]);
    const refused = await requestToken(clientId, clientSecret, mine);
    expect([refused.status, refused.json.code]).toEqual([429, "too_many_requests"]);
    const seconds = Number(refused.headers.get("retry-after"));
    expect(seconds).toBeGreaterThanOrEqual(1);
    expect(seconds).toBeLessThanOrEqual(62);
    expect(refused.headers.get("x-ratelimit-remaining")).toBe("0");
    expect(refused.headers.get("ratelimit")).toMatch(/^"token";r=0;t=\d+$/);
    expect((await requestToken(clientId, clientSecret)).status).toBe(200);
  });

  test("keeps no secret: D1 has the hash of 32 random bytes", async () => {
    const { clientId, clientSecret } = await newCaller();
    const row = await HOME_DB.prepare("SELECT * FROM api_keys WHERE id = ?").bind(clientId).first();
    expect(clientSecret).toMatch(/^[A-Za-z0-9_-]{43}$/);
    expect(JSON.stringify(row)).not.toContain(clientSecret);
    expect(row?.["secret_sha256"]).toMatch(/^[0-9a-f]{64}$/);
  });
});

describe("an access token", () => {
  const secret = new TextEncoder().encode(env.JWT_SECRET);
  /** A token like the service's, except for the parts that a test changes. */
  const forge = (
    { clientId, organizationId, workspaceId }: Named,
    change: (jwt: SignJWT) => SignJWT = (jwt) => jwt,
    key = secret,
  ) =>
    change(
      new SignJWT({ org: organizationId, ws: workspaceId })
        .setProtectedHeader({ alg: "HS256" })
        .setIssuer("edgeloom")
        .setSubject(clientId)
        .setExpirationTime("1h"),
    ).sign(key);
  const ask = (bearer: string) => call("GET", "/probe/nothing", { token: bearer });

  test("of another key, issuer, algorithm or time is refused", async () => {
    const { verifyToken } = await import("../../../../src/domain/auth/verify-token.ts");
    const [caller, other] = [await newCaller(), await newCaller()];
    const { clientId, token: real, organizationId, workspaceId } = caller;
    const ctx = context();
    expect((await verifyToken(ctx, real)).keyId).toBe(clientId);
    expect((await verifyToken(ctx, await forge(caller))).keyId).toBe(clientId);
    const [header, payload, signature] = real.split(".");
    const none = btoa(`{"alg":"none"}`).replaceAll("=", "");
    const bad = [
      await forge(
        caller,
        undefined,
        new TextEncoder().encode("another secret, as long as it takes"),
      ),
      await forge(caller, (jwt) => jwt.setIssuer("else")),
      await forge(caller, (jwt) => jwt.setExpirationTime("-1s")),
      await forge({ ...caller, clientId: `key_${"0".repeat(32)}` }),
      await forge({ ...caller, organizationId: other.organizationId }),
      await forge({ clientId, organizationId, workspaceId: other.workspaceId }),
      await forge({ ...other, clientId, workspaceId }),
      `${none}.${payload}.`,
      `${none}.${payload}.${signature}`,
      `${header}.${payload}.`,
      `${header}.${payload}.${signature}x`,
      "a.b.c",
      "x",
      clientId,
    ];
    for (const token of bad) {
      await expect(verifyToken(ctx, token), token).rejects.toMatchObject({ code: "unauthorized" });
    }
    expect((await ask(real)).status).toBe(404);
  });

  test("stops working when it expires, although it was cached", async () => {
    const { verifyToken } = await import("../../../../src/domain/auth/verify-token.ts");
    const { token } = await newCaller();
    let nowMs = Date.now();
    const ctx = { ...context(), nowMs: () => nowMs };
    await verifyToken(ctx, token);
    nowMs += 3601_000;
    await expect(verifyToken(ctx, token)).rejects.toMatchObject({
      code: "unauthorized",
      message: expect.stringContaining("expired"),
    });
  });

  test("of a key revoked elsewhere stops working within 60 seconds, and costs no read before", async () => {
    const { verifyToken } = await import("../../../../src/domain/auth/verify-token.ts");
    const caller = await newCaller();
    const { clientId, token } = caller;
    let nowMs = Date.now();
    const pending: Promise<unknown>[] = [];
    const ctx = {
      ...context(),
      nowMs: () => nowMs,
      waitUntil: (work: Promise<unknown>) => void pending.push(work),
    };
    await verifyToken(ctx, token);
    await revokeElsewhere(caller);
    nowMs += 10_000;
    await expect(verifyToken(ctx, token)).resolves.toMatchObject({ keyId: clientId });
    expect(pending).toHaveLength(0);
    nowMs += 10_000;
    await expect(verifyToken(ctx, token)).resolves.toMatchObject({ keyId: clientId });
    expect(pending).toHaveLength(1);
    await Promise.all(pending);
    await expect(verifyToken(ctx, token)).rejects.toMatchObject({ code: "unauthorized" });
  });

  test("of a key revoked elsewhere stops working after 30 seconds of silence at the first request", async () => {
    const { verifyToken } = await import("../../../../src/domain/auth/verify-token.ts");
    const caller = await newCaller();
    const { token } = caller;
    let nowMs = Date.now();
    const ctx = { ...context(), nowMs: () => nowMs };
    await verifyToken(ctx, token);
    await revokeElsewhere(caller);
    nowMs += 30_000;
    await expect(verifyToken(ctx, token)).rejects.toMatchObject({ code: "unauthorized" });
  });

  test("has its key's scopes, and whether the key belongs to an agent", async () => {
    const { verifyToken } = await import("../../../../src/domain/auth/verify-token.ts");
    const caller = await newCaller({ scopes: ["assets:read"], permissions: [], is_agent: true });
    const principal = await verifyToken(context(), caller.token);
    expect(principal).toMatchObject({
      workspaceId: caller.workspaceId,
      organizationId: caller.organizationId,
      isAgent: true,
    });
    expect([[...principal.scopes], [...principal.permissions]]).toEqual([["assets:read"], []]);
    expect(ADMIN_TOKEN).toBe(env.ADMIN_TOKEN);
  });
});

interface Named {
  readonly clientId: string;
  readonly organizationId: string;
  readonly workspaceId: string;
}

/** As another isolate does: the memory of this one does not have it. */
async function revokeElsewhere({ clientId, organizationId, workspaceId }: Named): Promise<void> {
  await changeAccess(context(), organizationAccessObject(env, organizationId), clientId, () =>
    markApiKeyRevoked(env, workspaceId, clientId, 1),
  );
}

function context() {
  const silent = { info: () => {}, error: () => {}, with: () => silent };
  return {
    env,
    log: silent,
    correlationId: "test",
    baseUrl: "http://svc.test",
    nowMs: () => Date.now(),
    memory: new RequestMemory(),
    waitUntil: () => {},
  };
}
