import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import type {
  Rendered,
  RenderFailure,
  RenderRequest,
} from "../../../src/contracts/templates/renderer.ts";
import { canonicalJson } from "../../../src/lib/json/canonical-json.ts";
import type { JsonValue } from "../../../src/lib/json/exact-json.ts";
import { sha256Hex } from "../../../src/lib/sha256.ts";

const guid = (n: number) => `00000000-0000-4000-8000-${String(n).padStart(12, "0")}`;

const field = (n: number, code: string, more: object = {}) => ({
  id: guid(n),
  name: code,
  code,
  placeholderType: "text",
  ...more,
});

const DOCUMENT = {
  schemaVersion: "2.0",
  metadata: { title: "Label" },
  pages: [
    {
      id: guid(1),
      width: 200,
      height: 100,
      elements: [
        {
          $type: "text",
          id: guid(2),
          left: 10,
          top: 10,
          width: 180,
          height: 30,
          text: "Name",
          fontSize: 20,
          placeholder: field(3, "name", { required: true }),
        },
        {
          $type: "image",
          id: guid(4),
          left: 10,
          top: 50,
          width: 20,
          height: 20,
          placeholder: field(5, "logo", { placeholderType: "image" }),
        },
      ],
    },
    { id: guid(6), width: 100, height: 200, elements: [] },
  ],
} satisfies JsonValue;

const PNG =
  "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==";

type Change = Partial<Omit<RenderRequest, "options">> & {
  readonly options?: Partial<RenderRequest["options"]>;
  readonly document?: JsonValue;
};

async function render(
  values: object,
  { options, document = DOCUMENT, ...more }: Change = {},
): Promise<Rendered | RenderFailure> {
  return await env.RENDERER.render({
    v: 1,
    workspace_id: "ws_00000000000000000000000000000001",
    template: {
      template_id: "tpl_00000000000000000000000000000001",
      revision: null,
      version_id: null,
      content_hash: `sha256:${await sha256Hex(canonicalJson(document))}`,
      changed_at_ms: 0,
      font_pins: [],
      document: { text: JSON.stringify(document) },
    },
    values: JSON.stringify(values),
    unknown_values: "refuse",
    options: {
      missing_policy: "fail_required",
      overflow_policy: "template",
      max_repeat: null,
      page_selection: "all",
      pdf_export_mode: "standard",
      color_profile_guid: null,
      max_page_dimension: 400,
      ...options,
    },
    has_pdf: true,
    images: "all",
    may_queue: true,
    ...more,
  });
}

async function made(
  ...given: Parameters<typeof render>
): Promise<Rendered & { bytes: Uint8Array }> {
  const rendered = await render(...given);
  if (!rendered.ok) {
    throw new Error(`${rendered.code}: ${rendered.message}`);
  }
  return { ...rendered, bytes: await new Response(rendered.body).bytes() };
}

const text = (bytes: Uint8Array) => new TextDecoder("latin1").decode(bytes);

