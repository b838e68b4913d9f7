import { describe, expect, test } from "vitest";
import { call, newCaller } from "../../support/api-caller.ts";
import { greeting, greetingWith } from "../../support/sample-definitions.ts";

const { token } = await newCaller();
const api = (method: string, path: string, json?: unknown, headers?: Record<string, string>) =>
  call(method, `/api/v1${path}`, {
    token,
    ...(json === undefined ? {} : { json }),
    ...(headers === undefined ? {} : { headers }),
  });

async function created(definition: unknown = greeting, more: object = {}): Promise<string> {
  const response = await api("POST", "/workflows", { name: "Greeting", definition, ...more });
  expect(response.status, response.text).toBe(201);
  return response.json.id;
}

async function put(id: string, definition: unknown): Promise<void> {
  const { headers } = await api("GET", `/workflows/${id}/definition`);
  const response = await api("PUT", `/workflows/${id}/definition`, definition, {
    "if-match": headers.get("etag") ?? "",
  });
  expect(response.status, response.text).toBe(200);
}

async function publish(id: string) {
  const response = await api("POST", `/workflows/${id}/publish`);
  expect(response.status, response.text).toBe(200);
  return response.json;
}

const definitionOf = async (id: string) => (await api("GET", `/workflows/${id}/definition`)).json;

describe("a new workflow", () => {
  test("is a draft at version 0 that shows its working interface", async () => {
    const { json } = await api("POST", "/workflows", {
      name: "Greeting",
      description: "Greets",
      tags: ["a", "b", "a"],
      definition: greeting,
    });
    expect(json).toMatchObject({
      id: expect.stringMatching(/^wf_[0-9a-f]{32}$/),
      name: "Greeting",
      description: "Greets",
      status: "draft",
      version: 0,
      tags: ["a", "b"],
      folder_id: null,
      interface: {
        inputs: [{ name: "name", type: "text", label: "Name", required: true }],
        outputs: [{ name: "message", type: "text", label: "Message" }],
      },
    });
    expect(json.interfaces).toBeUndefined();
    expect(json.execution_contract.outputs).toHaveLength(1);
  });

  test("may have no definition, or an invalid one, whose interface still shows", async () => {
    const empty = await api("POST", "/workflows", { name: "Empty" });
    expect(empty.status).toBe(201);
    expect(empty.json).toMatchObject({ interface: { inputs: [], outputs: [] } });
    const broken = { ...greeting, connections: [] };
    const { json } = await api("POST", "/workflows", { name: "Broken", definition: broken });
    expect(json.execution_contract).toBeNull();
    expect(json.interface.inputs).toMatchObject([{ name: "name" }]);
    expect(json.interface.outputs).toMatchObject([{ name: "message" }]);
  });

  test("is rejected with every invalid field named", async () => {
    const { status, json } = await api("POST", "/workflows", {
      name: " ",
      tags: [""],
      folder_id: "fld_x",
      color: "red",
    });
    expect(status).toBe(400);
    expect(json.errors.map((error: { field: string }) => error.field).toSorted()).toEqual([
      "color",
      "folder_id",
      "name",
      "tags[0]",
    ]);
  });
});

