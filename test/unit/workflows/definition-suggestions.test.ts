/**
 * docs/contract/workflows.md#definitions: every problem of a definition has a suggestion, for any
 * code.
 */
import { describe, expect, test } from "vitest";
import {
  ISSUE_SUGGESTIONS,
  type IssueCode,
} from "../../../src/contracts/workflows/definition-issue.ts";
import { checkDefinition } from "../../../src/domain/workflows/definition/check-definition.ts";
import { checkSchemas } from "../../../src/domain/workflows/definition/check-schemas.ts";
import { definitionProblem } from "../../../src/domain/workflows/definition/definition-problem.ts";
import { validateDefinition } from "../../../src/domain/workflows/definition/validate-definition.ts";
import type { JsonValue } from "../../../src/lib/json/exact-json.ts";
import { greeting, greetingWith } from "../../support/sample-definitions.ts";

const end = (text: string) => {
  const [node, port] = text.split(".");
  return { node, port };
};
const link = (from: string, to: string) => ({ from: end(from), to: end(to) });
const text = (id: string) => ({ id, type: "input/text", parameters: { required: false } });
const node = (id: string, type: string, parameters: object = {}) => ({ id, type, parameters });
const out = { id: "out", type: "output/text" };

/** The greeting with more nodes and connections. */
const greetingAnd = (nodes: readonly object[], connections: readonly object[] = []) => ({
  nodes: [...greeting.nodes, ...nodes],
  connections: [...greeting.connections, ...connections],
});

const who = { key: "who", type: "text", bind: { node: "name" } };
/** The greeting with custom interfaces, each a changed copy of a valid one. */
const interfaces = (...changes: object[]) => ({
  ...greetingWith({ parameters: {} }),
  interfaces: changes.map((change) => ({
    name: "Short",
    fields: [who],
    outputs: [{ key: "out", node: "message" }],
    ...change,
  })),
});

const code = (type: string, constraints: object) => ({
  ...greetingAnd(
    [node("code", "image/code", { symbology: "qr" }), node("image", "output/image")],
    [link("line.text", "code.text"), link("code.image", "image.image")],
  ),
  interfaces: [
    {
      name: "Codes",
      fields: [
        who,
        {
          key: "p",
          type,
          required: false,
          constraints,
          bind: { node: "code", parameter: "module_shape" },
        },
      ],
      outputs: [],
    },
  ],
});

const templateOf = (id: string) =>
  node(id, "text/template", { template: "[x]", placeholders: [{ inputPort: "x" }] });

const TEMPLATE = `tpl_${"0".repeat(32)}`;
const printing = (parameters: object) => ({
  nodes: [node("print", "document/pdf", parameters), node("pdf", "output/document")],
  connections: [link("print.document", "pdf.document")],
});

/**
 * These need stored references, or inputs that no node of the catalog has; read-once.test.ts, references.test.ts,
 * template-nodes.test.ts, text-generation.test.ts and image-variants.test.ts test them.
 */
const NOT_OF_THE_CATALOG = [
  "AI_INPUT_MISSING",
  "AGGREGATE_INPUT_VARIES",
  "CONTROL_OUT_OF_RANGE",
  "CONTROL_UNSUPPORTED",
  "INVALID_MODEL_PARAMETER",
  "MODEL_NOT_AVAILABLE",
  "MODEL_NOT_SUPPORTED",
  "REFERENCE_NOT_FOUND",
  "UNKNOWN_EFFECT",
  "UNKNOWN_PRESET",
  "UNKNOWN_VOICE",
  "template_field_not_connected",
  "template_pin_failed",
  "template_revision_not_found",
] as const satisfies readonly IssueCode[];

