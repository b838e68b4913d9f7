/** SVG import and palettes over the API (docs/contract/templates.md#svg-import, #palette). */
import { beforeAll, describe, expect, test } from "vitest";
import { newCaller, type Reply } from "../../support/api-caller.ts";
import {
  artworkElement,
  documentOf,
  fieldElement,
  guid,
  SMALL_DRAWING,
  TemplateApi,
} from "../../support/templates/template-api.ts";

let api: TemplateApi;

beforeAll(async () => {
  api = new TemplateApi(await newCaller());
});

const PAGE = guid(1);
const code = ({ status, json }: Reply) => [status, json?.code];
const drawing = (body: string, attributes = 'viewBox="0 0 40 20"') =>
  `<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" ${attributes}>${body}</svg>`;
const write = (path: string, json: object) =>
  api.send("POST", path, { headers: { "if-match": "*" }, json });
const importSvg = (id: string, svg: string, more: object = {}) =>
  write(`${id}/draft/svg-imports`, { page_id: PAGE, mode: "preserved", svg, ...more });

describe("a preserved import", () => {
  test("is one artwork with the cleaned source, in the box or in the drawing's own size", async () => {
    const { id } = await api.made();
    const svg = drawing(
      '<title>Flag</title><metadata>x</metadata><rect width="40" height="20"/>',
      'width="40" height="20"',
    );
    const { status, json, headers } = await importSvg(id, svg);
    expect([status, `"${json.draft_etag}"`]).toEqual([201, headers.get("etag")]);
    expect(json.report).toEqual({ objects: 1, notes: [] });
    expect(json.element).toEqual({
      id: expect.any(String),
      $type: "svg_artwork",
      name: "Flag",
      left: 0,
      top: 0,
      width: 30,
      height: 15,
      svg: '<svg preserveAspectRatio="xMidYMid meet" xmlns="http://www.w3.org/2000/svg" width="40" height="20"><title>Flag</title><rect width="40" height="20"/></svg>',
    });
    const { json: content } = await api.get(`${id}/draft/content`);
    expect(content.pages[0].elements).toEqual([json.element]);
    const boxed = await importSvg(id, svg, { name: "Mine", left: 5, top: 6, width: 80 });
    expect(boxed.json.element).toMatchObject({
      name: "Mine",
      left: 5,
      top: 6,
      width: 80,
      height: 40,
    });
  });

  test("goes into a group, and nowhere else than into what holds elements", async () => {
    const group = { $type: "group", id: guid(5), width: 9, height: 9, children: [] };
    const { id } = await api.made(documentOf(group, fieldElement("a", 2)));
    const into = (more: object) => importSvg(id, SMALL_DRAWING, more);
    expect((await into({ parent_id: guid(5) })).status).toBe(201);
    const { json: content } = await api.get(`${id}/draft/content`);
    expect(content.pages[0].elements[0].children).toHaveLength(1);
    expect(code(await into({ parent_id: guid(2) }))).toEqual([400, "validation_error"]);
    expect(code(await into({ parent_id: guid(0xfff) }))).toEqual([404, "not_found"]);
    expect(code(await into({ page_id: guid(0xfff) }))).toEqual([404, "page_not_found"]);
  });

  test("names all that is refused, in the drawing's order, and changes nothing", async () => {
    const { id, etag } = await api.made();
    const refused = await importSvg(
      id,
      drawing(
        '<g/><g><image href="data:image/png;base64,AAAA"/><rect onclick="a()" width="1" height="1"/><script/></g><animate/>',
      ),
    );
    expect(code(refused)).toEqual([422, "svg_import_embedded_image"]);
    expect(refused.json.errors).toEqual(
      [
        ["svg/g[2]/image[1]", "svg_import_embedded_image"],
        ["svg/g[2]/rect[1]", "svg_import_script"],
        ["svg/g[2]/script[1]", "svg_import_script"],
        ["svg/animate[1]", "svg_import_animation"],
      ].map(([field, one]) => ({ field, code: one, message: expect.any(String) })),
    );
    expect((await api.get(`${id}/draft/content`)).headers.get("etag")).toBe(etag);
  });

  test.each<[string, string]>([
    ["svg_import_invalid", "<svg"],
    ["svg_import_script", drawing('<a href=" java\nscript:x()"/>')],
    ["svg_import_external_reference", drawing('<use xlink:href="https://a.example/b.svg#c"/>')],
    ["svg_import_embedded_image", drawing('<image href="data:image/png;base64,AAAA"/>')],
    ["svg_import_filter", drawing('<rect style="filter:blur(2px)" width="1" height="1"/>')],
    ["svg_import_text_path", drawing('<textPath href="#a">a</textPath>')],
    ["svg_import_foreign_object", drawing("<foreignObject/>")],
    ["svg_import_animation", drawing("<set/>")],
    [
      "svg_import_unsupported",
      drawing('<rect width="1" height="1" style="mix-blend-mode:multiply"/>'),
    ],
    ["svg_import_too_many_objects", drawing('<path d="M0 0h1v1"/>'.repeat(2_001))],
  ])("is refused with %s", async (expected, svg) => {
    const { id } = await api.made();
    const refused = await importSvg(id, svg);
    expect(code(refused)).toEqual([422, expected]);
    expect(refused.json.errors[0].field).toMatch(/^svg/);
  });

  test("of more than 10 MB is refused", async () => {
    const { id } = await api.made();
    const refused = await importSvg(id, drawing(`<desc>${"x".repeat(10_000_000)}</desc>`));
    expect(code(refused)).toEqual([413, "svg_import_too_large"]);
    const unread = await importSvg(id, "x".repeat(17 * 1024 * 1024));
    expect(code(unread)).toEqual([413, "payload_too_large"]);
  });
});

