import { describe, expect, test } from "vitest";
import type * as z from "zod";
import {
  NodeTypeDetail,
  NodeTypeList,
} from "../../../../src/contracts/workflows/node-type-entry.ts";
import { listJsonSchemas, SCHEMA_REFS } from "../../../../src/domain/catalog/json-schemas.ts";
import { describeCatalog } from "../../../../src/domain/catalog/describe-node-type.ts";
import { getNodeType as getFrom } from "../../../../src/domain/catalog/get-node-type.ts";
import {
  listNodeTypes as listFrom,
  type NodeTypeQuery,
} from "../../../../src/domain/catalog/list-node-types.ts";
import { compileSchema } from "../../../../src/expressions/json-schema.ts";
import type { JsonValue } from "../../../../src/lib/json/exact-json.ts";
import { NODE_TYPES } from "../../../../src/nodes/registry.ts";
import airports from "../../../../samples/airports.json" with { type: "json" };
import greetingCard from "../../../../samples/greeting-card.json" with { type: "json" };

/** The definitions of `samples/`. */
const SAMPLES = [airports, greetingCard].map(
  ({ definition }) => definition as unknown as { nodes: SampleNode[] },
);
interface SampleNode {
  readonly id: string;
  readonly type: string;
  readonly parameters?: Readonly<Record<string, JsonValue>>;
}

const CATALOG = describeCatalog();
const listNodeTypes = (query: NodeTypeQuery) => listFrom(CATALOG, query);
const getNodeType = (type: string) => getFrom(CATALOG, type);
const types = (query: NodeTypeQuery) => listNodeTypes(query).data.map(({ type }) => type);

test("a type says how its results are cached: as the contract lists them, and only what depends on nothing else", () => {
  const ALWAYS =
    /^(?:(?:image|audio|video)\/.+|aggregate\/(?:audio_timeline|pdf)|design\/template_render|document\/pdf|utility\/merge_pdf)$/;
  const of = (cacheable: string) => CATALOG.filter((entry) => entry.cacheable === cacheable);
  expect(of("always").map(({ type }) => type)).toEqual(
    types({}).filter((type) => ALWAYS.test(type)),
  );
  expect(of("explicit").map(({ type }) => type)).toEqual(types({ category: "ai" }));
  // No tool that asks the world, and no inline work, which is done sooner than looked up.
  for (const { type } of of("always")) {
    const node = NODE_TYPES.find((one) => one.type === type)!;
    const outside = node.needs?.filter((need) => need === "fetch" || need === "models") ?? [];
    const isTask = "placement" in node && node.placement === "task";
    expect([type, isTask, outside]).toEqual([type, true, []]);
  }
});