describe("a render", () => {
  it("returns the PDF, the page images and the report of one layout", async () => {
    const { pdf, pages, report, bytes, checks } = await made({ name: "Zoë", logo: PNG });
    expect(report).toMatchObject({
      status: "ok",
      page_count: 2,
      characters_total: 3,
      characters_printed: 3,
      images_loaded: 1,
      fonts_substituted: [],
    });
    expect(checks).toEqual([]);
    expect(text(bytes.subarray(0, pdf!.size_bytes))).toMatch(/^%PDF-1\.7[^]*%%EOF\s*$/);
    expect(pages.map(({ image }) => [image?.width, image?.height])).toEqual([
      [400, 200],
      [200, 400],
    ]);
    let at = pdf!.size_bytes;
    for (const { image } of pages) {
      expect(text(bytes.subarray(at + 1, at + 4))).toBe("PNG");
      at += image!.size_bytes;
    }
    expect(at).toBe(bytes.byteLength);
  });

  it("has the same bytes each time, and others for other values", async () => {
    const [one, two, other] = [
      await made({ name: "A" }, { images: "none" }),
      await made({ name: "A" }, { images: "none" }),
      await made({ name: "B" }, { images: "none" }),
    ];
    expect(one.pdf).toEqual(two.pdf);
    expect(other.pdf!.sha256).not.toBe(one.pdf!.sha256);
  });

  it("selects pages, which are numbered as in the whole", async () => {
    const { pages, page_count } = await made(
      { name: "A" },
      { options: { page_selection: "2" }, images: "first", has_pdf: false },
    );
    expect(page_count).toBe(2);
    expect(pages.map(({ page_number, image }) => [page_number, image?.height])).toEqual([[2, 400]]);
  });

  it.each<[string, object, Change, object]>([
    [
      "a required field that is not given",
      {},
      {},
      { code: "failed", errors: [{ field: "values.name", code: "MISSING_REQUIRED_FIELD" }] },
    ],
    [
      "a value of another type",
      { name: [] },
      {},
      { code: "invalid_values", errors: [{ field: "values.name", code: "INVALID_FIELD_VALUE" }] },
    ],
    [
      "a value without a field",
      { name: "A", nme: "B" },
      {},
      { code: "invalid_values", errors: [{ field: "values.nme", code: "UNKNOWN_FIELD" }] },
    ],
    [
      "a page that is not there",
      { name: "A" },
      { options: { page_selection: "3" } },
      { code: "page_selection" },
    ],
    [
      "a selection of another form",
      { name: "A" },
      { options: { page_selection: "3-1" } },
      { code: "page_selection" },
    ],
    [
      "a document that is not valid",
      {},
      { document: { schemaVersion: "2.0", pages: [] } },
      { code: "unavailable" },
    ],
  ])("fails for %s, and the next render is made", async (_what, values, change, expected) => {
    expect(await render(values, change)).toMatchObject({
      ok: false,
      may_retry: false,
      ...expected,
    });
    expect((await made({ name: "A" }, { images: "none" })).report.status).toBe("ok");
  });

  it("refuses a document whose hash is another's", async () => {
    const broken = await render(
      { name: "A" },
      {
        template: {
          template_id: "tpl_1",
          revision: 1,
          version_id: "tplv_1",
          content_hash: `sha256:${"0".repeat(64)}`,
          changed_at_ms: 0,
          font_pins: [],
          document: { text: JSON.stringify(DOCUMENT) },
        },
      },
    );
    expect(broken).toMatchObject({ ok: false, code: "unavailable" });
  });

  it.each<[string, string, string]>([
    ["an asset that is not there", "storage://nowhere.png", "not_found"],
    ["a private address", "https://127.0.0.1/a.png", "refused"],
    ["another scheme", "ftp://example.com/a.png", "refused"],
    ["bytes of another kind", `data:image/png;base64,${btoa("no picture")}`, "unreadable"],
    ["a data address without base64", "data:image/png,abc", "unsupported"],
    [
      "another workspace's output",
      `ws_${"2".repeat(32)}/runs/run_${"3".repeat(32)}/${"x".repeat(43)}/a.png`,
      "not_found",
    ],
  ])("prints without %s and says why", async (_what, logo, reason) => {
    const { report, checks } = await made({ name: "A", logo }, { images: "none" });
    expect(report).toMatchObject({ status: "warnings", images_failed: 1, images: [{ reason }] });
    expect(checks.map(({ code }) => code)).toEqual(["image_failed"]);
  });

  it("ignores values without a field where it is asked to, and reports them", async () => {
    const { report } = await made(
      { name: "A", more: 1 },
      { unknown_values: "ignore", images: "none" },
    );
    expect(report.values_ignored).toEqual(["more"]);
  });

  it("opens the fonts that a text needs, and prints in Noto Sans what has no family", async () => {
    const element = (n: number, more: object) => ({
      $type: "text",
      id: guid(n),
      left: 0,
      top: 20 * (n - 10),
      width: 200,
      height: 20,
      ...more,
    });
    const document = {
      schemaVersion: "2.0",
      pages: [
        {
          id: guid(1),
          width: 200,
          height: 200,
          elements: [
            element(10, { text: "Oswald", fontFamily: "oswald", fontWeight: 700 }),
            element(11, { text: "Nobody", fontFamily: "Nobody's" }),
            element(12, { text: "😀" }),
          ],
        },
      ],
    };
    const { report } = await made({}, { document, images: "none" });
    expect(report.fonts_substituted).toEqual(["Nobody's"]);
    expect(report.glyphs).toEqual([{ character: "U+1F600", count: 1 }]);
  });

  it("takes no part of the isolate's memory when it is over", async () => {
    await made({ name: "A", logo: PNG });
    const state = await env.RENDERER.describe({ v: 1 });
    expect(state).toMatchObject({ is_rendering: false, waiting: 0, taken_bytes: 0 });
    expect(state.kept_bytes).toBeGreaterThan(0);
  });
});