describe("publishing", () => {
  test("makes version 1, and unchanged content returns it again", async () => {
    const id = await created();
    expect(await publish(id)).toMatchObject({ status: "published", version: 1 });
    expect(await publish(id)).toMatchObject({ status: "published", version: 1 });
    await put(id, { ...greeting, settings: {} });
    expect(await publish(id)).toMatchObject({ version: 1 });
  });

  test("changed content makes the next version, and PUT changes neither status nor version", async () => {
    const id = await created();
    await publish(id);
    await put(id, greetingWith({ label: "Whom" }));
    const before = await api("GET", `/workflows/${id}`);
    expect(before.json).toMatchObject({ status: "published", version: 1 });
    expect(before.json.interface.inputs[0].name).toBe("name");
    expect(await publish(id)).toMatchObject({ version: 2 });
    const after = await api("GET", `/workflows/${id}`);
    expect(after.json.interface.inputs[0].name).toBe("whom");
    const first = await api("GET", `/workflows/${id}?version=1`);
    expect(first.json).toMatchObject({ version: 1, interface: { inputs: [{ name: "name" }] } });
    expect(first.json.execution_contract.primary.example.version).toBe(1);
    expect(after.json.execution_contract.primary.example.version).toBeUndefined();
  });

  test("an invalid definition is 422 with every problem and its location", async () => {
    const id = await created({
      nodes: [
        { id: "name", type: "input/text", label: "Name" },
        { id: "sum", type: "utility/calculate", parameters: { expression: "1 +" } },
        { id: "sum", type: "utility/calculat", parameters: {} },
        { id: "message", type: "output/text", label: 5 },
      ],
      connections: [
        { from: { node: "nobody", port: "text" }, to: { node: "message", port: "text" } },
      ],
    });
    const { status, json } = await api("POST", `/workflows/${id}/publish`);
    expect(status).toBe(422);
    expect(json.code).toBe("validation_error");
    const found = json.errors.map((error: { code: string; field: string }) => [
      error.code,
      error.field,
    ]);
    expect(found).toEqual(
      expect.arrayContaining([
        ["INVALID_FIELD", "nodes[3].label"],
        ["DUPLICATE_NODE_ID", "nodes[2].id"],
        ["UNKNOWN_NODE", "connections[0].from.node"],
        ["invalid_dynamic_config", "nodes[1].parameters.expression"],
      ]),
    );
    for (const error of json.errors) {
      expect(error.path).toBe(error.field);
      expect(error.message.length).toBeGreaterThan(10);
    }
    expect((await api("GET", `/workflows/${id}`)).json).toMatchObject({
      status: "draft",
      version: 0,
    });
  });

  test("requires an output node", async () => {
    const id = await created({ nodes: [greeting.nodes[0]] });
    const { status, json } = await api("POST", `/workflows/${id}/publish`);
    expect(status).toBe(422);
    expect(json.errors).toMatchObject([{ code: "NO_OUTPUT", field: "nodes", path: "nodes" }]);
    // The same with other problems: all are reported at once.
    await put(id, { nodes: [{ ...greeting.nodes[0], type: "input/txt" }] });
    const again = await api("POST", `/workflows/${id}/publish`);
    expect(again.json.errors.map(({ code }: { code: string }) => code)).toEqual([
      "UNKNOWN_NODE_TYPE",
      "NO_OUTPUT",
    ]);
  });

  test("with If-Match publishes that revision only", async () => {
    const id = await created();
    const { headers } = await api("GET", `/workflows/${id}/definition`);
    await put(id, greetingWith({ label: "Whom" }));
    const stale = { "if-match": headers.get("etag") ?? "" };
    expect((await api("POST", `/workflows/${id}/publish`, undefined, stale)).status).toBe(412);
  });

  test("twelve concurrent publishes make one version, without gap or repeat", async () => {
    const id = await created();
    const answers = await Promise.all(
      Array.from({ length: 12 }, () => api("POST", `/workflows/${id}/publish`)),
    );
    expect(answers.map(({ status, json }) => [status, json.version])).toEqual(
      answers.map(() => [200, 1]),
    );
    const { json } = await api("GET", `/workflows/${id}/versions`);
    expect(json).toMatchObject({ total_count: 1, data: [{ version: 1, is_current: true }] });
  });

  test("with concurrent edits, versions count up without gap or repeat", async () => {
    const id = await created();
    const edits = Array.from({ length: 8 }, async (_, index) => {
      await api("PUT", `/workflows/${id}/definition`, greetingWith({ label: `L${index}` }), {
        "if-match": "*",
      });
      return await api("POST", `/workflows/${id}/publish`);
    });
    const answers = await Promise.all(edits);
    expect(answers.every(({ status }) => status === 200)).toBe(true);
    const { json } = await api("GET", `/workflows/${id}/versions?limit=100`);
    const versions = json.data.map(({ version }: { version: number }) => version);
    expect(versions).toEqual(versions.map((_: number, index: number) => versions.length - index));
    const latest = await api("GET", `/workflows/${id}`);
    expect(latest.json.version).toBe(versions[0]);
  });
});