describe("the list", () => {
  test("without a query has all types, in order of type", () => {
    const list = listNodeTypes({});
    expect(list.data.map(({ type }) => type)).toEqual(
      NODE_TYPES.map(({ type }) => type).toSorted(),
    );
    expect(list).toMatchObject({
      has_more: false,
      next_cursor: null,
      total_count: NODE_TYPES.length,
    });
    expect(NodeTypeList.parse(list)).toEqual(list);
  });

  test("is plain JSON", () => {
    for (const { type } of NODE_TYPES) {
      const detail = getNodeType(type);
      expect(JSON.parse(JSON.stringify(detail)), type).toEqual(detail);
      expect(NodeTypeDetail.parse(detail), type).toEqual(detail);
    }
  });

  test("states what each parameter is unless set, numbers too", () => {
    let numbers = 0;
    for (const node of NODE_TYPES) {
      const shape = node.params.shape as Record<string, z.ZodType>;
      for (const { name, value_schema: schema } of getNodeType(node.type).parameters) {
        const { data } = shape[name]!.safeParse(undefined);
        const what = `${node.type}: ${name}`;
        expect("default" in schema, what).toBe(data !== undefined);
        // Members may be left out of a default, as authors may leave them out.
        expect(data === undefined || shape[name]!.parse(schema["default"]), what).toEqual(
          data ?? true,
        );
        numbers += typeof data === "number" ? 1 : 0;
      }
    }
    expect(numbers).toBeGreaterThan(40);
  });

  test("of members of a parameter too", () => {
    const placements = getNodeType("image/compose").parameters.find(
      ({ name }) => name === "placements",
    );
    expect(placements?.value_schema).toMatchObject({
      items: { properties: { x: { default: 0 }, opacity: { default: 1 } } },
    });
  });

  test("of the numeric controls of ducking and cleaning is nothing: the profile decides", () => {
    for (const type of ["audio/duck", "audio/speech_enhance"]) {
      const common = ["bitrate_kbps", "bit_depth", "sample_rate", "channels"];
      const numeric = getNodeType(type).parameters.filter(
        (each) => ["number", "integer"].includes(each.type) && !common.includes(each.name),
      );
      expect(numeric.length, type).toBeGreaterThan(4);
      expect(numeric.filter(({ value_schema: schema }) => "default" in schema)).toEqual([]);
    }
  });

  test("states the cost of each type and the time limit of its tasks", () => {
    const code = getNodeType("image/code");
    expect(code).toMatchObject({ cost_milli_credits: 20, time_limit_ms: 30_000 });
    const pure = getNodeType("utility/calculate");
    expect(pure).toMatchObject({ cost_milli_credits: 0, time_limit_ms: null });
    for (const node of NODE_TYPES) {
      const isTask = "placement" in node && node.placement !== "inline";
      expect(getNodeType(node.type).time_limit_ms === null, node.type).toBe(!isTask);
    }
  });

  test("filters by category, ignoring case", () => {
    expect(types({ category: "TEXT" })).toEqual(["text/template"]);
    expect(types({ category: "none" })).toEqual([]);
    expect(types({ category: "constructor" })).toEqual([]);
  });

  test("uses the type as cursor, without gaps or repeats", () => {
    const seen: string[] = [];
    let startingAfter: string | undefined;
    for (let pages = 0; pages < 50; pages += 1) {
      const page = listNodeTypes({ limit: 3, startingAfter });
      seen.push(...page.data.map(({ type }) => type));
      expect(page.next_cursor).toBe(page.has_more ? seen.at(-1) : null);
      if (page.next_cursor === null) {
        break;
      }
      startingAfter = page.next_cursor;
    }
    expect(seen).toEqual(types({}));
  });

  test("rejects a cursor that is not in the list", () => {
    expect(() => listNodeTypes({ startingAfter: "nope/nope" })).toThrow(
      expect.objectContaining({ code: "invalid_request" }),
    );
    expect(() => listNodeTypes({ category: "text", startingAfter: "input/text" })).toThrow(
      /No node type "input\/text"/,
    );
  });
});

describe("search", () => {
  test("requires a match of every word in some field, split on spaces / - _ .", () => {
    expect(types({ search: "json_value" })[0]).toBe("input/json_value");
    expect(types({ search: "input/json-value" })[0]).toBe("input/json_value");
    expect(types({ search: "utility.calculate" })).toEqual(["utility/calculate"]);
    expect(types({ search: "calculate nowhereatall" })).toEqual([]);
  });

  test("ranks a name above a mention, then by type", () => {
    const found = types({ search: "template" });
    const named = ["design/template_render", "text/template"];
    expect(found.slice(0, 2)).toEqual(named);
    expect(found.length).toBeGreaterThan(2);
    expect(types({ search: "number" })[0]).toBe("input/number");
  });

  test("ignores case and empty words", () => {
    expect(types({ search: "  CALCULATE -/ " })).toEqual(types({ search: "calculate" }));
    expect(types({ search: " - " })).toEqual(types({}));
  });
});

