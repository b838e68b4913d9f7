import { createExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, describe, expect, test, vi } from "vitest";
import { createApp } from "../../../src/api/app.ts";
import { defineEndpoint } from "../../../src/api/define-endpoint.ts";
import { newCaller } from "../../support/api-caller.ts";

const shared = {
  method: "get",
  summary: "Probe",
  tag: "Discovery",
  errors: [],
  responses: { 204: { description: "Done" } },
} as const;
const tenant = defineEndpoint({
  ...shared,
  path: "/tenant",
  operationId: "tenantProbe",
  access: { scope: null, permission: null },
  handle: (ctx) => {
    ctx.log.info("inside");
    return { status: 204 };
  },
});
const secret = defineEndpoint({
  ...shared,
  path: "/files/{key}",
  operationId: "secretProbe",
  access: "public",
  handle: () => ({ response: new Response("x") }),
});
const crash = defineEndpoint({
  ...shared,
  path: "/crash",
  operationId: "crashProbe",
  access: "public",
  handle: () => {
    throw new Error("the cause");
  },
});
const app = createApp([tenant, secret, crash]);

afterEach(() => vi.restoreAllMocks());

/** The log lines of one request. */
async function linesOf(path: string, headers: Record<string, string> = {}) {
  const lines: Record<string, unknown>[] = [];
  const keep = (line: string) => void lines.push(JSON.parse(line));
  vi.spyOn(console, "log").mockImplementation(keep);
  vi.spyOn(console, "error").mockImplementation(keep);
  await app.request(path, { headers }, env, createExecutionContext());
  return lines;
}

describe("the log of a request", () => {
  test("is one line with what happened, and every other line of it carries the same correlation id", async () => {
    const caller = await newCaller();
    const lines = await linesOf("/tenant?token=hunter2", {
      authorization: `Bearer ${caller.token}`,
      "x-correlation-id": "order-17",
    });
    expect(lines.map((line) => [line["event"], line["correlation_id"]])).toEqual([
      ["inside", "order-17"],
      ["request", "order-17"],
    ]);
    expect(lines[1]).toMatchObject({
      level: "info",
      method: "GET",
      path: "/tenant",
      operation: "tenantProbe",
      status: 204,
      duration_ms: expect.any(Number),
      workspace_id: caller.workspaceId,
      key_id: caller.clientId,
    });
    const text = JSON.stringify(lines);
    for (const hidden of [caller.token, caller.clientSecret, "hunter2"]) {
      expect(text).not.toContain(hidden);
    }
  });

  test("never contains the address of a public file, since anyone who has it may read the file", async () => {
    const [line] = await linesOf("/files/256-bits-of-randomness");
    expect(line).toMatchObject({ path: "/files/{key}", status: 200 });
  });

  test("has the place of a failure, and never its message, which may contain a payload", async () => {
    const lines = await linesOf("/crash");
    expect(lines.map((line) => [line["level"], line["event"]])).toEqual([
      ["error", "request_failed"],
      ["info", "request"],
    ]);
    const reason = String(lines[0]?.["reason"]);
    expect(reason).toMatch(/^Error\n\s+at .*observe-request\.test\.ts/);
    expect(reason).not.toContain("the cause");
  });
});
