import { describe, expect, test } from "vitest";
import { call, newCaller } from "../../support/api-caller.ts";

type Api = (method: string, path: string, json?: unknown) => ReturnType<typeof call>;

async function newApi(): Promise<Api> {
  const { token } = await newCaller();
  return (method, path, json) =>
    call(method, `/api/v1${path}`, { token, ...(json === undefined ? {} : { json }) });
}

async function folder(api: Api, name: string, parent_id?: string | null): Promise<string> {
  const response = await api("POST", "/workflow-folders", {
    name,
    ...(parent_id === undefined ? {} : { parent_id }),
  });
  expect(response.status, response.text).toBe(201);
  return response.json.id;
}

async function workflow(api: Api, name: string, folder_id?: string): Promise<string> {
  const response = await api("POST", "/workflows", {
    name,
    ...(folder_id === undefined ? {} : { folder_id }),
  });
  expect(response.status, response.text).toBe(201);
  return response.json.id;
}

const move = (api: Api, workflow_ids: readonly string[], folder_id: string | null) =>
  api("POST", "/workflow-folders/move-workflows", { workflow_ids, folder_id });

describe("folders", () => {
  test("are listed with path, parent and counts", async () => {
    const api = await newApi();
    const top = await folder(api, "Campaigns");
    const inner = await folder(api, "Summer", top);
    await workflow(api, "A", inner);
    await workflow(api, "B", inner);
    const { json } = await api("GET", "/workflow-folders");
    expect(json).toMatchObject({
      data: [
        {
          id: top,
          name: "Campaigns",
          parent_id: null,
          path: "/Campaigns",
          workflow_count: 0,
          folder_count: 1,
        },
        {
          id: inner,
          name: "Summer",
          parent_id: top,
          path: "/Campaigns/Summer",
          workflow_count: 2,
          folder_count: 0,
        },
      ],
      has_more: false,
      total_count: 2,
    });
  });

  test("a name exists once in a folder: 409 conflict, also for concurrent creates", async () => {
    const api = await newApi();
    const answers = await Promise.all(
      Array.from({ length: 5 }, () => api("POST", "/workflow-folders", { name: "Caf\u00e9" })),
    );
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([
      201, 409, 409, 409, 409,
    ]);
    const again = await api("POST", "/workflow-folders", { name: "Cafe\u0301", parent_id: "root" });
    expect([again.status, again.json.code]).toEqual([409, "conflict"]);
    const made = answers.find(({ status }) => status === 201);
    await folder(api, "Caf\u00e9", made?.json.id);
  });

  test.each([{}, { name: "" }, { name: "a/b" }, { name: 5 }, { name: "x", parent: null }])(
    "%j is 400",
    async (body) => {
      const api = await newApi();
      const { status, json } = await api("POST", "/workflow-folders", body);
      expect([status, json.code]).toEqual([400, "validation_error"]);
    },
  );

  test("an unknown parent is 404, another workspace's 403, a malformed one 400", async () => {
    const [api, other] = [await newApi(), await newApi()];
    const theirs = await folder(other, "Theirs");
    const codes = [];
    for (const parent_id of [`fld_${"0".repeat(32)}`, theirs, "wf_1"]) {
      const { status, json } = await api("POST", "/workflow-folders", { name: "X", parent_id });
      codes.push([status, json.code]);
    }
    expect(codes).toEqual([
      [404, "not_found"],
      [403, "forbidden"],
      [400, "invalid_id"],
    ]);
  });

  test("nest at most 20 deep", async () => {
    const api = await newApi();
    let parent: string | null = null;
    for (let depth = 1; depth <= 20; depth += 1) {
      parent = await folder(api, `L${depth}`, parent);
    }
    const { status, json } = await api("POST", "/workflow-folders", {
      name: "L21",
      parent_id: parent,
    });
    expect([status, json.code]).toEqual([400, "validation_error"]);
  });
});

