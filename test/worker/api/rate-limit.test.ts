/** The limits of docs/contract/rate-limits.md#requests over HTTP, with the real limiter objects. */
import { describe, expect, test } from "vitest";
import { ENDPOINTS } from "../../../src/api/routes.ts";
import {
  type Reply,
  call,
  type Caller,
  newCaller,
  newWorkspace,
  operator,
} from "../../support/api-caller.ts";

let plans = 0;

/** A plan with this many requests per minute; null for a plan without a limit. */
async function newBillingPlan(perMinute: number | null): Promise<string> {
  plans += 1;
  const code = `limited-${plans}`;
  const limits = perMinute === null ? {} : { requests_per_minute: perMinute };
  const made = await operator("PUT", `/admin/v1/plans/${code}`, { limits });
  expect(made.status).toBe(200);
  return code;
}

async function callerOn(perMinute: number | null): Promise<Caller> {
  return newCaller({ workspaceId: await newWorkspace(await newBillingPlan(perMinute)) });
}

const list = (caller: Caller) => call("GET", "/api/v1/workflows?limit=1", { token: caller.token });

async function listTimes(caller: Caller, times: number): Promise<number[]> {
  const answers = await Promise.all(Array.from({ length: times }, () => list(caller)));
  return answers.map(({ status }) => status);
}

function limitHeaders({ headers }: Reply) {
  return Object.fromEntries([...headers].filter(([name]) => name.includes("ratelimit")));
}

