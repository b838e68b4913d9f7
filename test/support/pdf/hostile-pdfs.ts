/** PDFs as other software and attackers write them, each with what merging it must give. */
import { deflateSync } from "node:zlib";
import { PDFDocument, StandardFonts } from "pdf-lib";

export interface HostilePdf {
  readonly name: string;
  readonly make: () => Promise<Uint8Array> | Uint8Array;
  /** The pages of the merged file, each drawn like the source's; or the code of the refusal. */
  readonly gives: number | "PDF_UNREADABLE" | "PDF_ENCRYPTED" | "PDF_TOO_LARGE";
}

type Objects = readonly (readonly [number: number, body: string])[];

interface Layout {
  readonly head?: string;
  /** Instead of the place of the table. */
  readonly startxref?: string;
  readonly trailer?: string;
  readonly newline?: string;
  readonly after?: string;
}

const latin1 = (text: string) => Buffer.from(text, "latin1");
const streamOf = (data: string, entries = "", length: number | string = data.length) =>
  `<<${entries}/Length ${length}>>stream\n${data}\nendstream`;

/** A file with a table of places. */
function fileOf(objects: Objects, layout: Layout = {}): Uint8Array {
  const { newline = "\n", trailer = "/Root 1 0 R", after = "" } = layout;
  let text = layout.head ?? `%PDF-1.4${newline}`;
  const places = new Map<number, number>();
  for (const [number, body] of objects) {
    places.set(number, text.length);
    text += `${number} 0 obj${newline}${body}${newline}endobj${newline}`;
  }
  const table = text.length;
  text += tableOf(places, newline);
  text += `trailer${newline}<</Size ${Math.max(...places.keys()) + 1}${trailer}>>${newline}`;
  text += `startxref${newline}${layout.startxref ?? table}${newline}%%EOF${newline}`;
  return latin1(text + after);
}

function tableOf(places: ReadonlyMap<number, number>, newline = "\n"): string {
  const row = (at: number, generation: number, kind: string) =>
    `${String(at).padStart(10, "0")} ${String(generation).padStart(5, "0")} ${kind} \n`;
  let text = `xref${newline}0 1\n${row(0, 65_535, "f")}`;
  for (const [number, at] of places) {
    text += `${number} 1\n${row(at, 0, "n")}`;
  }
  return text;
}

/** The file with more objects, as an editor appends them. */
function updated(file: Uint8Array, objects: Objects): Uint8Array {
  let text = Buffer.from(file).toString("latin1");
  const previous = /startxref\s+(\d+)\s+%%EOF\s*$/.exec(text)?.[1] ?? "0";
  const places = new Map<number, number>();
  for (const [number, body] of objects) {
    places.set(number, text.length);
    text += `${number} 0 obj\n${body}\nendobj\n`;
  }
  const table = text.length;
  text += `${tableOf(places)}trailer\n<</Size 40/Root 1 0 R/Prev ${previous}>>\nstartxref\n${table}\n%%EOF\n`;
  return latin1(text);
}

const CONTENT = "0.8 0.1 0.1 rg 20 20 60 40 re f 0 0.4 0.8 RG 4 w 10 90 m 110 30 l S";
const OTHER_CONTENT = "0.1 0.6 0.2 rg 40 50 70 30 re f";

const CATALOG = "<</Type/Catalog/Pages 2 0 R>>";
const page = (more = "", content = "4 0 R") =>
  `<</Type/Page/Parent 2 0 R/MediaBox[0 0 120 100]/Resources<<>>/Contents ${content}${more}>>`;
const pages = (kids = "3 0 R", count = 1, more = "") =>
  `<</Type/Pages/Kids[${kids}]/Count ${count}${more}>>`;

/** One page; with other objects in place of its own, and more of them. */
function onePage(changes: Readonly<Record<number, string>> = {}, layout: Layout = {}): Uint8Array {
  const objects = { 1: CATALOG, 2: pages(), 3: page(), 4: streamOf(CONTENT), ...changes };
  return fileOf(
    Object.entries(objects).map(([number, body]) => [Number(number), body]),
    layout,
  );
}

async function written(useObjectStreams: boolean, count = 2): Promise<Uint8Array> {
  const document = await PDFDocument.create({ updateMetadata: false });
  const font = await document.embedFont(StandardFonts.Helvetica);
  for (let i = 0; i < count; i++) {
    document.addPage([120, 100]).drawText(`Page ${i + 1}`, { x: 10, y: 40, font, size: 20 });
  }
  return document.save({ useObjectStreams });
}

async function encrypted(userPassword: string): Promise<Uint8Array> {
  const document = await PDFDocument.load(await written(false));
  document.encrypt({ userPassword, ownerPassword: "owner", permissions: { printing: false } });
  return document.save();
}

