import { describe, expect, test } from "vitest";
import { call, newCaller } from "../../support/api-caller.ts";
import { readPath } from "../../support/node/read-path.ts";

const { token } = await newCaller();
const api = (method: string, path: string, json?: unknown) =>
  call(method, `/api/v1${path}`, { token, ...(json === undefined ? {} : { json }) });

/** Publishes, submits the contract's example unchanged, and waits for the result. */
async function runExample(definition: unknown, version?: number) {
  const created = await api("POST", "/workflows", { name: "W", definition });
  const published = await api("POST", `/workflows/${created.json.id}/publish`);
  expect(published.status, published.text).toBe(200);
  const path = `/workflows/${created.json.id}${version === undefined ? "" : `?version=${version}`}`;
  const { execution_contract: contract } = (await api("GET", path)).json;
  const submitted = await api("POST", "/executions", contract.primary.example);
  expect(submitted.status, submitted.text).toBe(202);
  const read = async () => (await api("GET", `/executions/${submitted.json.id}/result`)).json;
  await expect
    .poll(async () => (await read()).is_terminal, { timeout: 120_000, interval: 25 })
    .toBe(true);
  return { contract, result: await read(), interface: submitted.json.interface };
}

const text = (id: string, label: string, parameters: object = {}) => ({
  id,
  type: "input/text",
  label,
  parameters,
});
const output = (id: string, parameters: object = {}, label = id) => ({
  id,
  type: "output/text",
  label,
  parameters,
});
const wire = (from: string, port: string, to: string, toPort: string) => ({
  from: { node: from, port },
  to: { node: to, port: toPort },
});

describe("the example of the execution contract", () => {
  test.each<[string, unknown]>([
    [
      "names that are prototype keys, 200 characters long, or no identifiers",
      {
        nodes: [
          text("a", "__proto__"),
          text("b", "constructor"),
          text("c", `${"long ".repeat(40)}`),
          text("d", 'Größe (cm) "x"'),
          output("ao", {}, "__proto__"),
          output("bo", {}, "constructor"),
          output("co", {}, `${"long ".repeat(40)}`),
          output("do", { key: 'a "b" [c].d' }),
        ],
        connections: ["a", "b", "c", "d"].map((id) => wire(id, "text", `${id}o`, "text")),
      },
    ],
    [
      "rows with computed columns, gathered again",
      {
        nodes: [
          {
            id: "rows",
            type: "input/json",
            label: "Rows",
            parameters: {
              jsonConfig: {
                properties: [
                  { path: "$.price.net", outputPort: "net", outputType: "number" },
                  { path: "$.name", outputPort: "name", outputType: "text" },
                ],
              },
            },
          },
          { id: "all", type: "aggregate/text", parameters: {} },
          output("each"),
          output("joined"),
        ],
        connections: [
          wire("rows", "name", "each", "text"),
          wire("rows", "name", "all", "text"),
          wire("all", "text", "joined", "text"),
        ],
      },
    ],
    [
      "bounds on every input, and optional ones",
      {
        nodes: [
          text("t", "T", { max_length: 2 }),
          { id: "n", type: "input/number", label: "N", parameters: { min: 10, max: 20, step: 5 } },
          { id: "f", type: "input/boolean", label: "F", parameters: {} },
          text("o", "O", { required: false }),
          output("t_out"),
          output("n_out"),
          output("f_out"),
          output("o_out"),
        ],
        connections: [
          wire("t", "text", "t_out", "text"),
          wire("n", "number", "n_out", "text"),
          wire("f", "boolean", "f_out", "text"),
          wire("o", "text", "o_out", "text"),
        ],
      },
    ],
  ])("is accepted unchanged, and each read_from resolves: %s", async (_name, definition) => {
    const { contract, result } = await runExample(definition);
    expect(result.status, JSON.stringify(result)).toBe("completed");
    expect(contract.outputs.length).toBeGreaterThan(0);
    for (const { key, read_from, required, cardinality } of contract.outputs) {
      const read = readPath(result, read_from);
      expect([key, required, read === null || read === undefined]).toEqual([
        key,
        expect.any(Boolean),
        false,
      ]);
      expect(Array.isArray(read)).toBe(cardinality === "multiple");
    }
    // The example of a result has the members of a real one.
    const [key] = contract.outputs.map((entry: { key: string }) => entry.key);
    const shown = contract.result_example;
    expect(Object.keys(shown).toSorted((a, b) => a.localeCompare(b))).toEqual(
      Object.keys(result).toSorted((a, b) => a.localeCompare(b)),
    );
    const group = Object.getOwnPropertyDescriptor(result.result.by_key, key)?.value;
    const shownGroup = Object.getOwnPropertyDescriptor(shown.result.by_key, key)?.value;
    expect(Object.keys(shownGroup)).toEqual(Object.keys(group));
    expect(Object.keys(shownGroup.items[0])).toEqual(Object.keys(group.items[0]));
  });

  test("of a recommended interface carries its id and keys, and its outputs alone come back", async () => {
    const run = await runExample({
      nodes: [text("a", "A", { default: "x" }), text("b", "B"), output("ao"), output("bo")],
      connections: [wire("a", "text", "ao", "text"), wire("b", "text", "bo", "text")],
      interfaces: [
        {
          name: "Short",
          is_default: true,
          fields: [
            {
              key: "pick",
              type: "enum",
              constraints: { allowed_values: ["one", "two"] },
              bind: { node: "b" },
            },
          ],
          outputs: [{ key: "renamed", node: "bo" }],
        },
      ],
    });
    expect(run.contract.primary.interface).toBe(run.interface);
    expect(run.interface).toMatch(/^int_[0-9a-f]{32}$/);
    expect(Object.keys(run.contract.primary.example.inputs)).toEqual(["pick"]);
    expect(Object.keys(run.result.result.by_key)).toEqual(["bo"]);
    expect(
      run.contract.outputs.map(({ read_from }: { read_from: string }) =>
        readPath(run.result, read_from),
      ),
    ).toEqual(["one"]);
  });
});
