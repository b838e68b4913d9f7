import { describe, expect, test } from "vitest";
import type { PictureResource } from "../../../../src/templates/layout/resources/layout-resources.ts";
import {
  documentOf,
  draw,
  drawElement,
  field,
  guid,
  render,
  type RenderInput,
} from "../../../support/templates/layout-kit.ts";

const WIDE: PictureResource = { kind: "raster", key: "wide", width: 200, height: 100 };
const DRAWING: PictureResource = {
  kind: "artwork",
  substitutedFonts: [],
  key: "drawing",
  width: 100,
  height: 100,
  preserveAspectRatio: null,
};
const pictures = { "a/wide.png": WIDE, "a/drawing.svg": DRAWING };
const IMAGE = { $type: "image", width: 40, height: 40, src: "a/wide.png" };
const CLIP = "group clip M0,0 L40,0 L40,40 L0,40 Z";

describe("an image", () => {
  test.each<[string, Record<string, unknown>, string[]]>([
    ["shows all of its picture in the middle", {}, ["picture wide [40 0 0 20 0 10]"]],
    [
      "stands where its alignment says",
      { alignment: "bottom_right" },
      ["picture wide [40 0 0 20 0 20]"],
    ],
    [
      "covers the box and crops",
      { fitMode: "fill" },
      ["group", `  ${CLIP}`, "    picture wide [80 0 0 40 -20 0]"],
    ],
    [
      "crops by its alignment",
      { fitMode: "fill", alignment: "top_left" },
      ["group", `  ${CLIP}`, "    picture wide [80 0 0 40 0 0]"],
    ],
    ["stretches", { fitMode: "stretch", left: 5, top: 6 }, ["picture wide [40 0 0 40 5 6]"]],
    ["without a source prints nothing", { src: null }, []],
    [
      "is scaled about the focal point of the picture, and cropped by its box",
      { frame: { scale: 2, focalX: 0, focalY: 1 } },
      ["group", `  ${CLIP}`, "    picture wide [80 0 0 40 0 -10]"],
    ],
    [
      "is turned about the box's center, then moved",
      { frame: { rotation: 90, offsetX: 1, offsetY: 2, scale: 0.5 } },
      ["picture wide [0 20 -10 0 26 12]"],
    ],
    [
      "has a border along its box",
      { left: 3, frame: { strokeColor: "#FF0000", strokeWidth: 2 } },
      [
        "group [1 0 0 1 3 0]",
        "  picture wide [40 0 0 20 0 10]",
        "  path M0,0 L40,0 L40,40 L0,40 Z stroke 2 #ff0000",
      ],
    ],
    [
      "is clipped by shapes in shares of its box, with their transforms; the border follows them",
      {
        clipPath: {
          transform: [1, 0, 0, 1, 0.5, 0],
          shapes: [
            { pathData: "M0 0H.25V.5Z", fillRule: "even_odd", transform: [2, 0, 0, 2, 0, 0] },
          ],
        },
        frame: { strokeColor: "#FF0000", strokeWidth: 2 },
      },
      [
        "group",
        "  group clip M20,0 L40,0 L40,40 Z even_odd",
        "    picture wide [40 0 0 20 0 10]",
        "  path M20,0 L40,0 L40,40 Z even_odd stroke 2 #ff0000",
      ],
    ],
    [
      "is clipped by shapes in points",
      {
        clipPath: {
          units: "user_space",
          shapes: [{ pathData: "M0 0H10V10Z" }, { pathData: "M1 1H2V2Z" }],
        },
      },
      [
        "group",
        "  group clip M0,0 L10,0 L10,10 Z clip M1,1 L2,1 L2,2 Z",
        "    picture wide [40 0 0 20 0 10]",
      ],
    ],
    [
      "is masked: opacity times luminance, or the color's relative luminance, or 1",
      {
        opacityMask: {
          shapes: [
            { pathData: "M0 0H1V1Z", opacity: 0.5 },
            { pathData: "M0 0H1V1Z", opacity: 0.5, luminance: 0.5, color: "#000000" },
            { pathData: "M0 0H1V1Z", color: "#808080" },
          ],
        },
      },
      [
        "group mask -4 -4 48 48 value 0.5 M0,0 L40,0 L40,40 Z value 0.25 M0,0 L40,0 L40,40 Z value 0.216 M0,0 L40,0 L40,40 Z",
        "  picture wide [40 0 0 20 0 10]",
      ],
    ],
    [
      "has a mask whose box and shapes have units of their own",
      {
        opacityMask: {
          units: "user_space",
          contentUnits: "object_bounding_box",
          x: 1,
          y: 2,
          width: 3,
          height: 4,
          shapes: [{ pathData: "M0 0H1V1Z" }],
        },
      },
      ["group mask 1 2 3 4 value 1 M0,0 L40,0 L40,40 Z", "  picture wide [40 0 0 20 0 10]"],
    ],
    [
      "prints a drawing as a drawing",
      { src: "a/drawing.svg" },
      ["artwork drawing [40 0 0 40 0 0]"],
    ],
  ])("%s", (_, properties, expected) => {
    expect(drawElement({ ...IMAGE, ...properties }, { pictures })).toEqual(expected);
  });

  test("takes the picture, fit and alignment of its field", () => {
    const element = {
      ...IMAGE,
      src: null,
      placeholder: field("photo", "image", { fitMode: "fit", alignment: "top_left" }),
    };
    expect(drawElement(element, { pictures, values: { photo: "a/wide.png" } })).toEqual([
      "picture wide [40 0 0 20 0 0]",
    ]);
  });

  test("that failed prints nothing and is counted; of a required field it fails the render", () => {
    const input: RenderInput = {
      values: { photo: "gone.png" },
      pictures: { "gone.png": { kind: "failed", reason: "refused" } },
    };
    const document = (required: boolean) =>
      documentOf([
        [
          { ...IMAGE, id: guid(1), placeholder: field("photo", "image", { required }) },
          { ...IMAGE, id: guid(2) },
        ],
      ]);
    const { facts, pages, problems } = render(document(false), input);
    expect(draw(pages[0])).toEqual([]);
    expect([facts.status, facts.images_loaded, facts.images_failed]).toEqual(["warnings", 0, 2]);
    expect(facts.images).toEqual([
      { element_id: guid(1), field: "photo", page_number: 1, reason: "refused" },
      { element_id: guid(2), field: null, page_number: 1, reason: "not_found" },
    ]);
    expect(problems).toEqual([]);
    expect(render(document(true), input).problems).toMatchObject([
      { code: "IMAGE_FAILED", field: "photo", elementId: guid(1) },
    ]);
  });
});