/** The table and a stream of places that hides one object from readers of tables (ISO 32000-1 §7.5.8.4). */
function hybrid(): Uint8Array {
  let text = "%PDF-1.5\n";
  const places = new Map<number, number>();
  const add = (number: number, body: string) => {
    places.set(number, text.length);
    text += `${number} 0 obj\n${body}\nendobj\n`;
  };
  add(1, CATALOG);
  add(2, pages());
  add(3, page());
  const packed = `4 0 ${OTHER_CONTENT.length}`;
  add(6, streamOf(`7 0 <</CA 0.5>>`, `/Type/ObjStm/N 1/First 4`));
  add(4, streamOf(CONTENT));
  const hidden = text.length;
  const row = Buffer.from([2, 0, 6, 0]);
  add(5, streamOf(row.toString("latin1"), "/Type/XRef/Size 8/W[1 2 1]/Index[7 1]/Root 1 0 R"));
  const table = text.length;
  text += `${tableOf(places)}trailer\n<</Size 8/Root 1 0 R/XRefStm ${hidden}>>\nstartxref\n${table}\n%%EOF\n`;
  return latin1(packed === "" ? "" : text);
}

function deepTree(levels: number): Uint8Array {
  const objects: [number, string][] = [
    [1, "<</Type/Catalog/Pages 10 0 R>>"],
    [3, `<</Type/Page/Parent ${9 + levels} 0 R/Contents 4 0 R/Resources<<>>>>`],
    [4, streamOf(CONTENT)],
  ];
  for (let level = 0; level < levels; level++) {
    const kid = level === levels - 1 ? 3 : 11 + level;
    const box = level === 0 ? "/MediaBox[0 0 120 100]" : `/Parent ${9 + level} 0 R`;
    objects.push([10 + level, `<</Type/Pages/Count 1/Kids[${kid} 0 R]${box}>>`]);
  }
  return fileOf(objects);
}

function manyPages(count: number): Uint8Array {
  const kids = Array.from({ length: count }, () => "3 0 R").join(" ");
  return onePage({ 2: pages(kids, count) });
}

function manyObjects(count: number): Uint8Array {
  const more: Record<number, string> = {};
  for (let i = 0; i < count; i++) {
    more[10 + i] = `[${11 + i} 0 R ${i}]`;
  }
  more[10 + count] = "null";
  return onePage({ 3: page("/PieceInfo 10 0 R/Group<</S/Transparency/Chain 10 0 R>>"), ...more });
}

const deflated = deflateSync(latin1(CONTENT)).toString("latin1");
const hex = `${latin1(CONTENT).toString("hex")}>`;
const half = async (from: Promise<Uint8Array> | Uint8Array, part: number) => {
  const file = await from;
  return file.subarray(0, Math.floor(file.length * part));
};
const FORM = "/Type/XObject/Subtype/Form/BBox[0 0 120 100]";
const DRAWS_FORM = streamOf("/F Do");

const ok = (name: string, make: HostilePdf["make"], gives = 1): HostilePdf => ({
  name,
  make,
  gives,
});
const bad = (
  name: string,
  make: HostilePdf["make"],
  gives: HostilePdf["gives"] = "PDF_UNREADABLE",
): HostilePdf => ({ name, make, gives });