describe("a caller", () => {
  test("has the limit of its plan, then receives 429 with the time to wait, as a problem", async () => {
    const caller = await callerOn(5);
    const statuses = await listTimes(caller, 8);
    expect(statuses.filter((status) => status === 200)).toHaveLength(5);
    const refused = await list(caller);
    expect(refused.status).toBe(429);
    expect(refused.headers.get("content-type")).toMatch("application/problem+json");
    expect(refused.json).toMatchObject({ code: "too_many_requests", status: 429 });
    const seconds = Number(refused.headers.get("retry-after"));
    expect(seconds).toBeGreaterThan(55);
    expect(seconds).toBeLessThanOrEqual(62);
    expect(refused.json.detail).toContain(`in ${seconds} s`);
    expect(limitHeaders(refused)).toMatchObject({
      "x-ratelimit-limit": "5",
      "x-ratelimit-remaining": "0",
      "ratelimit-policy": '"organization";q=5;w=60',
      // A slice leaves the window up to a second after its length: Retry-After includes that second, the headers of the limit do not.
      ratelimit: `"organization";r=0;t=${Math.min(seconds, 60)}`,
    });
  });

  test("receives its rate-limit state with every response, including errors", async () => {
    const caller = await callerOn(20);
    const answers = [
      await list(caller),
      await call("GET", "/api/v1/workflows/wf_0190f3aa000070008000000000000001", {
        token: caller.token,
      }),
      await call("POST", "/api/v1/executions", { token: caller.token, json: {} }),
    ];
    expect(answers.map(({ status }) => status)).toEqual([200, 404, 400]);
    const reset = Date.now() / 1000;
    answers.forEach((response, index) => {
      const headers = limitHeaders(response);
      expect(headers).toMatchObject({
        "x-ratelimit-limit": "20",
        "x-ratelimit-remaining": String(19 - index),
        "ratelimit-policy": '"organization";q=20;w=60',
      });
      expect(headers["ratelimit"]).toMatch(
        new RegExp(`^"organization";r=${19 - index};t=(?:5\\d|60)$`),
      );
      expect(Number(headers["x-ratelimit-reset"]) - reset).toBeGreaterThan(55);
      expect(Number(headers["x-ratelimit-reset"]) - reset).toBeLessThan(64);
    });
  });

  test("has 60 requests a minute on a plan without a limit", async () => {
    const caller = await callerOn(null);
    const statuses = await listTimes(caller, 64);
    expect(statuses.filter((status) => status === 200)).toHaveLength(60);
    expect(statuses.filter((status) => status === 429)).toHaveLength(4);
  });

  test("has 100,000 on plan dev, nearly all counted without a call", async () => {
    const caller = await newCaller();
    const answers: Reply[] = [];
    for (let round = 0; round < 60; round += 1) {
      answers.push(...(await Promise.all([list(caller), list(caller), list(caller)])));
    }
    expect(answers.every(({ status }) => status === 200)).toBe(true);
    const last = limitHeaders(answers.at(-1)!);
    expect(last).toMatchObject({
      "x-ratelimit-limit": "100000",
      "ratelimit-policy": '"organization";q=100000;w=60',
    });
    const remaining = Number(last["x-ratelimit-remaining"]);
    expect(remaining).toBeLessThan(100_000);
    expect(remaining).toBeGreaterThan(99_000);
  });

  test("shares its organization's limit with the other keys, and with no other organization", async () => {
    const first = await callerOn(6);
    const second = await newCaller({ workspaceId: first.workspaceId });
    const stranger = await callerOn(6);
    expect(await listTimes(first, 4)).not.toContain(429);
    expect((await listTimes(second, 4)).filter((status) => status === 429)).toHaveLength(2);
    expect(await listTimes(stranger, 6)).not.toContain(429);
  });

  test("of a smaller plan is limited by it, and leaves the rest to its organization's other workspaces", async () => {
    const large = await newCaller();
    const workspace = await operator("POST", "/admin/v1/workspaces", {
      organization_id: large.organizationId,
      name: "Small",
    });
    const plan = await newBillingPlan(3);
    await operator("PUT", `/admin/v1/workspaces/${workspace.json.id}/plan`, { plan });
    const small = await newCaller({ workspaceId: workspace.json.id });
    expect((await listTimes(small, 5)).filter((status) => status === 429)).toHaveLength(2);
    const refused = await list(small);
    expect(limitHeaders(refused)).toMatchObject({
      "x-ratelimit-limit": "3",
      "ratelimit-policy": '"key";q=3;w=60',
    });
    expect(refused.json.detail).toContain("this API key");
    const other = await newCaller({ workspaceId: workspace.json.id });
    const served = await list(other);
    expect(served.status).toBe(200);
    expect(limitHeaders(served)).toMatchObject({
      "x-ratelimit-limit": "3",
      "x-ratelimit-remaining": "2",
      "ratelimit-policy": '"key";q=3;w=60, "organization";q=100000;w=60',
    });
    expect(await listTimes(large, 10)).not.toContain(429);
  });

  test("has a raised limit within a second of its next request", async () => {
    const caller = await callerOn(1);
    await listTimes(caller, 3);
    expect((await list(caller)).status).toBe(429);
    await operator("PUT", `/admin/v1/workspaces/${caller.workspaceId}/plan`, { plan: "dev" });
    expect((await list(caller)).status).toBe(200);
  });

  test("without authentication uses no limit of others", async () => {
    const caller = await callerOn(2);
    await call("GET", "/api/v1/workflows", { token: `${caller.token}x` });
    await call("GET", "/api/v1/workflows");
    expect(await listTimes(caller, 2)).toEqual([200, 200]);
  });
});

test("every tenant route counts, and no public one does", async () => {
  const caller = await callerOn(1);
  await list(caller);
  for (const endpoint of ENDPOINTS) {
    const path = endpoint.path.replaceAll(/\{\w+\+?\}/g, "0190f3aa000070008000000000000001");
    const response = await call(endpoint.method.toUpperCase(), path, {
      token: caller.token,
      ...(endpoint.request.body !== undefined && { json: {} }),
    });
    const isCounted = typeof endpoint.access === "object";
    expect([endpoint.operationId, response.status === 429]).toEqual([
      endpoint.operationId,
      isCounted,
    ]);
    if (isCounted) {
      expect(Number(response.headers.get("retry-after"))).toBeGreaterThan(0);
      expect(endpoint.path).toMatch(/^\/api\/v1\//);
    }
  }
});
