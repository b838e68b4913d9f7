/** Definitions with nodes that print templates: ports, and the codes of docs/contract/templates.md#nodes. */
import { describe, expect, test } from "vitest";
import type { Reference, ResolvedReference } from "../../../src/contracts/references.ts";
import type { ReferencedField } from "../../../src/contracts/templates/template-reference.ts";
import { checkWithReferences } from "../../../src/domain/workflows/definition/check-definition.ts";
import type { JsonValue } from "../../../src/lib/json/exact-json.ts";

const ID = `tpl_${"a".repeat(32)}`;
const GUID = "0b1f4c52-6d1c-4d55-9a36-00000000000f";
const field = (code: string, more: Partial<ReferencedField> = {}): ReferencedField => ({
  code,
  type: "text",
  required: false,
  has_default: false,
  ...more,
});
const FIELDS = [
  field("name", { required: true }),
  field("title", { required: true, has_default: true }),
  field("price", { type: "number" }),
  field("logo", { type: "image" }),
  field("rows", { type: "list" }),
];

/** A workspace with one template that has these references. */
const store =
  (revisions: readonly (string | null)[]) =>
  (references: readonly Reference[]): Promise<ResolvedReference[]> =>
    Promise.resolve(
      references
        .filter(
          ({ kind, id, revision }) =>
            (id === ID && revisions.includes(revision)) ||
            (kind === "color_profile" && id.toLowerCase() === GUID),
        )
        .map((reference) => ({
          ...reference,
          version: `v ${String(reference.revision)}`,
          content: { template_id: ID, fields: FIELDS } as unknown as JsonValue,
        })),
    );
const REVISIONS = [1, 2].flatMap((n) => [`pinned:${n}`, `published:${n}`]);
const WHOLE = store(["any", "current", "1", "1+", null, ...REVISIONS]);

interface Graph {
  readonly nodes?: readonly object[];
  /** `from.port > to.port`. */
  readonly links?: readonly string[];
}

function definition(type: string, parameters: object, { nodes = [], links = [] }: Graph = {}) {
  const end = (text: string) => {
    const [node, port] = text.split(".");
    return { node, port };
  };
  const out = type === "design/template_render" ? "print.pdf" : "print.document";
  return {
    nodes: [
      { id: "text", type: "input/text" },
      ...nodes,
      { id: "print", type, parameters },
      { id: "out", type: "output/document" },
    ],
    connections: [...links, `${out} > out.document`].map((each) => {
      const [from = "", to = ""] = each.split(" > ");
      return { from: end(from), to: end(to) };
    }),
  } as unknown as JsonValue;
}

async function issues(given: JsonValue, resolve = WHOLE) {
  const { errors } = await checkWithReferences(given, resolve);
  return errors.map(({ code, path }) => `${code} ${path}`);
}

const pdf = (parameters: object = {}, graph: Graph = { links: ["text.text > print.name"] }) =>
  definition("document/pdf", { template_id: ID, ...parameters }, graph);
const render = (parameters: object = {}, graph?: Graph) =>
  definition("design/template_render", { template_id: ID, ...parameters }, graph);