describe("an entry", () => {
  test("shows array ports, accepted types and branches", () => {
    expect(getNodeType("utility/merge").inputs).toEqual([
      {
        name: "inputs",
        type: "any[]",
        required: true,
        label: "Values",
        multi: true,
        enumerable: false,
        min_count: 1,
        max_count: 100,
        compact: true,
      },
    ]);
    expect(getNodeType("output/json").inputs[0]?.accepts).toEqual(["number", "boolean"]);
    expect(
      getNodeType("utility/condition").outputs.map(({ name, required, type_of }) => [
        name,
        required,
        type_of,
      ]),
    ).toEqual([
      ["true", false, "value"],
      ["false", false, "value"],
    ]);
  });

  test("shows the source of each dynamic port", () => {
    expect(getNodeType("utility/calculate")).toMatchObject({
      has_dynamic_ports: true,
      roles: ["dynamic_inputs"],
      dynamic_ports: [
        {
          derivation: "expression_variables",
          parameter: "expression",
          port_type: "json",
          max_count: 50,
        },
      ],
    });
    expect(getNodeType("enumerate/json")).toMatchObject({
      enumerable: true,
      roles: ["enumerator", "dynamic_outputs"],
      dynamic_ports: [
        {
          parameter: "jsonConfig",
          items_path: "properties",
          name_field: "outputPort",
          type_field: "outputType",
        },
      ],
    });
    expect(getNodeType("aggregate/json").roles).toEqual(["aggregator", "dynamic_inputs"]);
    expect(getNodeType("output/text")).toMatchObject({
      has_dynamic_ports: false,
      dynamic_ports: [],
      roles: ["output"],
    });
  });

  test.each([
    ["design/template_render", ["dynamic_inputs"], ["data_{index}"]],
    ["document/pdf", ["dynamic_inputs"], []],
    ["aggregate/pdf", ["aggregator", "dynamic_inputs"], []],
  ])("says that %s has ports of its template, and lists none of them", (type, roles, listed) => {
    const detail = getNodeType(type);
    expect(detail).toMatchObject({ has_dynamic_ports: true, roles });
    expect(detail.dynamic_ports.map(({ name_pattern: pattern }) => pattern)).toEqual(listed);
    expect(detail.inputs.map(({ name }) => name)).toEqual(
      type === "document/pdf"
        ? []
        : type === "aggregate/pdf"
          ? ["introPdf", "outroPdf"]
          : ["data", "assets"],
    );
  });

  test("shows parameters with type, default, visibility and a schema without display texts", () => {
    const parameter = (type: string, name: string) =>
      getNodeType(type).parameters.find((each) => each.name === name);
    expect(parameter("input/number", "min")).toMatchObject({
      type: "number",
      required: false,
      label: "Smallest",
    });
    expect(parameter("utility/calculate", "expression")).toMatchObject({
      type: "text",
      required: true,
    });
    expect(parameter("utility/condition", "operator")).toMatchObject({
      type: "enum",
      required: true,
    });
    expect(parameter("utility/condition", "operand")?.visible_when?.parameter).toBe("operator");
    expect(parameter("utility/quality_gate", "policy")).toMatchObject({
      type: "json",
      schema_ref: "svc.quality-policy/v1",
    });
    for (const { type } of NODE_TYPES) {
      for (const { name, value_schema, visible_when } of getNodeType(type).parameters) {
        expect(Object.keys(value_schema), `${type} ${name}`).not.toEqual(
          expect.arrayContaining(["title"]),
        );
        if (visible_when !== undefined) {
          expect(parameter(type, visible_when.parameter), `${type} ${name}`).toBeDefined();
        }
      }
    }
  });

  test("a value_schema takes parameters as authors write them, and refuses what the node refuses", async () => {
    const problems = async (type: string, name: string, value: JsonValue) => {
      const found = getNodeType(type).parameters.find((parameter) => parameter.name === name);
      return (await compileSchema(found?.value_schema as JsonValue))(value);
    };
    const column = { sourceColumn: "n", outputPort: "n" };
    expect(await problems("enumerate/data_rows", "rowMapping", { columns: [column] })).toEqual([]);
    expect(await problems("enumerate/data_rows", "rowMapping", {})).toEqual([]);
    for (const wrong of [{ columns: [{ ...column, extra: 1 }] }, { columns: [{}] }, []]) {
      expect(await problems("enumerate/data_rows", "rowMapping", wrong)).not.toEqual([]);
    }
    for (const { nodes } of SAMPLES) {
      for (const { id, type, parameters } of nodes) {
        for (const [name, value] of Object.entries(parameters ?? {})) {
          expect(await problems(type, name, value), `${id} ${name}`).toEqual([]);
        }
      }
    }
  });

  test("an unknown type is not_found", () => {
    for (const type of ["utility/none", "constructor/name", "__proto__/x"]) {
      expect(() => getNodeType(type)).toThrow(expect.objectContaining({ code: "not_found" }));
    }
  });
});

describe("structured contracts", () => {
  const schemas = listJsonSchemas();

  test("each schema_ref of a parameter or an output in the catalog can be read", () => {
    const named = listNodeTypes({}).data.flatMap(({ parameters, outputs }) =>
      [...parameters, ...outputs].flatMap(({ schema_ref }) => schema_ref ?? []),
    );
    expect(named).toContain("svc.quality-policy/v1");
    expect(named).toContain("svc.template-layout-report/v1");
    for (const ref of [...named, ...SCHEMA_REFS]) {
      expect(schemas[ref], ref).toMatchObject({ $id: `urn:${ref}`, type: "object" });
    }
  });

  test("they are valid schemas that accept valid and reject invalid values", async () => {
    const check = await compileSchema(schemas["svc.quality-check/v1"] as JsonValue);
    const good = {
      schema: "svc.quality-check/v1",
      subject: "x",
      passed: true,
      checks: [{ id: "a", passed: true, severity: "error", message: "m", measured: 1 }],
    };
    expect(check(good)).toEqual([]);
    expect(check({ ...good, passed: "yes" })).toHaveLength(1);
    const policy = await compileSchema(schemas["svc.quality-policy/v1"] as JsonValue);
    expect(policy({})).toEqual([]);
    expect(policy({ max_warnings: -1 })).toHaveLength(1);
  });
});