/** For each other code of validation, a definition with that problem. */
const FAULTY: Readonly<Record<Exclude<IssueCode, (typeof NOT_OF_THE_CATALOG)[number]>, unknown>> = {
  CACHE_NO_EFFECT: {
    nodes: [
      { ...node("c", "utility/calculate", { expression: "1" }), cache: { mode: "read" } },
      out,
    ],
    connections: [link("c.text", "out.text")],
  },
  CALC_UNCONNECTED_VARIABLE: { nodes: [node("c", "utility/calculate", { expression: "x + 1" })] },
  CONNECTION_COUNT: greetingAnd(
    [node("pick", "utility/merge"), out],
    [
      ...Array.from({ length: 101 }, () => link("name.text", "pick.inputs")),
      link("pick.value", "out.text"),
    ],
  ),
  CONNECTION_TYPE_MISMATCH: greetingAnd(
    [node("file", "input/image", { required: false }), out],
    [link("file.image", "out.text")],
  ),
  CYCLE: greetingAnd(
    [templateOf("a"), templateOf("b"), out],
    [link("a.text", "b.x"), link("b.text", "a.x"), link("a.text", "out.text")],
  ),
  DEFINITION_TOO_LARGE: { nodes: Array.from({ length: 501 }, (_, i) => text(`n${i}`)) },
  DUPLICATE_KEY: greetingAnd(
    [node("a", "output/text", { key: "k" }), node("b", "output/text", { key: "k" })],
    [link("line.text", "a.text"), link("line.text", "b.text")],
  ),
  DUPLICATE_NODE_ID: greetingAnd([text("name")]),
  INTERFACE_DUPLICATE_ID: interfaces({ id: "int_a" }, { id: "int_a" }),
  INTERFACE_DUPLICATE_KEY: interfaces({
    fields: [who, { ...who, bind: { node: "line", parameter: "template" } }],
  }),
  INTERFACE_DUPLICATE_TARGET: interfaces({ fields: [who, { ...who, key: "again" }] }),
  INTERFACE_ENUM_WITHOUT_VALUES: interfaces({ fields: [{ ...who, type: "enum" }] }),
  INTERFACE_FIELD_IS_NEEDED: interfaces({ fields: [{ ...who, required: false }] }),
  INTERFACE_INVALID_CONSTRAINTS: interfaces({
    fields: [{ ...who, constraints: { min: 2, max: 1 } }],
  }),
  INTERFACE_INVALID_DEFAULT: interfaces({ fields: [{ ...who, default_value: "x" }] }),
  INTERFACE_INVALID_ID: interfaces({ id: "default" }),
  INTERFACE_NOT_AN_INPUT: interfaces({ fields: [{ ...who, bind: { node: "line" } }] }),
  INTERFACE_PARAMETER_NOT_EXPOSABLE: interfaces({
    fields: [{ ...who, bind: { node: "line", parameter: "placeholders" } }],
  }),
  INTERFACE_REQUIRED_INPUT_UNBOUND: interfaces({ fields: [] }),
  INTERFACE_TWO_DEFAULTS: interfaces({ is_default: true }, { is_default: true }),
  INTERFACE_TYPE_MISMATCH: interfaces({ fields: [{ ...who, type: "number" }] }),
  INTERFACE_UNKNOWN_NODE: interfaces({ fields: [{ ...who, bind: { node: "nobody" } }] }),
  INTERFACE_UNKNOWN_OUTPUT: interfaces({ outputs: [{ key: "out", node: "nobody" }] }),
  INTERFACE_VALUE_NOT_ALLOWED: code("enum", { allowed_values: ["wobbly"] }),
  INVALID_FIELD: { ...greeting, settings: [] },
  INVALID_PARAMETER: greetingWith({ parameters: { max_length: -1 } }),
  INVALID_SCHEMA: {
    nodes: [node("j", "input/json_value", { schema: { type: "no type" } })],
  },
  INVALID_TEXT: greetingWith({ label: "\udc00" }),
  MERGE_PDF_ITERATED: greetingAnd(
    [
      node("range", "enumerate/range", { start: 1, end: 3, step: 1 }),
      templateOf("address"),
      node("file", "utility/media_from_url", { media_type: "document" }),
      node("join", "utility/merge_pdf"),
      node("pdf", "output/document"),
    ],
    [
      link("range.value", "address.x"),
      link("address.text", "file.url"),
      link("file.media", "join.documents"),
      link("join.document", "pdf.document"),
    ],
  ),
  MERGE_SCOPE_MISMATCH: greetingAnd(
    [
      node("range", "enumerate/range", { start: 1, end: 3, step: 1 }),
      node("pick", "utility/merge"),
      node("list", "aggregate/text"),
    ],
    [
      link("range.value", "pick.inputs"),
      link("name.text", "pick.inputs"),
      link("pick.value", "list.text"),
    ],
  ),
  NO_OUTPUT: { nodes: [text("a")] },
  PORT_ALREADY_CONNECTED: greetingAnd([], [link("name.text", "message.text")]),
  PORT_NOT_CONNECTED: greetingAnd([out]),
  REQUIRED_FIELD: greetingAnd([{ type: "input/text" }]),
  SCHEMA_OPERATION_LIMIT: {
    nodes: [node("j", "input/json_value", { schema: { $ref: "#" }, default: 1 })],
  },
  TEXT_TEMPLATE_MISSING_TEMPLATE: greetingAnd(
    [node("t", "text/template"), out],
    [link("t.text", "out.text")],
  ),
  UNKNOWN_FIELD: { ...greeting, version: 3 },
  TIMELINE_SCOPE_MISMATCH: {
    nodes: [
      text("id"),
      node("file", "input/audio"),
      node("seconds", "input/number"),
      node("each", "enumerate/range", { start: 1, end: 2 }),
      node("line", "aggregate/audio_timeline"),
      node("sound", "output/audio"),
    ],
    connections: [
      link("file.audio", "line.clips"),
      link("id.text", "line.cue_id"),
      link("seconds.number", "line.start"),
      link("each.value", "line.end"),
      link("line.audio", "sound.audio"),
    ],
  },
  UNKNOWN_NODE: greetingAnd([], [link("zzzzzzzzzzzz.text", "message.text")]),
  UNKNOWN_NODE_TYPE: greetingAnd([node("x", "zzzzzzzzzz/zzzzzzzzzzz")]),
  UNUSED_NODE: greetingAnd([text("idle")]),
  internal_template_parameter: printing({ template_id: TEMPLATE, contentHash: "sha256:0" }),
  invalid_template_id: printing({ template_id: "label" }),
  invalid_template_revision: printing({ template_id: TEMPLATE, template_revision: 0 }),
  missing_template_id: printing({}),
  template_not_found: printing({ template_id: TEMPLATE }),
  invalid_dynamic_config: {
    nodes: [node("range", "enumerate/range", { start: 1, end: 3, step: 0 })],
  },
  unknown_port: greetingAnd([out], [link("line.zzzzzzzzzz", "out.text")]),
};