describe("reverting", () => {
  test("sets draft, keeps versions, and unchanged content publishes the same version again", async () => {
    const id = await created();
    await publish(id);
    const { status, json } = await api("POST", `/workflows/${id}/revert`);
    expect(status).toBe(200);
    expect(json).toMatchObject({ status: "draft", version: 1 });
    expect((await api("GET", `/workflows/${id}/versions`)).json.total_count).toBe(1);
    expect(await publish(id)).toMatchObject({ status: "published", version: 1 });
  });

  test("publishing after a change makes n+1", async () => {
    const id = await created();
    await publish(id);
    await api("POST", `/workflows/${id}/revert`);
    await put(id, greetingWith({ label: "Whom" }));
    expect(await publish(id)).toMatchObject({ status: "published", version: 2 });
  });

  test("to_version restores that version's definition as the working one", async () => {
    const id = await created();
    await publish(id);
    const { headers: old } = await api("GET", `/workflows/${id}/definition`);
    await put(id, greetingWith({ label: "Whom" }));
    await publish(id);
    const { json } = await api("POST", `/workflows/${id}/revert`, { to_version: 1 });
    expect(json).toMatchObject({ status: "draft", version: 2 });
    // The workflow still shows the interface of the latest published version.
    expect(json.interface.inputs[0].name).toBe("whom");
    const { json: definition, headers } = await api("GET", `/workflows/${id}/definition`);
    expect(definition).toEqual(greeting);
    expect(headers.get("etag")).not.toBe(old.get("etag"));
    expect(await publish(id)).toMatchObject({
      version: 3,
      interface: { inputs: [{ name: "name" }] },
    });
  });

  test.each([0, -1, 2, 1.5, "x"])(
    "to_version %j out of range is 400 invalid_version",
    async (to_version) => {
      const id = await created();
      await publish(id);
      const { status, json } = await api("POST", `/workflows/${id}/revert`, { to_version });
      expect([status, json.code]).toEqual([400, "invalid_version"]);
      expect((await api("GET", `/workflows/${id}`)).json.status).toBe("published");
    },
  );
});

describe("an archived workflow", () => {
  test("is readable; publish, revert and edits are 422; it can be cloned", async () => {
    const id = await created(greeting, { tags: ["kept"], description: "Kept" });
    await publish(id);
    const archived = await api("POST", `/workflows/${id}/archive`);
    expect(archived.json).toMatchObject({ status: "archived", version: 1 });
    expect((await api("POST", `/workflows/${id}/archive`)).status).toBe(200);
    expect((await api("GET", `/workflows/${id}`)).json.status).toBe("archived");
    for (const [method, path, body] of [
      ["POST", "publish", undefined],
      ["POST", "revert", undefined],
      ["POST", "revert", { to_version: 1 }],
      ["PUT", "definition", greeting],
    ] as const) {
      const { status, json } = await api(method, `/workflows/${id}/${path}`, body, {
        "if-match": "*",
      });
      expect([path, status, json.code]).toEqual([path, 422, "invalid_state"]);
    }
    const clone = await api("POST", `/workflows/${id}/clone`);
    expect(clone.status).toBe(201);
    expect(clone.json).toMatchObject({
      name: "Greeting (copy)",
      status: "draft",
      version: 0,
      tags: ["kept"],
      description: "Kept",
    });
    expect(clone.json.id).not.toBe(id);
    expect(await definitionOf(clone.json.id)).toEqual(greeting);
    expect(await publish(clone.json.id)).toMatchObject({ version: 1 });
  });
});

describe("versions", () => {
  test("outside 1 to the latest are 400 invalid_version with the range", async () => {
    const id = await created();
    const none = await api("GET", `/workflows/${id}?version=1`);
    expect([none.status, none.json.code]).toEqual([400, "invalid_version"]);
    await publish(id);
    for (const version of ["0", "-1", "2", "1.0", "abc", "", "99999999999", "1&version=1"]) {
      const { status, json } = await api("GET", `/workflows/${id}?version=${version}`);
      expect([version, status, json.code]).toEqual([version, 400, "invalid_version"]);
    }
    const { json } = await api("GET", `/workflows/${id}?version=7`);
    expect(json.detail).toContain("1 to 1");
  });

  test("are listed newest first, in pages, the current one marked", async () => {
    const id = await created();
    for (const label of ["A", "B", "C"]) {
      await put(id, greetingWith({ label }));
      await publish(id);
    }
    const first = await api("GET", `/workflows/${id}/versions?limit=2`);
    expect(first.json).toMatchObject({
      data: [
        { version: 3, is_current: true },
        { version: 2, is_current: false },
      ],
      has_more: true,
      total_count: 3,
    });
    const rest = await api(
      "GET",
      `/workflows/${id}/versions?starting_after=${first.json.next_cursor}`,
    );
    expect(rest.json).toMatchObject({ data: [{ version: 1 }], has_more: false, next_cursor: null });
    const bad = await api("GET", `/workflows/${id}/versions?starting_after=x`);
    expect([bad.status, bad.json.code]).toEqual([400, "invalid_request"]);
  });
});
