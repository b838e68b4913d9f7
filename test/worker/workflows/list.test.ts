import { describe, expect, test } from "vitest";
import { call, newCaller, newWorkspace, operator } from "../../support/api-caller.ts";
import { greeting } from "../../support/sample-definitions.ts";

type Api = (method: string, path: string, json?: unknown) => ReturnType<typeof call>;

async function newApi(): Promise<Api> {
  const { token } = await newCaller();
  return (method, path, json) =>
    call(method, `/api/v1${path}`, { token, ...(json === undefined ? {} : { json }) });
}

async function created(api: Api, body: object = {}): Promise<string> {
  const response = await api("POST", "/workflows", { name: "W", ...body });
  expect(response.status, response.text).toBe(201);
  return response.json.id;
}

const idsOf = (json: { data: { id: string }[] }) => json.data.map(({ id }) => id);

describe("the list", () => {
  test("shows published workflows by default, and others by status", async () => {
    const api = await newApi();
    const draft = await created(api);
    const live = await created(api, { definition: greeting });
    const old = await created(api, { definition: greeting });
    await api("POST", `/workflows/${live}/publish`);
    await api("POST", `/workflows/${old}/archive`);
    expect(idsOf((await api("GET", "/workflows")).json)).toEqual([live]);
    expect(idsOf((await api("GET", "/workflows?status=draft")).json)).toEqual([draft]);
    expect(idsOf((await api("GET", "/workflows?status=archived")).json)).toEqual([old]);
    const all = await api("GET", "/workflows?status=all");
    expect(idsOf(all.json)).toEqual([old, live, draft]);
    expect(all.json).toMatchObject({ has_more: false, next_cursor: null, total_count: 3 });
    for (const member of ["interface", "interfaces", "execution_contract"]) {
      expect(all.json.data[0]).not.toHaveProperty(member);
    }
    const bad = await api("GET", "/workflows?status=live");
    expect([bad.status, bad.json.code]).toEqual([400, "invalid_status"]);
  });

  test("filters by one whole tag", async () => {
    const api = await newApi();
    const both = await created(api, { tags: ["red", "blue%"] });
    await created(api, { tags: ["reddish"] });
    expect(idsOf((await api("GET", "/workflows?status=all&tag=red")).json)).toEqual([both]);
    expect(idsOf((await api("GET", "/workflows?status=all&tag=blue%25")).json)).toEqual([both]);
    expect((await api("GET", "/workflows?status=all&tag=blue")).json.total_count).toBe(0);
  });

  test("pages newest first, stable while workflows are added, deleted and changed", async () => {
    const api = await newApi();
    const ids: string[] = [];
    for (let index = 0; index < 7; index += 1) {
      ids.unshift(await created(api));
    }
    const first = await api("GET", "/workflows?status=all&limit=3");
    expect(idsOf(first.json)).toEqual(ids.slice(0, 3));
    expect(first.json).toMatchObject({ has_more: true, total_count: 7, next_cursor: ids[2] });
    await created(api);
    // The cursor's workflow may be deleted: its place in the order remains.
    expect((await api("DELETE", `/workflows/${ids[2]}`)).status).toBe(204);
    const second = await api(
      "GET",
      `/workflows?status=all&limit=3&starting_after=${first.json.next_cursor}`,
    );
    expect(idsOf(second.json)).toEqual(ids.slice(3, 6));
    const third = await api(
      "GET",
      `/workflows?status=all&limit=3&starting_after=${second.json.next_cursor}`,
    );
    expect(idsOf(third.json)).toEqual(ids.slice(6));
    expect(third.json).toMatchObject({ has_more: false, next_cursor: null });
  });

  test.each(["limit=0", "limit=101", "limit=x", "limit=1.5"])(
    "%s is 400 validation_error",
    async (query) => {
      const api = await newApi();
      const { status, json } = await api("GET", `/workflows?${query}`);
      expect([status, json.code]).toEqual([400, "validation_error"]);
    },
  );

  test("a cursor that is not a workflow of the workspace is 400 invalid_request", async () => {
    const [api, other] = [await newApi(), await newApi()];
    const theirs = await created(other);
    for (const cursor of ["x", `wf_${"0".repeat(32)}`, theirs]) {
      const { status, json } = await api("GET", `/workflows?starting_after=${cursor}`);
      expect([status, json.code]).toEqual([400, "invalid_request"]);
    }
  });
});