/** `objects`: of the file with very many. */
export const hostilePdfs = (objects: number): readonly HostilePdf[] => [
  ok("a table of places", () => onePage()),
  ok("object streams", () => written(true), 2),
  ok("no object streams", () => written(false), 2),
  ok("a hybrid table", hybrid),
  ok("a page changed by an update", () => updated(onePage(), [[4, streamOf(OTHER_CONTENT)]])),
  ok(
    "a page added by an update",
    () =>
      updated(onePage(), [
        [2, pages("3 0 R 20 0 R", 2)],
        [20, page("", "21 0 R")],
        [21, streamOf(OTHER_CONTENT)],
      ]),
    2,
  ),
  ok("a page removed by an update", () =>
    updated(onePage({ 2: pages("3 0 R 3 0 R", 2) }), [[2, pages()]]),
  ),
  ok("two updates", () =>
    updated(updated(onePage(), [[4, streamOf("1 0 0 rg 0 0 9 9 re f")]]), [
      [4, streamOf(OTHER_CONTENT)],
    ]),
  ),
  ok("a startxref of 0", () => onePage({}, { startxref: "0" })),
  ok("a startxref beyond the end", () => onePage({}, { startxref: "99999999" })),
  ok("a startxref in the middle of an object", () => onePage({}, { startxref: "33" })),
  ok("bytes before its header", () => onePage({}, { head: `${"x".repeat(200)}\n%PDF-1.4\n` })),
  ok("bytes after its end", () => onePage({}, { after: "\0".repeat(3_000) })),
  ok("lines that end with CR LF", () => onePage({}, { newline: "\r\n" })),
  ok("a stream's length as an object", () =>
    onePage({ 4: streamOf(CONTENT, "", "5 0 R"), 5: String(CONTENT.length) }),
  ),
  ok("a stream's length too short", () => onePage({ 4: streamOf(CONTENT, "", 5) })),
  ok("a stream's length too long", () => onePage({ 4: streamOf(CONTENT, "", 90_000) })),
  ok("deflated content", () => onePage({ 4: streamOf(deflated, "/Filter/FlateDecode") })),
  ok("content in hexadecimal", () => onePage({ 4: streamOf(hex, "/Filter/ASCIIHexDecode") })),
  ok("content in parts", () =>
    onePage({
      3: page("", "[4 0 R 5 0 R]"),
      4: streamOf("0.8 0.1 0.1 rg 20 20"),
      5: streamOf("60 40 re f"),
    }),
  ),
  ok("no content", () => onePage({ 3: page("", "null") })),
  ok("a page turned to the right", () => onePage({ 3: page("/Rotate 90") })),
  ok("a page turned to the left", () => onePage({ 3: page("/Rotate -90") })),
  ok("a page upside down", () => onePage({ 3: page("/Rotate 180") })),
  ok("a crop box", () => onePage({ 3: page("/CropBox[15 10 90 80]") })),
  ok("boxes for print", () => onePage({ 3: page("/TrimBox[5 5 110 90]/BleedBox[2 2 118 98]") })),
  ok("a box with swapped corners", () =>
    onePage({ 3: page().replace("[0 0 120 100]", "[120 100 0 0]") }),
  ),
  ok("a box away from the origin", () =>
    onePage({ 3: page().replace("[0 0 120 100]", "[-20 -30 100 70]") }),
  ),
  ok("attributes of the tree", () =>
    onePage({
      2: pages("3 0 R", 1, "/MediaBox[0 0 120 100]/Rotate 90/Resources<</XObject<</F 5 0 R>>>>"),
      3: "<</Type/Page/Parent 2 0 R/Contents 4 0 R>>",
      4: DRAWS_FORM,
      5: streamOf(CONTENT, FORM),
    }),
  ),
  ok("a tree of 30 levels", () => deepTree(30)),
  ok("a form that draws itself", () =>
    onePage({
      3: page().replace("/Resources<<>>", "/Resources<</XObject<</F 5 0 R>>>>"),
      4: DRAWS_FORM,
      5: streamOf(`${CONTENT} /F Do`, `${FORM}/Resources<</XObject<</F 5 0 R>>>>`),
    }),
  ),
  ok("resources that hold themselves", () =>
    onePage({
      3: page().replace("/Resources<<>>", "/Resources 5 0 R"),
      5: "<</Self 5 0 R/ExtGState<</G<</CA 0.5>>>>>>",
    }),
  ),
  ok("outlines, forms and names", () =>
    onePage({
      1: "<</Type/Catalog/Pages 2 0 R/Outlines 7 0 R/AcroForm<</Fields[8 0 R]>>/Names<</Dests 9 0 R>>/OpenAction<</S/JavaScript/JS(app.alert(1))>>>>",
      7: "<</Type/Outlines/Count 0>>",
      8: "<</FT/Tx/T(field)/V(value)>>",
      9: "<</Names[(a)[3 0 R/Fit]]>>",
    }),
  ),
  ok("very many objects", () => manyObjects(objects)),
  ok("pages that are one object", () => manyPages(3), 3),
  ok("only an owner password", () => encrypted(""), 2),
  bad("a user password", () => encrypted("user"), "PDF_ENCRYPTED"),
  bad("an unknown kind of encryption", () =>
    onePage({ 9: "<</Filter/Unknown/V 99>>" }, { trailer: "/Root 1 0 R/Encrypt 9 0 R/ID[(a)(a)]" }),
  ),
  bad("more pages than fit", () => manyPages(2_001), "PDF_TOO_LARGE"),
  bad("nothing", () => new Uint8Array(0)),
  bad("a text", () => latin1("hello, world")),
  bad("only its header", () => latin1("%PDF-1.7\n")),
  bad("its first half", () => half(onePage(), 0.4)),
  bad("half of its object streams", () => half(written(true), 0.6)),
  bad("a tree that holds itself", () => onePage({ 2: pages("2 0 R") })),
  bad("two trees that hold each other", () =>
    onePage({ 2: pages("5 0 R"), 5: "<</Type/Pages/Count 1/Kids[2 0 R]>>" }),
  ),
  bad("a tree that is too deep", () => deepTree(500)),
  bad("a missing page", () => onePage({ 2: pages("3 0 R 30 0 R", 2) })),
  bad("no page", () => onePage({ 2: pages("", 0) })),
  bad("no tree", () => onePage({ 1: "<</Type/Catalog>>" })),
  bad("nested arrays", () => onePage({ 3: page(`/Group ${"[".repeat(50_000)}`) })),
];