describe("an editable import", () => {
  const LOGO = drawing(
    '<title>Logo</title><defs><circle id="dot" r="3"/></defs><g id="waves" opacity=".5"><rect x="2" y="2" width="20" height="10" rx="2" fill="teal" transform="rotate(10)"/><path d="M0 0h9v9z" class="a"/></g><use href="#dot" x="30" y="10" fill="gold"/><text x="5" y="18" font-size="4">Harbor</text>',
  );

  test("is a group with the drawing's hierarchy and names, which renders", async () => {
    const { id } = await api.made();
    const { status, json } = await importSvg(id, LOGO, { mode: undefined, width: 80, left: 10 });
    expect(status, JSON.stringify(json)).toBe(201);
    expect(json.report).toEqual({
      objects: 4,
      notes: [{ field: "svg/text[1]", message: expect.stringContaining("Noto Sans") }],
    });
    const { element } = json;
    expect(element).toMatchObject({
      $type: "group",
      name: "Logo",
      left: 10,
      top: 0,
      width: 80,
      height: 40,
      children: [
        {
          $type: "group",
          name: "waves",
          opacity: 0.5,
          children: [
            { $type: "rectangle", width: 40, height: 20, rx: 4, angle: 10, fill: "#008080" },
            { $type: "path", fill: "#000000" },
          ],
        },
        { $type: "circle", name: "dot", radius: 6, left: 54, top: 14, fill: "#ffd700" },
        { $type: "text", text: "Harbor", fontSize: 8, left: 10 },
      ],
    });
    expect(new Set(JSON.stringify(element).match(/"id":"[^"]+"/g)).size).toBe(6);
    const rendered = await api.send("POST", `${id}/draft/render`, { json: { values: {} } });
    expect(rendered.headers.get("design-layout-status")).toBe("ok");
    const changed = await api.send("PATCH", `${id}/draft/elements/${element.children[1].id}`, {
      headers: { "if-match": "*" },
      json: { fill: "#ff0000" },
    });
    expect(changed.status).toBe(200);
  });

  test.each([
    [
      "a clip path",
      '<g clip-path="url(#c)"><rect width="9" height="9"/></g><clipPath id="c"><circle r="4"/></clipPath>',
      "svg/g[1]",
    ],
    ["a mask", '<rect width="9" height="9" mask="url(#m)"/><mask id="m"/>', "svg/rect[1]"],
    [
      "a pattern",
      '<g><rect/><rect width="9" height="9" fill="url(#p)"/></g><pattern id="p"/>',
      "svg/g[1]/rect[2]",
    ],
  ])("names %s, which elements do not have", async (_what, body, field) => {
    const { id } = await api.made();
    const refused = await importSvg(id, drawing(body), { mode: "editable" });
    expect(code(refused)).toEqual([422, "svg_import_unsupported"]);
    expect(refused.json.errors).toEqual([
      { field, code: "svg_import_unsupported", message: expect.any(String) },
    ]);
  });

  test("has at most 500 objects", async () => {
    const { id } = await api.made();
    const of = (objects: number) =>
      importSvg(id, drawing('<path d="M0 0h1v1"/>'.repeat(objects)), { mode: "editable" });
    expect(code(await of(501))).toEqual([422, "svg_import_too_many_objects"]);
    expect((await of(500)).json.report.objects).toBe(500);
  });
});

describe("a palette", () => {
  const svg = drawing(
    `<style>.a{fill:Gold} g{color:navy}</style><defs><linearGradient id="g"><stop stop-color="gold"/><stop offset="1" stop-color="#0B6E69"/></linearGradient><rect id="r" width="1" height="1" fill="currentColor"/></defs>
     <g><use href="#r"/><use href="#r" x="3"/></g><circle class="a" r="2"/><path d="M0 0h9v9" stroke="url(#g)" fill="none"/><rect width="1" height="1" fill="none"/>`,
  );
  const ART = guid(2);
  const palette = (id: string) => api.get(`${id}/draft/elements/${ART}/palette`);
  const replace = (id: string, json: object) =>
    write(`${id}/draft/elements/${ART}/palette-replacements`, json);
  const colors = (...rows: readonly (readonly [string, string, number])[]) =>
    rows.map(([source_color, current_color, use_count]) => ({
      source_color,
      current_color,
      use_count,
    }));

  test("counts fills, strokes and stops of drawn objects; colors are replaced and reset", async () => {
    const { id, etag } = await api.made(
      documentOf(artworkElement(2, svg, { replacements: { "#FFD700": "#AABBCC" } })),
    );
    const first = await palette(id);
    expect([first.status, first.headers.get("etag")]).toEqual([200, etag]);
    expect(first.json).toEqual({
      draft_etag: etag.slice(1, -1),
      element_id: ART,
      colors: colors(
        ["#000080", "#000080", 2],
        ["#ffd700", "#aabbcc", 2],
        ["#0b6e69", "#0b6e69", 1],
      ),
    });
    const one = await replace(id, { source_color: "#000080", target_color: "#C8553D" });
    expect([one.status, one.json.colors[0].current_color]).toEqual([200, "#c8553d"]);
    expect(one.json.draft_etag).toMatch(/^dd-draft-r2-/);
    const { json: content } = await api.get(`${id}/draft/content`);
    expect(content.pages[0].elements[0].replacements).toEqual({
      "#ffd700": "#aabbcc",
      "#000080": "#c8553d",
    });
    const reset = await replace(id, { source_color: "#FFD700", target_color: null });
    expect(reset.json.colors[1]).toMatchObject({ current_color: "#ffd700" });
    const all = await replace(id, { reset_all: true });
    expect(all.json).toEqual((await palette(id)).json);
    expect(all.json.colors).toEqual(
      colors(["#000080", "#000080", 2], ["#ffd700", "#ffd700", 2], ["#0b6e69", "#0b6e69", 1]),
    );
    const { json: after } = await api.get(`${id}/draft/content`);
    expect(after.pages[0].elements[0]).not.toHaveProperty("replacements");
  });

  test("names its element in the document's own letter case", async () => {
    const own = guid(0xabc).toUpperCase();
    const { id } = await api.made(documentOf({ ...artworkElement(2, svg), id: own }));
    const at = `${id}/draft/elements/${guid(0xabc)}`;
    const read = await api.get(`${at}/palette`);
    const reset = await write(`${at}/palette-replacements`, { reset_all: true });
    expect([read.json.element_id, reset.json.element_id]).toEqual([own, own]);
  });

  test.each([
    ["a color that it does not have", { source_color: "#123456", target_color: "#000000" }],
    ["a color of another form", { source_color: "navy", target_color: "#000000" }],
    ["a color without another", { source_color: "#000080" }],
    ["nothing to do", {}],
  ])("refuses %s", async (_what, body) => {
    const { id } = await api.made(documentOf(artworkElement(2, svg)));
    expect(code(await replace(id, body))).toEqual([400, "invalid_argument"]);
  });

  test("has the colors of texts, which print", async () => {
    const texts = drawing(
      '<mask id="m"><text fill="white">m</text></mask><g mask="url(#m)"><text y="9" fill="navy" stroke="gold">a<tspan fill="red">b</tspan></text></g>',
    );
    const { id } = await api.made(documentOf(artworkElement(2, texts)));
    expect((await palette(id)).json.colors).toEqual(
      colors(["#ffd700", "#ffd700", 2], ["#000080", "#000080", 1], ["#ff0000", "#ff0000", 1]),
    );
    const pdf = await api.send("POST", `${id}/draft/render`, { json: {} });
    expect([pdf.status, pdf.headers.get("design-layout-status")], pdf.text.slice(0, 200)).toEqual([
      200,
      "ok",
    ]);
    expect(pdf.text.match(/\/Length1 /g)?.length).toBe(1);
  });

  test("is that of a drawing that prints", async () => {
    const { id } = await api.made(documentOf(artworkElement(3, "<svg"), fieldElement("a", 2)));
    expect(code(await palette(id))).toEqual([400, "invalid_argument"]);
    expect(code(await replace(id, { reset_all: true }))).toEqual([400, "invalid_argument"]);
    const at = (element: string) => api.get(`${id}/draft/elements/${element}/palette`);
    expect(code(await at(guid(3)))).toEqual([400, "invalid_argument"]);
    expect(code(await at(guid(0xfff)))).toEqual([404, "not_found"]);
    expect(code(await at("x"))).toEqual([400, "invalid_id"]);
  });
});