describe("access", () => {
  test("another workspace's workflow is 403, one that does not exist 404, a malformed id 400", async () => {
    const [api, other] = [await newApi(), await newApi()];
    const theirs = await created(other, { definition: greeting });
    const requests = [
      ["GET", ""],
      ["PATCH", "", { name: "Mine" }],
      ["DELETE", ""],
      ["GET", "/definition"],
      ["GET", "/versions"],
      ["POST", "/publish"],
      ["POST", "/archive"],
      ["POST", "/revert"],
      ["POST", "/clone"],
      ["POST", "/validate"],
    ] as const;
    for (const [method, path, body] of requests) {
      const results = [];
      for (const id of [theirs, `wf_${"0".repeat(32)}`, "wf_x", theirs.replace("wf_", "run_")]) {
        const { status, json } = await api(method, `/workflows/${id}${path}`, body);
        results.push([status, json.code]);
      }
      expect([method, path, results]).toEqual([
        method,
        path,
        [
          [403, "forbidden"],
          [404, "not_found"],
          [400, "invalid_id"],
          [400, "invalid_id"],
        ],
      ]);
    }
    expect((await other("GET", `/workflows/${theirs}`)).json).toMatchObject({
      name: "W",
      status: "draft",
    });
  });

  test("a raw UUID, dashed or not, is the same id", async () => {
    const api = await newApi();
    const id = await created(api);
    const hex = id.slice(3);
    const dashed = hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
    for (const form of [hex, dashed]) {
      expect((await api("GET", `/workflows/${form}`)).json.id).toBe(id);
    }
  });

  test("reading requires workflows:read, changing workflows:write, each with its permission", async () => {
    const workspaceId = await newWorkspace();
    const read = await newCaller({
      workspaceId,
      scopes: ["workflows:read"],
      permissions: ["ws:workflows:read"],
    });
    const manage = await newCaller({
      workspaceId,
      scopes: ["workflows:write"],
      permissions: ["ws:workflows:read"],
    });
    expect((await call("GET", "/api/v1/workflows", { token: read.token })).status).toBe(200);
    expect((await call("GET", "/api/v1/workflow-folders", { token: read.token })).status).toBe(200);
    for (const { token } of [read, manage]) {
      for (const path of ["/api/v1/workflows", "/api/v1/workflow-folders"]) {
        const { status, json } = await call("POST", path, { token, json: { name: "W" } });
        expect([status, json.code]).toEqual([403, "insufficient_scope"]);
      }
    }
  });

  test("a plan's limit of workflows holds, also for concurrent creates", async () => {
    await operator("PUT", "/admin/v1/plans/three", {
      limits: { max_workflows: 3, requests_per_minute: 100_000 },
    });
    const { token } = await newCaller({ workspaceId: await newWorkspace("three") });
    const answers = await Promise.all(
      Array.from({ length: 6 }, () =>
        call("POST", "/api/v1/workflows", { token, json: { name: "W", definition: greeting } }),
      ),
    );
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(3);
    for (const { status, json } of answers.filter((response) => response.status !== 201)) {
      expect([status, json.code]).toEqual([402, "plan_limit_exceeded"]);
    }
    const { json } = await call("GET", "/api/v1/workflows?status=all", { token });
    expect(json.total_count).toBe(3);
    const clone = await call("POST", `/api/v1/workflows/${json.data[0].id}/clone`, { token });
    expect(clone.status).toBe(402);
    await call("DELETE", `/api/v1/workflows/${json.data[0].id}`, { token });
    expect((await call("POST", "/api/v1/workflows", { token, json: { name: "W" } })).status).toBe(
      201,
    );
  });
});

describe("PATCH", () => {
  test("changes the fields that are sent and leaves the rest", async () => {
    const api = await newApi();
    const id = await created(api, { description: "D", tags: ["t"], definition: greeting });
    await api("POST", `/workflows/${id}/publish`);
    const { json } = await api("PATCH", `/workflows/${id}`, { name: "Ünïcode 🎈" });
    expect(json).toMatchObject({
      name: "Ünïcode 🎈",
      description: "D",
      tags: ["t"],
      status: "published",
      version: 1,
    });
    const cleared = await api("PATCH", `/workflows/${id}`, { description: "", tags: [] });
    expect(cleared.json).toMatchObject({ name: "Ünïcode 🎈", description: "", tags: [] });
  });

  test.each([{}, { name: "W" }, { name: "W", description: "D", tags: ["t"], folder_id: null }])(
    "%j, which changes nothing, changes neither updated_at nor the ETag",
    async (body) => {
      const api = await newApi();
      const id = await created(api, { description: "D", tags: ["t"], definition: greeting });
      const etag = async () =>
        (await api("GET", `/workflows/${id}/definition`)).headers.get("etag");
      const before = [(await api("GET", `/workflows/${id}`)).json, await etag()];
      await new Promise((resolve) => setTimeout(resolve, 5));
      const { status, json } = await api("PATCH", `/workflows/${id}`, body);
      expect(status).toBe(200);
      expect([json, await etag()]).toEqual(before);
      const changed = await api("PATCH", `/workflows/${id}`, { name: "Other" });
      expect(changed.json.updated_at > json.updated_at).toBe(true);
    },
  );

  test.each([
    { name: "" },
    { name: "a\u0000b" },
    { name: "\ud800" },
    { name: "x".repeat(201) },
    { status: "published" },
    { version: 7 },
    { tags: "x" },
  ])("%j is 400 validation_error", async (body) => {
    const api = await newApi();
    const id = await created(api);
    const { status, json } = await api("PATCH", `/workflows/${id}`, body);
    expect([status, json.code]).toEqual([400, "validation_error"]);
    expect((await api("GET", `/workflows/${id}`)).json).toMatchObject({
      name: "W",
      status: "draft",
      version: 0,
    });
  });
});