describe("an artwork", () => {
  const svg = "<svg/>";
  const element = { $type: "svg_artwork", width: 40, height: 20, svg };
  const draws = (preserveAspectRatio: string | null, more = {}) =>
    drawElement(
      { ...element, ...more },
      { artworks: { [svg]: { ...DRAWING, preserveAspectRatio } as PictureResource } },
    );

  test("is stretched to its box, with its colors replaced", () => {
    expect(draws(null, { replacements: { "#FF0000": "#00FF00" } })).toEqual([
      "artwork drawing [40 0 0 20 0 0] #ff0000>#00ff00",
    ]);
  });

  test("keeps its ratio where it says so", () => {
    expect(draws("xMaxYMid meet")).toEqual(["artwork drawing [20 0 0 20 20 0]"]);
    expect(draws("xMidYMin slice")).toEqual([
      "group clip M0,0 L40,0 L40,20 L0,20 Z",
      "  artwork drawing [40 0 0 40 0 0]",
    ]);
    expect(draws("none")).toEqual(["artwork drawing [40 0 0 20 0 0]"]);
  });
});

describe("a text", () => {
  const TEXT = {
    $type: "text",
    width: 100,
    height: 20,
    fontSize: 10,
    lineHeight: 1,
    text: "Hello",
  };

  test.each<[string, Record<string, unknown>, RenderInput, string[]]>([
    ["prints its own content", { left: 5, top: 7 }, {}, ['text "Hello" 10 at 5,17 #000000']],
    [
      "prints the value of its field",
      { placeholder: field("a", "text") },
      { values: { a: "Hi" } },
      ['text "Hi" 10 at 0,10 #000000'],
    ],
    [
      "prints its own content where no value is given",
      { placeholder: field("a", "text") },
      { values: { a: null } },
      ['text "Hello" 10 at 0,10 #000000'],
    ],
    [
      "prints the default before its own content",
      { placeholder: field("a", "text", { defaultValue: "Std" }) },
      {},
      ['text "Std" 10 at 0,10 #000000'],
    ],
    [
      "prints an empty value as nothing",
      { placeholder: field("a", "text") },
      { values: { a: "" } },
      [],
    ],
    [
      "prints its own content for an empty value of a required field with a default",
      { placeholder: field("a", "text", { required: true, defaultValue: "Std" }) },
      { values: { a: "" } },
      ['text "Std" 10 at 0,10 #000000'],
    ],
    [
      "prints a value in the format of its field",
      { placeholder: field("a", "number", { format: { minimumFractionDigits: 2, suffix: " m" } }) },
      { values: { a: 1234.5 } },
      ['text "1,234.50 m" 10 at 0,10 #000000'],
    ],
    [
      "takes the color of its field",
      { placeholder: field("a", "color") },
      { values: { a: "#FF0000" } },
      ['text "Hello" 10 at 0,10 #ff0000'],
    ],
    [
      "shows where its switch is on",
      { visible: false, placeholder: field("a", "boolean") },
      { values: { a: true } },
      ['text "Hello" 10 at 0,10 #000000'],
    ],
    [
      "does not show where its switch is off",
      { placeholder: field("a", "boolean") },
      { values: { a: false } },
      [],
    ],
    [
      "shows as authored without a value for its switch",
      { visible: false, placeholder: field("a", "boolean") },
      {},
      [],
    ],
    [
      "shows where its condition holds",
      { condition: { field: "a", operator: "equals", value: 1 } },
      { values: { a: 1 } },
      ['text "Hello" 10 at 0,10 #000000'],
    ],
    [
      "does not show where its condition is false",
      { condition: { field: "a", operator: "equals", value: 1 } },
      { values: {} },
      [],
    ],
    [
      "reads page numbers in its own content",
      { text: "{{page}}/{{pages}}" },
      {},
      ['text "1/1" 10 at 0,10 #000000'],
    ],
    [
      "does not read them in values",
      { placeholder: field("a", "text") },
      { values: { a: "{{page}}" } },
      ['text "{{page}}" 10 at 0,10 #000000'],
    ],
    [
      "does not read them in defaults",
      { placeholder: field("a", "text", { defaultValue: "{{page}}" }) },
      {},
      ['text "{{page}}" 10 at 0,10 #000000'],
    ],
    [
      "prints rich text, whose runs state what differs",
      {
        text: undefined,
        richText: {
          paragraphs: [{ runs: [{ text: "Big" }, { text: " {{page}}" }] }, { runs: [] }],
        },
      },
      {},
      ['text "Big 1" 10 at 0,10 #000000'],
    ],
    [
      "prints a value in place of rich text",
      {
        text: undefined,
        richText: { paragraphs: [{ runs: [{ text: "Rich" }] }] },
        placeholder: field("a", "text"),
      },
      { values: { a: "Plain" } },
      ['text "Plain" 10 at 0,10 #000000'],
    ],
  ])("%s", (_, properties, input, expected) => {
    const { text, ...rest } = { ...TEXT, ...properties };
    expect(drawElement(text === undefined ? rest : { ...rest, text }, input)).toEqual(expected);
  });

  test("prints the default that another occurrence of its field states", () => {
    const at = (left: number, more = {}) => ({
      ...TEXT,
      left,
      placeholder: field("a", "text", more),
    });
    const page = [at(0), at(50, { defaultValue: "Std" })];
    expect(draw(render(documentOf([page])).pages[0])).toEqual([
      'text "Std" 10 at 0,10 #000000',
      'text "Std" 10 at 50,10 #000000',
    ]);
  });

  test("that must not be missing fails, in items too", async () => {
    const { layOut } = await import("../../../../src/templates/layout/lay-out.ts");
    const { layoutInput } = await import("../../../support/templates/layout-kit.ts");
    const required = (code: string) => ({
      ...TEXT,
      placeholder: field(code, "text", { required: true }),
    });
    const document = documentOf([
      [
        required("title"),
        {
          $type: "repeat_region",
          width: 100,
          height: 100,
          itemHeight: 20,
          placeholder: field("rows", "list"),
          children: [required("name")],
        },
      ],
    ]);
    const values = { title: "", rows: [{ name: "a" }, {}] };
    expect(layOut(layoutInput(document, { values }))).toMatchObject({
      ok: false,
      kind: "problems",
      problems: [
        { code: "MISSING_REQUIRED_FIELD", field: "title" },
        { code: "MISSING_REQUIRED_FIELD", field: "rows[1].name" },
      ],
    });
    const options = { missingPolicy: "use_template_default" } as const;
    expect(draw(render(document, { values, options }).pages[0])).toEqual([
      'text "Hello" 10 at 0,10 #000000',
      'text "a" 10 at 0,10 #000000',
      'text "Hello" 10 at 0,30 #000000',
    ]);
  });

  test("grows, but not below the page", () => {
    const text = "abcdefghij".repeat(40);
    const grown = { ...TEXT, width: 50, top: 270, text, fixedHeight: false };
    const { facts } = render(documentOf([[grown]]));
    expect(facts.texts).toMatchObject([
      { outcome: "cut", lines: 40, lines_cut: 37, characters: 400, characters_printed: 30 },
    ]);
    const fitting = render(documentOf([{ fitHeight: true, bottomMargin: 15, elements: [grown] }]));
    expect(fitting.facts.status).toBe("ok");
    expect(fitting.pages[0]?.height).toBe(270 + 400 + 15);
  });

  test("that overflows fails where its mode or the policy forbids it", () => {
    const long = { ...TEXT, id: guid(7), text: "x".repeat(60) };
    const codes = (mode: string, overflowPolicy: "template" | "fail" | "fit" | "clip") =>
      render(documentOf([[{ ...long, overflowMode: mode }]]), {
        options: { overflowPolicy },
      }).problems.map(({ code, elementId }) => [code, elementId]);
    expect(codes("clip", "template")).toEqual([]);
    expect(codes("fail", "template")).toEqual([["TEXT_OVERFLOW", guid(7)]]);
    expect(codes("visible", "fail")).toEqual([["TEXT_OVERFLOW", guid(7)]]);
    expect(codes("fail", "clip")).toEqual([]);
  });
});

