/** A store that is full or cannot be reached: 503 with Retry-After, and reads continue. */
import { beforeAll, describe, expect, test } from "vitest";
import { ENDPOINTS } from "../../../src/api/routes.ts";
import type { Env } from "../../../src/platform/env.ts";
import { isStorageFailure } from "../../../src/platform/storage-state.ts";
import { call } from "../../support/api-caller.ts";
import { newRouteTokens, type RouteTokens, tokenOf } from "../../support/embeds/route-tokens.ts";
import { testInProof } from "../../support/in-proof.ts";
import { HOME_DB, withHome } from "../../support/home-database.ts";

const NOBODYS = "0190f3aa000070008000000000000001";

function reserve(status: () => number): Fetcher {
  return {
    fetch: () => Promise.resolve(new Response(null, { status: status() })),
  } as unknown as Fetcher;
}

/** A database whose statements all fail as on a full disk. */
const FULL_STATEMENT = { bind: () => FULL_STATEMENT, first: full, all: full, run: full };
const FULL_DB = { prepare: () => FULL_STATEMENT, batch: full } as unknown as Env["DB"];

function full(): Promise<never> {
  return Promise.reject(new Error("D1_ERROR: database or disk is full: SQLITE_FULL"));
}

let tokens: RouteTokens;
let token: string;

beforeAll(async () => {
  tokens = await newRouteTokens();
  ({ token } = tokens);
});

const writers = ENDPOINTS.filter(
  ({ method, isReadOnly, access }) =>
    method !== "get" && isReadOnly !== true && access !== "public",
);

describe("on a full disk", () => {
  const onFullDisk = { RESERVE: reserve(() => 404) };

  test("a request that writes is 503 with Retry-After and the reason", async () => {
    expect(writers.length).toBeGreaterThan(25);
    let refused = 0;
    for (const { method, path, access, request, operationId } of writers) {
      const { status, headers, json } = await call(
        method.toUpperCase(),
        path.replaceAll(/\{\w+\+?\}/g, NOBODYS),
        {
          token: tokenOf({ access }, tokens),
          headers: { "idempotency-key": "on a full disk" },
          ...(request.body !== undefined && { json: { name: "Full", definition: {} } }),
          env: onFullDisk,
        },
      );
      // Problems of the body are still reported first.
      if (status !== 400) {
        refused += 1;
        expect([status, json.code, headers.get("retry-after")], operationId).toEqual([
          503,
          "service_unavailable",
          "5",
        ]);
        expect(json.detail).toMatch(/^Storage is unavailable/);
      }
    }
    expect(refused).toBeGreaterThan(15);
  });

  test("a request that stores nothing works", async () => {
    for (const [method, path, json] of [
      ["GET", "/api/v1/workflows", undefined],
      ["GET", "/api/v1/executions", undefined],
      ["GET", "/health", undefined],
      ["POST", "/api/v1/workflows/validate", { definition: { nodes: [], connections: [] } }],
    ] as const) {
      const response = await call(method, path, { token, env: onFullDisk, ...(json && { json }) });
      expect(response.status, path).toBe(200);
    }
  });

  testInProof("a request in progress when the disk fills up is answered within 10 s", async () => {
    let status = 200;
    const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
    const startedMs = Date.now();
    const response = call("POST", "/api/v1/assets", {
      token,
      headers: { "content-type": "multipart/form-data; boundary=b" },
      body: readable,
      env: { RESERVE: reserve(() => status) },
    });
    const writer = writable.getWriter();
    await writer.write(new TextEncoder().encode("--b\r\n"));
    status = 404;
    expect((await response).status).toBe(503);
    expect(Date.now() - startedMs).toBeLessThan(10_000);
    await writer.close().catch(() => undefined);
  });
});

describe("a store that fails", () => {
  test("is 503 on every request that it affects, and is not reported as a fault of the service", async () => {
    for (const [method, path, json] of [
      ["POST", "/api/v1/workflows", { name: "Full" }],
      ["POST", "/api/v1/workflow-folders", { name: "Full" }],
      ["GET", "/api/v1/workflows", undefined],
    ] as const) {
      const response = await call(method, path, {
        token,
        env: withHome(FULL_DB),
        ...(json && { json }),
      });
      expect(
        [response.status, response.json.code, response.headers.get("retry-after")],
        path,
      ).toEqual([503, "service_unavailable", "5"]);
      expect(response.text).not.toMatch(/SQLITE|D1_ERROR/);
    }
  });

  test("is read once more if the disk's reserve may just have been released", async () => {
    let failures = 1;
    const once = new Proxy(HOME_DB, {
      get(target, name) {
        const member: unknown = Reflect.get(target, name, target);
        if (name === "batch" && failures > 0) {
          failures -= 1;
          return full;
        }
        return typeof member === "function" ? member.bind(target) : member;
      },
    });
    const response = await call("GET", "/api/v1/workflows", {
      token,
      env: { ...withHome(once), RESERVE: reserve(() => 404) },
    });
    expect([response.status, failures]).toEqual([200, 0]);
  });

  test("is recognized by its messages, and other errors are not", () => {
    for (const message of [
      "database or disk is full: SQLITE_FULL",
      "D1_ERROR: D1 DB is overloaded. Too many requests queued.",
      "put: We encountered an internal error. Please try again. (10001)",
      "internal error; reference = ql4qt86rt370usr6qdqriu7f",
    ]) {
      expect(isStorageFailure(new Error(message)), message).toBe(true);
    }
    for (const thrown of [
      new TypeError("x is not a function"),
      new Error("D1_ERROR: UNIQUE constraint failed: a.b"),
      "database or disk is full",
      undefined,
    ]) {
      expect(isStorageFailure(thrown)).toBe(false);
    }
  });
});