describe("a node that prints a template", () => {
  test("has a port for each field, of the field's type", async () => {
    expect(await issues(pdf())).toEqual([]);
    const links = ["text.text > print.name", "text.text > print.price"];
    expect(await issues(pdf({}, { links }))).toEqual(["CONNECTION_TYPE_MISMATCH connections[1]"]);
    const unknown = { links: ["text.text > print.name", "text.text > print.nome"] };
    const { errors } = await checkWithReferences(pdf({}, unknown), WHOLE);
    expect(errors).toMatchObject([{ code: "unknown_port", node_id: "print" }]);
    expect(errors[0]!.message).toContain('"name", "title", "price", "logo", "rows"');
  });

  test("needs a connection for required fields without a default, except design/template_render", async () => {
    const missing = ["template_field_not_connected nodes[1].parameters.template_id"];
    expect(await issues(pdf({}, {}))).toEqual(missing);
    expect(await issues(pdf({ missing_policy: "use_template_default" }, {}))).toEqual(missing);
    expect(await issues(definition("aggregate/pdf", { template_id: ID }))).toEqual(missing);
    expect(await issues(render())).toEqual([]);
  });

  test.each<[string, object, string]>([
    ["no id", { template_id: "" }, "missing_template_id nodes[1].parameters.template_id"],
    ["another id", { template_id: "x" }, "invalid_template_id nodes[1].parameters.template_id"],
    [
      "revision 0",
      { template_revision: 0 },
      "invalid_template_revision nodes[1].parameters.template_revision",
    ],
    [
      "a text as revision",
      { template_revision: "1" },
      "invalid_template_revision nodes[1].parameters.template_revision",
    ],
    [
      "what the service keeps",
      { contractHash: "x" },
      "internal_template_parameter nodes[1].parameters.contractHash",
    ],
    [
      "PDF/X-4 without a profile",
      { pdf_export_mode: "pdfx4" },
      "INVALID_PARAMETER nodes[1].parameters.color_profile_guid",
    ],
    [
      "a profile that is not there",
      { pdf_export_mode: "pdfx4", color_profile_guid: GUID.replace("1", "2") },
      "INVALID_PARAMETER nodes[1].parameters.color_profile_guid",
    ],
    [
      "a profile that is not a GUID",
      { pdf_export_mode: "pdfx4", color_profile_guid: "FOGRA39" },
      "INVALID_PARAMETER nodes[1].parameters.color_profile_guid",
    ],
  ])("reports %s", async (_what, parameters, issue) => {
    expect(await issues(render(parameters))).toEqual([issue]);
    expect(await issues(pdf(parameters))).toEqual([issue]);
  });

  test("reports a template or a revision that is not there, each once", async () => {
    const lost = ["template_not_found nodes[1].parameters.template_id"];
    expect(await issues(pdf(), store([]))).toEqual(lost);
    expect(await issues(pdf({ template_revision: 1 }), store([]))).toEqual(lost);
    expect(await issues(render(), store(["any", null]))).toEqual(lost);
    expect(await issues(render({ template_revision: 2 }))).toEqual([
      "template_revision_not_found nodes[1].parameters.template_revision",
    ]);
  });

  test("follows compatible revisions if it is told to", async () => {
    const follows = { template_revision: 1, template_version_policy: "latest_compatible" };
    expect(await issues(render(follows), store([...REVISIONS, "1+"]))).toEqual([]);
    expect(await issues(render(follows), store([...REVISIONS, "1"]))).toHaveLength(1);
  });

  test("prints PDF/X-4 with a profile of the workspace; without PDF/X-4 nobody asks for the profile", async () => {
    const x4 = { pdf_export_mode: "pdfx4", color_profile_guid: GUID };
    expect(await issues(pdf(x4))).toEqual([]);
    expect(await issues(render(x4))).toEqual([]);
    expect(await issues(pdf({ ...x4, color_profile_guid: GUID.toUpperCase() }))).toEqual([]);
    const unused = { color_profile_guid: GUID.replace("1", "2") };
    expect(await issues(pdf(unused))).toEqual([]);
  });

  test("prints no PDF/X-4 with pages of another PDF", async () => {
    const x4 = { template_id: ID, pdf_export_mode: "pdfx4", color_profile_guid: GUID };
    const nodes = [{ id: "cover", type: "input/document" }];
    const links = ["text.text > print.name"];
    expect(await issues(definition("aggregate/pdf", x4, { nodes, links }))).toEqual([]);
    for (const port of ["introPdf", "outroPdf"]) {
      const copied = [...links, `cover.document > print.${port}`];
      expect(await issues(definition("aggregate/pdf", x4, { nodes, links: copied }))).toEqual([
        "INVALID_PARAMETER nodes[2].parameters.pdf_export_mode",
      ]);
    }
  });

  test("takes one page for an image", async () => {
    const image = (page_selection: string) => issues(render({ output: "image", page_selection }));
    expect(await image("2")).toEqual([]);
    expect(await image("1-2")).toEqual(["INVALID_PARAMETER nodes[1].parameters.page_selection"]);
    expect(await issues(render({ page_selection: "1, 2" }))).toHaveLength(1);
  });

  test("takes no cover that varies over the items that it joins", async () => {
    const graph = {
      nodes: [
        { id: "each", type: "enumerate/range", parameters: { start: 1, end: 2, step: 1 } },
        { id: "cover", type: "document/pdf", parameters: { template_id: ID } },
      ],
      links: [
        "each.value > cover.name",
        "each.value > print.name",
        "cover.document > print.introPdf",
      ],
    };
    const given = definition("aggregate/pdf", { template_id: ID }, graph);
    expect(await issues(given)).toEqual(["invalid_dynamic_config connections[2]"]);
  });
});