/** As returned by validate and publish. */
async function problemsOf(definition: unknown) {
  const checked = checkDefinition(definition as JsonValue);
  const issues = [...checked.errors, ...(await checkSchemas(checked)), ...checked.warnings];
  return issues.map((issue) => definitionProblem(issue));
}

describe("a definition's problems", () => {
  test.each(Object.entries(FAULTY) as [IssueCode, unknown][])(
    "of code %s have a suggestion",
    async (code, definition) => {
      const found = await problemsOf(definition);
      expect(found.map((problem) => problem.code)).toContain(code);
      for (const { suggestion } of found) {
        expect(suggestion).toMatch(/^[A-Z].{10,}[.?]$/);
      }
    },
  );

  test("only have codes with a suggestion, none of which is empty", () => {
    const known = [...Object.keys(FAULTY), ...NOT_OF_THE_CATALOG];
    expect(known.toSorted()).toEqual(Object.keys(ISSUE_SUGGESTIONS).toSorted());
    for (const suggestion of Object.values(ISSUE_SUGGESTIONS)) {
      expect(suggestion).toMatch(/^[A-Z].{10,}\.$/);
    }
  });

  test("of a near miss suggest the intended name, not the sentence of the code", async () => {
    const found = await problemsOf(greetingAnd([], [link("nam.text", "message.text")]));
    expect(found).toMatchObject([{ code: "UNKNOWN_NODE", suggestion: 'Did you mean "name"?' }]);
  });

  test.each([
    ["half a surrogate pair", "\udc00"],
    ["more text than a definition holds", "x".repeat(2 ** 21)],
  ])("found before anything is read have a suggestion: %s", async (_name, label) => {
    const { errors } = await validateDefinition(greetingWith({ label }) as JsonValue, () =>
      Promise.resolve([]),
    );
    expect(errors).toHaveLength(1);
    expect(errors[0]).toMatchObject({ path: "", suggestion: expect.stringMatching(/.{10,}/) });
  });

  test("distinguish two invalid connections to the same node", async () => {
    const definition = greetingAnd(
      [
        node("file", "input/image", { required: false }),
        templateOf("t"),
        {
          ...templateOf("both"),
          parameters: {
            template: "[a][b]",
            placeholders: [{ inputPort: "a" }, { inputPort: "b" }],
          },
        },
        out,
      ],
      [
        { from: 5, to: end("t.x") },
        link("file.image", "both.a"),
        link("file.image", "both.b"),
        link("both.text", "out.text"),
      ],
    );
    const found = await problemsOf(definition);
    const mismatches = found.filter(({ code }) => code === "CONNECTION_TYPE_MISMATCH");
    // An unreadable one is before them: the paths count it.
    expect(mismatches.map(({ path, field, node_id: id }) => [path, field, id])).toEqual([
      ["connections[3]", "connections[3]", "both"],
      ["connections[4]", "connections[4]", "both"],
    ]);
  });
});
