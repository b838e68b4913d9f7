/** Nodes that print templates: what they ask the renderer for, and what they make of its answer. */
import { describe, expect, test } from "vitest";
import { LayoutReport } from "../../../src/contracts/templates/layout-report.ts";
import { PagesManifest } from "../../../src/contracts/templates/pages-manifest.ts";
import { QualityCheck } from "../../../src/contracts/quality-check.ts";
import type { ReferencedTemplate } from "../../../src/contracts/templates/template-reference.ts";
import type { JsonValue } from "../../../src/lib/json/exact-json.ts";
import { FileRef } from "../../../src/lib/files/file-ref.ts";
import type {
  CollectedRender,
  OneRender,
  StoredRender,
} from "../../../src/nodes/define-template-tools.ts";
import type { TaskContext } from "../../../src/nodes/define-tools.ts";
import { failureOf, inputsOf, nodeOf, type Ports } from "./run-node.ts";
import { readElements } from "../../support/executor/read-elements.ts";

const ID = `tpl_${"a".repeat(32)}`;
const field = (code: string, type: ReferencedTemplate["fields"][number]["type"]) => ({
  code,
  type,
  required: false,
  has_default: false,
});
const TEMPLATE: ReferencedTemplate = {
  template_id: ID,
  name: "Label",
  status: "published",
  revision: 3,
  version_id: "tplv_1",
  content_hash: "sha256:0",
  contract_hash: "sha256:0",
  changed_at_ms: 0,
  document_key: "ws_1/templates/document",
  font_pins: [],
  fields: [field("name", "text"), field("logo", "image"), field("price", "number")],
};

const REPORT: LayoutReport = LayoutReport.parse({
  ...Object.fromEntries(
    Object.entries(LayoutReport.shape).map(([name, type]) => [
      name,
      type.safeParse([]).success ? [] : 0,
    ]),
  ),
  schema: "svc.template-layout-report/v1",
  status: "ok",
  template_id: ID,
  revision: 3,
  version_id: "tplv_1",
});

const file = (name: string, contentType: string) =>
  new FileRef({
    key: `ws_1/runs/${name}`,
    name,
    contentType,
    sizeBytes: 5,
    sha256: "0".repeat(64),
  });
const PDF = file("a.pdf", "application/pdf");
const PNG = file("a.png", "image/png");

function stored(changes: Partial<StoredRender> = {}): StoredRender {
  const page = { page_number: 1, page_id: "p", label: "1", width: 200, height: 100 };
  return {
    pageCount: 2,
    report: REPORT,
    pages: [{ ...page, image: { file: PNG, width: 400, height: 200 } }],
    pdf: PDF,
    ...changes,
  };
}

/** A renderer that notes what it is asked for. */
function rendererOf(made = stored(), template: ReferencedTemplate = TEMPLATE) {
  const asked: OneRender[] = [];
  const collected: (CollectedRender & { readonly values: object[] })[] = [];
  const context = (unread: readonly string[] = []) =>
    ({
      references: new Map([["template_revision", { content: template }]]),
      unreadPorts: new Set(unread),
      templates: {
        render: (request: OneRender) => {
          asked.push(request);
          return Promise.resolve(made);
        },
        collect: async (request: CollectedRender) => {
          const values: object[] = [];
          for await (const one of request.documents) {
            values.push(Object.fromEntries(one));
          }
          collected.push({ ...request, values });
          return { document: values.length === 0 ? undefined : PDF, count: values.length };
        },
      },
    }) as unknown as TaskContext;
  return { asked, collected, context };
}

async function run(type: string, ports: Ports, params: object = {}, ctx = rendererOf().context()) {
  const node = nodeOf(type);
  if (node.role !== "transform") {
    throw new Error(`${type} is not a transform`);
  }
  const parsed = node.params.parse({ template_id: ID, ...params });
  return Object.fromEntries(await node.run(ctx, inputsOf(ports), parsed));
}

const RENDER = "design/template_render";

describe("the values of design/template_render", () => {
  const valuesOf = async (ports: Ports) => {
    const renderer = rendererOf();
    await run(RENDER, ports, {}, renderer.context());
    return Object.fromEntries(renderer.asked[0]!.values);
  };

  test("are those of field ports, over assets, over data in the order of its indices", async () => {
    const ports: Ports = {
      data: { name: "data", logo: "data", price: 1, more: [1] },
      data_10: { name: "data_10", price: null },
      data_2: { name: "data_2", more: [2] },
      assets: { logo: "assets", other: "kept" },
    };
    expect(await valuesOf(ports)).toEqual({
      name: "data_10",
      logo: "assets",
      price: null,
      more: [2],
      other: "kept",
    });
    expect(await valuesOf({ ...ports, name: "port", logo: PNG })).toMatchObject({
      name: "port",
      logo: PNG,
    });
  });

  test("must be objects, with pictures only in assets", async () => {
    const code = (ports: Ports) => failureOf(() => run(RENDER, ports));
    expect(await code({ data: [1] as JsonValue })).toBe("INVALID_FIELD_VALUE");
    expect(await code({ assets: { name: "x" } })).toBe("INVALID_FIELD_VALUE");
    expect(await code({ data: null })).toBe("ok");
  });
});