describe("content", () => {
  test("is what the folder, or the top level, contains directly", async () => {
    const api = await newApi();
    const top = await folder(api, "Top");
    const inner = await folder(api, "Inner", top);
    const loose = await workflow(api, "Loose");
    const kept = await workflow(api, "Kept", top);
    const root = await api("GET", "/workflow-folders/root/content");
    expect(root.json).toMatchObject({
      folder: null,
      subfolders: [{ id: top }],
      workflows: [{ id: loose }],
    });
    const content = await api("GET", `/workflow-folders/${top}/content`);
    expect(content.json).toMatchObject({
      folder: { id: top, path: "/Top" },
      subfolders: [{ id: inner }],
      workflows: [{ id: kept, folder_id: top, status: "draft" }],
      total_count: 1,
    });
  });

  test("search finds parts of names, ignoring case, and treats wildcards literally", async () => {
    const api = await newApi();
    await folder(api, "\u00c9t\u00e9 2026");
    await folder(api, "Winter");
    const id = await workflow(api, "100% \u00c9T\u00c9_sale");
    await workflow(api, "100 other");
    const hits = async (search: string) => {
      const { json } = await api(
        "GET",
        `/workflow-folders/root/content?search=${encodeURIComponent(search)}`,
      );
      return [json.subfolders.length, json.workflows.map((entry: { id: string }) => entry.id)];
    };
    expect(await hits("\u00e9t\u00e9")).toEqual([1, [id]]);
    expect(await hits("100%")).toEqual([0, [id]]);
    expect(await hits("T\u00c9_S")).toEqual([0, [id]]);
    expect(await hits("nothing")).toEqual([0, []]);
    const renamed = await api("PATCH", `/workflows/${id}`, { name: "Autumn" });
    expect(renamed.status).toBe(200);
    expect(await hits("AUTUMN")).toEqual([0, [id]]);
    expect(await hits("100%")).toEqual([0, []]);
  });

  test("of an unknown folder is 404, of another workspace's 403, of a malformed id 400", async () => {
    const [api, other] = [await newApi(), await newApi()];
    const theirs = await folder(other, "Theirs");
    const codes = [];
    for (const id of [`fld_${"0".repeat(32)}`, theirs, "x"]) {
      const { status, json } = await api("GET", `/workflow-folders/${id}/content`);
      codes.push([status, json.code]);
    }
    expect(codes).toEqual([
      [404, "not_found"],
      [403, "forbidden"],
      [400, "invalid_id"],
    ]);
  });
});

describe("moving", () => {
  test("moves all of them, to a folder and back to the top level", async () => {
    const api = await newApi();
    const target = await folder(api, "Target");
    const ids = [await workflow(api, "A"), await workflow(api, "B")];
    const moved = await move(api, [...ids, ids[0] ?? ""], target);
    expect(moved.json).toMatchObject({ moved: 2, folder_id: target, workflow_ids: ids });
    const inside = await api("GET", `/workflow-folders/${target}/content`);
    expect(inside.json.total_count).toBe(2);
    expect((await move(api, ids, null)).status).toBe(200);
    expect((await api("GET", `/workflows/${ids[0]}`)).json.folder_id).toBeNull();
  });

  test("with one unknown, deleted or foreign workflow moves none", async () => {
    const [api, other] = [await newApi(), await newApi()];
    const target = await folder(api, "Target");
    const mine = await workflow(api, "Mine");
    const gone = await workflow(api, "Gone");
    await api("DELETE", `/workflows/${gone}`);
    const theirs = await workflow(other, "Theirs");
    const codes = [];
    for (const stranger of [`wf_${"0".repeat(32)}`, gone, theirs, "wf_x"]) {
      const { status, json } = await move(api, [mine, stranger], target);
      codes.push([status, json.code]);
      expect((await api("GET", `/workflows/${mine}`)).json.folder_id).toBeNull();
    }
    expect(codes).toEqual([
      [404, "not_found"],
      [404, "not_found"],
      [403, "forbidden"],
      [400, "invalid_id"],
    ]);
    expect((await move(api, [mine], `fld_${"0".repeat(32)}`)).json.code).toBe("not_found");
    expect((await move(api, [], target)).json.code).toBe("validation_error");
    for (const folder_id of [undefined, 5]) {
      const { json } = await api("POST", "/workflow-folders/move-workflows", {
        workflow_ids: [mine],
        folder_id,
      });
      expect(json.code).toBe("validation_error");
      expect(json.errors[0].message).toMatch(/^Send a folder's id, or `root` or null for the top/);
    }
  });
});
