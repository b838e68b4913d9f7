/** Each read of one resource of batches, retries, schedules and moves has an entity tag (docs/contract/conventions.md#responses). */
import { beforeAll, describe, expect, test } from "vitest";
import * as z from "zod";
import type { EndpointDeclaration } from "../../../src/api/endpoint-declaration.ts";
import { ENDPOINTS } from "../../../src/api/routes.ts";
import { ADMIN_TOKEN, call, newCaller } from "../../support/api-caller.ts";
import { publishedWorkflow } from "../../support/published-workflow.ts";
import { wordItems } from "../batches/batch-fixture.ts";
import { ExportFixture } from "../batches/export-fixture.ts";

const WITH_TAGS =
  /^\/api\/v1\/(?:batch-executions|schedules|cache|executions\/\{\w+\}(?:\/(?:diff|result|trace)|$))|^\/admin\/v1\/organizations\/\{id\}\/move$/;

/** Paths of the reads of one resource, and those of them that are not declared to answer 304. */
function singleReads(endpoints: readonly EndpointDeclaration[]) {
  const reads = endpoints.filter(
    ({ method, path, responses }) =>
      method === "get" && WITH_TAGS.test(path) && isOne(responses[200]?.body),
  );
  const without = reads.filter(
    ({ request: { headers }, responses }) =>
      !(304 in responses && headers instanceof z.ZodObject && "if-none-match" in headers.shape),
  );
  return { paths: reads.map(({ path }) => path), without: without.map(({ path }) => path) };
}

/** Not a list, a stream or a redirect. */
function isOne(body: z.ZodType | undefined): boolean {
  return body !== undefined && !(body instanceof z.ZodObject && "data" in body.shape);
}

let batches: ExportFixture;
let workflow: string;
beforeAll(async () => {
  batches = new ExportFixture(await newCaller());
  workflow = await publishedWorkflow(batches.caller);
});

function read(path: string, tag?: string) {
  const token = path.startsWith("/admin/") ? ADMIN_TOKEN : batches.caller.token;
  return call("GET", path, { token, headers: tag === undefined ? {} : { "if-none-match": tag } });
}

async function tagOf(path: string): Promise<string> {
  const tag = (await read(path)).headers.get("etag");
  expect(tag, path).toMatch(/^"[\w.-]+"$/);
  return String(tag);
}

describe("a read of one resource", () => {
  test("is declared with an entity tag and 304, on every route", () => {
    const { paths, without } = singleReads(ENDPOINTS);
    expect(without).toEqual([]);
    expect(paths.toSorted()).toEqual([
      "/admin/v1/organizations/{id}/move",
      "/api/v1/batch-executions/{id}",
      "/api/v1/batch-executions/{id}/exports/{format}",
      "/api/v1/batch-executions/{id}/items/{item}",
      "/api/v1/cache",
      "/api/v1/executions/{a}/diff/{b}",
      "/api/v1/executions/{id}",
      "/api/v1/executions/{id}/result",
      "/api/v1/executions/{run_id}/trace",
      "/api/v1/schedules/{id}",
    ]);
    const forgetful = ENDPOINTS.map(({ responses, ...endpoint }) => {
      const { 304: _, ...others } = responses;
      return { ...endpoint, responses: endpoint.path.endsWith("/cache") ? others : responses };
    });
    expect(singleReads(forgetful).without).toEqual(["/api/v1/cache"]);
  });

  test("is 304 without a body for its tag, and the same body for another one", async () => {
    const id = await batches.endedBatch({ workflow, items: wordItems(2) });
    await batches.exported(id, { format: "csv" });
    const [a = "", b = ""] = await batches.runsOf(id);
    const schedule = { workflow, name: "S", cron: "@daily", inputs: wordItems(1)[0]?.inputs };
    const { token, organizationId } = batches.caller;
    const made = await call("POST", "/api/v1/schedules", { token, json: schedule });
    const { last_event_id: last } = (await read(`/api/v1/executions/${a}`)).json;
    for (const path of [
      `/admin/v1/organizations/${organizationId}/move`,
      `/api/v1/batch-executions/${id}`,
      `/api/v1/batch-executions/${id}/exports/csv`,
      `/api/v1/batch-executions/${id}/items/0`,
      "/api/v1/cache",
      `/api/v1/executions/${a}/diff/${b}`,
      `/api/v1/executions/${a}`,
      `/api/v1/executions/${a}/result`,
      `/api/v1/executions/${a}/trace`,
      `/api/v1/executions/${a}/trace?as_of_event=${String(last)}`,
      `/api/v1/schedules/${String(made.json.id)}`,
    ]) {
      const first = await read(path);
      const tag = await tagOf(path);
      const known = await read(path, `"other", W/${tag}`);
      expect([path, known.status, known.text, known.headers.get("etag")]).toEqual([
        path,
        304,
        "",
        tag,
      ]);
      expect(known.headers.get("cache-control"), path).toMatch(/^private, /);
      const other = await read(path, '"other"');
      expect([path, other.status, other.json]).toEqual([path, 200, first.json]);
    }
  });

  test("has another tag once its body has changed", async () => {
    const id = await batches.endedBatch({ workflow, items: wordItems(2) });
    const exported = `/api/v1/batch-executions/${id}/exports/json`;
    const before = await tagOf(exported);
    await batches.exported(id, { format: "json" });
    const after = await read(exported, before);
    expect([after.status, after.json.status]).toEqual([200, "completed"]);
    const [a = "", b = ""] = await batches.runsOf(id);
    const diff = `/api/v1/executions/${a}/diff/${b}`;
    const page = await read(`${diff}?key=none`, await tagOf(diff));
    expect([page.status, page.json.items.total_count]).toEqual([200, 0]);
  });
});