describe("design/template_render", () => {
  test("fills the ports of its output, and always the three reports", async () => {
    const outputs = await run(RENDER, {}, { output: "both" });
    expect(outputs).toMatchObject({ pdf: PDF, image: PNG, layout_report: REPORT });
    expect(PagesManifest.parse(outputs["pages_manifest"])).toMatchObject({
      template_id: ID,
      revision: 3,
      page_count: 2,
      pages: [{ page_number: 1, image: { storage_ref: "storage://ws_1/runs/a.png", width: 400 } }],
      pdf: { storage_ref: "storage://ws_1/runs/a.pdf", page_count: 1, size_bytes: 5 },
    });
    const nothing = rendererOf(stored({ pdf: null, pages: [] }));
    expect(Object.keys(await run(RENDER, {}, {}, nothing.context())).toSorted()).toEqual([
      "layout_report",
      "pages_manifest",
      "quality_check",
    ]);
  });

  test("states no digest that it does not know", async () => {
    const { key, name, contentType, sizeBytes } = PDF;
    const undigested = new FileRef({ key, name, contentType, sizeBytes });
    const renderer = rendererOf(stored({ pdf: undigested }));
    await expect(run(RENDER, {}, { output: "both" }, renderer.context())).rejects.toThrow(
      TypeError,
    );
  });

  test("stores its files by themselves only if something reads the manifest that names them", async () => {
    const renderer = rendererOf();
    await run(RENDER, {}, {}, renderer.context());
    const outputs = await run(RENDER, {}, {}, renderer.context(["pages_manifest"]));
    expect(renderer.asked.map(({ isReferred }) => isReferred)).toEqual([true, false]);
    expect(outputs["pages_manifest"]).toBeUndefined();
  });

  test("passes its quality check only without errors; warnings do not fail it", async () => {
    const checkOf = async (changes: Partial<LayoutReport>) => {
      const renderer = rendererOf(stored({ report: { ...REPORT, ...changes } }));
      const { quality_check } = await run(RENDER, {}, {}, renderer.context());
      const { passed, checks } = QualityCheck.parse(quality_check);
      return [passed, checks.filter((one) => !one.passed).map(({ id }) => id)];
    };
    expect(await checkOf({})).toEqual([true, []]);
    expect(await checkOf({ texts_cut: 1 })).toEqual([false, ["text_fit"]]);
    expect(await checkOf({ rows_left_out: 2 })).toEqual([false, ["lists_complete"]]);
    expect(await checkOf({ images_failed: 1 })).toEqual([false, ["images_loaded"]]);
    expect(
      await checkOf({ links_left_out: 1, missing_glyphs: 1, fonts_substituted: ["X"] }),
    ).toEqual([true, ["links_valid", "glyphs_present", "fonts_found"]]);
  });
});

describe("document/pdf", () => {
  test("takes field ports only, and prints all pages as a PDF", async () => {
    const renderer = rendererOf();
    const outputs = await run("document/pdf", { name: "A" }, { max_repeat: 5 }, renderer.context());
    expect(outputs).toEqual({ document: PDF });
    expect(renderer.asked[0]).toMatchObject({
      template: TEMPLATE,
      output: "pdf",
      isReferred: false,
      fileName: "document.pdf",
      options: { missing_policy: "fail_required", page_selection: "all", max_repeat: 5 },
    });
    expect(Object.fromEntries(renderer.asked[0]!.values)).toEqual({ name: "A" });
  });
});

describe("a template that is not what the workflow has pinned", () => {
  test.each([RENDER, "document/pdf"])("is not printed by %s", async (type) => {
    const gone = rendererOf(stored(), { ...TEMPLATE, unavailable: "It is gone." });
    expect(await failureOf(() => run(type, { name: "A" }, {}, gone.context()))).toBe(
      "TEMPLATE_NOT_AVAILABLE",
    );
    expect(gone.asked).toEqual([]);
  });

  test("fails for the value of a field that its draft has lost, and only for that", async () => {
    const draft = rendererOf(stored(), { ...TEMPLATE, revision: null, lost_fields: ["logo"] });
    const print = (ports: Ports) => run("document/pdf", ports, {}, draft.context());
    expect(await failureOf(() => print({ name: "A", logo: PNG }))).toBe("TEMPLATE_FIELD_UNKNOWN");
    expect(await failureOf(() => print({ name: "A" }))).toBe("ok");
  });
});

describe("aggregate/pdf", () => {
  async function combine(elements: readonly Ports[], once: Ports = {}) {
    const node = nodeOf("aggregate/pdf");
    if (node.role !== "aggregator" || node.placement !== "task") {
      throw new Error("It is not a task.");
    }
    const renderer = rendererOf();
    const params = node.params.parse({ template_id: ID });
    const read = readElements({
      elements: elements.map((ports, place) => ({ inputs: inputsOf(ports), place })),
      failed: 0,
    });
    const made = await node.combine(renderer.context(), read, inputsOf(once), params);
    return { outputs: Object.fromEntries(made), ...renderer };
  }

  test("prints a document for each element, between the intro and the outro", async () => {
    const { outputs, collected } = await combine([{ name: "A" }, {}, { name: "C", logo: PNG }], {
      introPdf: PDF,
    });
    expect(outputs).toEqual({ document: PDF, count: 3 });
    expect(collected[0]).toMatchObject({
      values: [{ name: "A" }, {}, { name: "C", logo: PNG }],
      intro: PDF,
      outro: undefined,
    });
  });

  test("has no document if there is nothing to print", async () => {
    expect((await combine([])).outputs).toEqual({ count: 0 });
  });
});