describe("a link", () => {
  const BOX = { $type: "rectangle", left: 10, top: 20, width: 30, height: 40 };
  const links = (element: object, input: RenderInput = {}) => {
    const { pages, facts } = render(documentOf([[{ ...BOX, ...element }], { id: guid(9) }]), input);
    return { found: pages[0]?.links, printed: facts.links_printed, left: facts.links };
  };

  test("covers the box of its element, turned with it", () => {
    const link = { type: "url", url: "https://example.com/" };
    expect(links({ link, angle: 90 }).found).toEqual([
      {
        corners: [
          { x: 45, y: 25 },
          { x: 45, y: 55 },
          { x: 5, y: 55 },
          { x: 5, y: 25 },
        ],
        target: { kind: "url", url: "https://example.com/" },
      },
    ]);
  });

  test("leads to the first output page of a page, in any case of its id", () => {
    expect(links({ link: { type: "page", pageId: guid(9).toUpperCase() } }).found).toMatchObject([
      { target: { kind: "page", pageNumber: 2 } },
    ]);
  });

  test("from a field is made of prefix and value; an address that is none is left out and counted", () => {
    const link = { type: "field", field: "to", prefix: "https://example.com/" };
    expect(links({ link }, { values: { to: "a" } }).found).toMatchObject([
      { target: { url: "https://example.com/a" } },
    ]);
    const bad = links(
      { id: guid(3), link: { type: "field", field: "to" } },
      { values: { to: "javascript:x" } },
    );
    expect(bad).toEqual({
      found: [],
      printed: 0,
      left: [{ element_id: guid(3), reason: "invalid_value" }],
    });
    expect(links({ link })).toEqual({ found: [], printed: 0, left: [] });
  });

  test("is left out and counted where annotations are forbidden", () => {
    const link = { type: "url", url: "https://example.com/" };
    expect(links({ id: guid(3), link }, { options: { hasLinks: false } })).toEqual({
      found: [],
      printed: 0,
      left: [{ element_id: guid(3), reason: "not_in_pdfx4" }],
    });
  });

  test("of a run covers the run", () => {
    const document = documentOf([
      [
        {
          $type: "text",
          left: 10,
          width: 100,
          height: 20,
          fontSize: 10,
          richText: {
            paragraphs: [
              { runs: [{ text: "see " }, { text: "this", link: { type: "url", url: "tel:+1" } }] },
            ],
          },
        },
      ],
    ]);
    expect(render(document).pages[0]?.links[0]).toMatchObject({
      corners: [
        { x: 30, y: 0 },
        { x: 50, y: 0 },
        { x: 50, y: 10 },
        { x: 30, y: 10 },
      ],
      target: { url: "tel:+1" },
    });
  });
});
