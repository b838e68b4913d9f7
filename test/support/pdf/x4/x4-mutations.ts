import {
  PDFArray,
  PDFBool,
  PDFDict,
  PDFName,
  PDFNumber,
  type PDFObject,
  type PDFRawStream,
  PDFString,
} from "pdf-lib";
import { X4File } from "./x4-file.ts";

/** A fault, and the rule that must report it. */
export interface X4Mutation {
  readonly rule: string;
  readonly says: string;
  /** Changes the file that it is given, or returns another. */
  readonly apply: (file: X4File) => X4File | void;
}

/** `/Name`, `(text)`, a number, a list, a dictionary; undefined deletes. */
type Value =
  | string
  | number
  | boolean
  | undefined
  | readonly Value[]
  | { readonly [key: string]: Value };

function toObject(file: X4File, value: Exclude<Value, undefined>): PDFObject {
  if (typeof value === "string") {
    return value.startsWith("/") ? PDFName.of(value.slice(1)) : PDFString.of(value);
  }
  if (Array.isArray(value)) {
    const list = PDFArray.withContext(file.context);
    for (const one of value as Value[]) {
      list.push(toObject(file, one ?? 0));
    }
    return list;
  }
  if (typeof value === "object") {
    const dict = PDFDict.withContext(file.context);
    for (const [key, one] of Object.entries(value)) {
      dict.set(PDFName.of(key), toObject(file, one ?? 0));
    }
    return dict;
  }
  return typeof value === "number"
    ? PDFNumber.of(value)
    : value === true
      ? PDFBool.True
      : PDFBool.False;
}

type Owner = (file: X4File) => PDFDict | undefined;

/** One mutation for each value of an entry. */
function entry(rule: string, owner: Owner, key: string, ...values: readonly Value[]): X4Mutation[] {
  return values.map((value) => ({
    rule,
    says: `${key} is ${JSON.stringify(value) ?? "missing"}`,
    apply: (file) => {
      const dict = owner(file);
      if (dict === undefined) {
        throw new Error(`The sample has nothing to change for ${rule}.`);
      }
      if (value === undefined) {
        dict.delete(PDFName.of(key));
      } else {
        dict.set(PDFName.of(key), toObject(file, value));
      }
    },
  }));
}

/** One mutation for each pair of a text and its replacement, in the bytes before parsing or in a stream. */
function inXmp(
  rule: string,
  ...pairs: readonly (readonly [RegExp | string, string])[]
): X4Mutation[] {
  return pairs.map(([from, to]) => ({
    rule,
    says: `XMP: ${String(from)} becomes ${to}`,
    apply: (file) => {
      const stream = file.stream(file.catalog, "Metadata");
      const changed = file.xmp.replace(from, to);
      if (stream === undefined || changed === file.xmp) {
        throw new Error(`The sample's XMP has no ${String(from)}.`);
      }
      stream.updateContents(new TextEncoder().encode(changed));
    },
  }));
}

function inBytes(
  rule: string,
  at: (bytes: Uint8Array) => number,
  ...values: readonly number[]
): X4Mutation[] {
  return values.map((value) => ({
    rule,
    says: `a byte is ${value}`,
    apply: (file) => {
      const bytes = Uint8Array.from(file.bytes);
      bytes[at(bytes)] = value;
      return new X4File(bytes, file.context);
    },
  }));
}

function inProfile(rule: string, at: number, ...texts: readonly string[]): X4Mutation[] {
  return texts.map((text) => ({
    rule,
    says: `the profile has ${text} at ${at}`,
    apply: (file) => {
      const stream = file.stream(file.intent, "DestOutputProfile");
      const data = file.profile === undefined ? undefined : Uint8Array.from(file.profile);
      if (stream === undefined || data === undefined) {
        throw new Error("The sample has no profile.");
      }
      data.set(new TextEncoder().encode(text), at);
      stream.dict.delete(PDFName.of("Filter"));
      stream.updateContents(data);
    },
  }));
}

/** Operators that are added to each kind of stream. */
function inContent(rule: string, ...texts: readonly string[]): X4Mutation[] {
  const streams: readonly ((file: X4File) => PDFRawStream | undefined)[] = [
    (file) => file.stream(file.pages[0], "Contents"),
    (file) => file.forms[0],
  ];
  return texts.flatMap((text) =>
    streams.map((find): X4Mutation => ({
      rule,
      says: `content has ${text}`,
      apply: (file) => {
        const stream = find(file);
        const data = stream === undefined ? undefined : file.data(stream);
        if (stream === undefined || data === undefined) {
          throw new Error("The sample has no such content.");
        }
        stream.dict.delete(PDFName.of("Filter"));
        stream.updateContents(Buffer.concat([data, Buffer.from(`\n${text}`)]));
      },
    })),
  );
}

const catalog: Owner = (file) => file.catalog;
const info: Owner = (file) => file.info;
const metadata: Owner = (file) => file.dict(file.catalog, "Metadata");
const intent: Owner = (file) => file.intent;
const tree: Owner = (file) => file.dict(file.catalog, "Pages");
const pages: readonly Owner[] = [(file) => file.pages[0], (file) => file.pages[1]];
const group: Owner = (file) => file.dict(file.pages[0], "Group");
const resources: Owner = (file) => file.dict(file.pages[0], "Resources");
const font: Owner = (file) => file.typed("Subtype", "Type0")[0];
const descendant: Owner = (file) => file.dict(file.list(font(file), "DescendantFonts")?.[0]);
const descriptor: Owner = (file) => file.dict(descendant(file), "FontDescriptor");
const image: Owner = (file) =>
  file.images.find((one) => file.get(one, "SMask") !== undefined)?.dict;
const softMask: Owner = (file) => file.dict(image(file), "SMask");
const forms: readonly Owner[] = [(file) => file.forms[0]?.dict, (file) => file.forms[1]?.dict];
const composed: Owner = (file) =>
  file.dict(
    file.forms.find((one) => file.get(one, "Group") !== undefined),
    "Group",
  );
const shading: Owner = (file) =>
  file.dicts.find((dict) => file.number(dict, "ShadingType") !== undefined);
const states = (file: X4File): PDFDict[] =>
  file.dicts.flatMap((dict) =>
    (file.dict(dict, "ExtGState")?.values() ?? []).flatMap((one) => file.dict(one) ?? []),
  );
const state: Owner = (file) => states(file)[0];
const maskState: Owner = (file) => states(file).find((one) => file.get(one, "SMask") !== undefined);
const mask: Owner = (file) => file.dict(maskState(file), "SMask");

const perPage = (rule: string, key: string, ...values: readonly Value[]): X4Mutation[] =>
  pages.flatMap((page) => entry(rule, page, key, ...values));
const perForm = (rule: string, key: string, ...values: readonly Value[]): X4Mutation[] =>
  forms.flatMap((form) => entry(rule, form, key, ...values));

const trailer = (rule: string, says: string, change: (file: X4File) => void): X4Mutation => ({
  rule,
  says,
  apply: change,
});
const dates = ["2026", "D:2026", "D:20261301", "", "yesterday", undefined, 5] as const;

export const X4_MUTATIONS: readonly X4Mutation[] = [
  ...inBytes("header-version", () => 7, 0x33, 0x34, 0x35, 0x37),
  ...inBytes("header-version", () => 0, 0x20),
  ...[10, 11, 12, 13].flatMap((at) => inBytes("header-binary", () => at, 0x41, 0x20)),
  ...[2, 3, 4].flatMap((back) => inBytes("end-of-file", (bytes) => bytes.length - back, 0x41)),
  trailer("no-encryption", "a dictionary of encryption", ({ trailer: own, context }) => {
    own.Encrypt = context.obj({ Filter: "Standard" });
  }),
  trailer("id-pair", "no ID", ({ trailer: own }) => {
    delete own.ID;
  }),
  trailer("id-pair", "one ID", ({ trailer: own, context }) => {
    own.ID = context.obj([PDFString.of("0123456789abcdef")]);
  }),
  trailer("id-strings", "short IDs", ({ trailer: own, context }) => {
    own.ID = context.obj([PDFString.of("0123"), PDFString.of("0123")]);
  }),
  trailer("info-dictionary", "no Info", ({ trailer: own }) => {
    delete own.Info;
  }),
  ...entry(
    "info-version",
    info,
    "GTS_PDFXVersion",
    undefined,
    "PDF/X-1:2001",
    "PDF/X-3:2003",
    "PDF/X-4p",
    "/PDF",
    4,
  ),
  ...entry("info-title", info, "Title", undefined, "", 1),
  ...entry("info-creation-date", info, "CreationDate", ...dates),
  ...entry("info-modification-date", info, "ModDate", ...dates),
  ...entry("info-trapped", info, "Trapped", undefined, "/Unknown", "False", false),
  ...entry("info-producer", info, "Producer", undefined, ""),
  ...entry("metadata-stream", catalog, "Metadata", undefined, 7, {}),
  ...entry("metadata-type", metadata, "Type", undefined, "/XObject"),
  ...entry("metadata-type", metadata, "Subtype", undefined, "/HTML"),
  ...entry("metadata-uncompressed", metadata, "Filter", "/ASCIIHexDecode", "/LZWDecode"),
  ...inXmp(
    "xmp-packet",
    ["<?xpacket begin", "<?packet begin"],
    ['end="r"', 'end="x"'],
    ["W5M0MpCehiHzreSzNTczkc9d", "W5M0"],
  ),
  ...inXmp(
    "xmp-well-formed",
    ["</rdf:RDF>", ""],
    ["<dc:format>", "<dc:format"],
    ["</x:xmpmeta>", "</x:xmp>"],
    ["xmlns:xmp=", "xmlns:xmq="],
    ["<rdf:RDF ", "<rdf:RDF x='&y;' "],
  ),
  ...inXmp(
    "xmp-version",
    ["PDF/X-4<", "PDF/X-3<"],
    [/<pdfxid:GTS_PDFXVersion>.*?<\/pdfxid:GTS_PDFXVersion>/, ""],
    ["PDF/X-4<", "<"],
  ),
  ...inXmp("xmp-version-namespace", [
    "http://www.npes.org/pdfx/ns/id/",
    "http://www.npes.org/pdfx/",
  ]),
  ...inXmp(
    "xmp-creation-date",
    [/<xmp:CreateDate>.*?<\/xmp:CreateDate>/, ""],
    [/<xmp:CreateDate>20/, "<xmp:CreateDate>19"],
    [/Z<\/xmp:CreateDate>/, "+01:00</xmp:CreateDate>"],
  ),
  ...inXmp(
    "xmp-modification-date",
    [/<xmp:ModifyDate>.*?<\/xmp:ModifyDate>/, ""],
    [/<xmp:ModifyDate>20/, "<xmp:ModifyDate>19"],
    [/Z<\/xmp:ModifyDate>/, "</xmp:ModifyDate>"],
  ),
  ...inXmp(
    "xmp-metadata-date",
    [/<xmp:MetadataDate>.*?<\/xmp:MetadataDate>/, ""],
    [/<xmp:MetadataDate>\d{4}/, "<xmp:MetadataDate>26"],
  ),
  ...inXmp(
    "xmp-document-id",
    [/<xmpMM:DocumentID>.*?<\/xmpMM:DocumentID>/, ""],
    ["uuid:", ""],
    ["uuid:", "uuid:0"],
  ),
  ...inXmp(
    "xmp-version-id",
    [/<xmpMM:VersionID>.*?<\/xmpMM:VersionID>/, ""],
    [/<xmpMM:VersionID>1/, "<xmpMM:VersionID>"],
  ),
  ...inXmp(
    "xmp-rendition-class",
    [/<xmpMM:RenditionClass>.*?<\/xmpMM:RenditionClass>/, ""],
    [/>default</, "><"],
  ),
  ...inXmp(
    "xmp-trapped",
    [/<pdf:Trapped>.*?<\/pdf:Trapped>/, ""],
    ["<pdf:Trapped>False", "<pdf:Trapped>True"],
  ),
  ...inXmp(
    "xmp-title",
    [/<dc:title>.*?<\/dc:title>/, ""],
    [/(<dc:title>.*?)<\/rdf:li>/, "$1!</rdf:li>"],
  ),
  ...inXmp(
    "xmp-format",
    ["application/pdf", "application/xml"],
    [/<dc:format>.*?<\/dc:format>/, ""],
  ),
  ...inXmp(
    "xmp-producer",
    ["<pdf:Producer>E", "<pdf:Producer>F"],
    [/<pdf:Producer>.*?<\/pdf:Producer>/, ""],
  ),
  ...entry("intent-single", catalog, "OutputIntents", undefined, [], [{}, {}], 1),
  ...entry("intent-subtype", intent, "S", undefined, "/GTS_PDFA1", "/GTS_PDFXX", "GTS_PDFX"),
  ...entry("intent-type", intent, "Type", undefined, "/Intent"),
  ...entry("intent-identifier", intent, "OutputConditionIdentifier", undefined, "", "/FOGRA39"),
  ...entry("intent-info", intent, "Info", undefined, "", 3),
  ...entry("profile-embedded", intent, "DestOutputProfile", undefined, {}, "profile", 1),
  ...inProfile("profile-size", 0, "\0\0\0\u{1}", "aaaa"),
  ...inProfile("profile-signature", 36, "acs ", "\0\0\0\0"),
  ...inProfile("profile-class", 12, "mntr", "scnr", "spac", "link", "abst", "nmcl"),
  ...inProfile("profile-space", 16, "Lab ", "XYZ ", "HSV ", "6CLR"),
  ...inProfile("profile-components", 16, "RGB ", "GRAY"),
  ...inProfile("profile-version", 8, "\0", "\u{1}", "\u{3}", "\u{5}"),
  ...entry(
    "profile-components",
    (file) => file.dict(file.intent, "DestOutputProfile"),
    "N",
    undefined,
    1,
    3,
    5,
  ),
  ...entry("catalog-type", catalog, "Type", undefined, "/Pages"),
  ...entry("catalog-version", catalog, "Version", "/1.7", "/2.0"),
  ...[
    "OpenAction",
    "AA",
    "AcroForm",
    "Names",
    "OCProperties",
    "Requirements",
    "Perms",
    "Collection",
    "URI",
  ].flatMap((key) => entry(`catalog-without-${key}`, catalog, key, {}, [0])),
  ...entry("pages-counted", tree, "Count", undefined, 0, 1, 3, 99),
  ...entry("pages-counted", tree, "Kids", undefined, []),
  ...perPage("page-type", "Type", undefined, "/Pages"),
  ...perPage("page-parent", "Parent", undefined, {}),
  ...perPage(
    "page-media-box",
    "MediaBox",
    undefined,
    [0, 0, 10],
    [0, 0, 0, 10],
    [10, 10, 0, 0],
    ["a", 0, 1, 1],
  ),
  ...perPage("page-trim-box", "TrimBox", undefined, [0, 0, 0, 0], [1]),
  ...perPage("page-bleed-box", "BleedBox", undefined, [0, 0, 0, 0], 5),
  ...perPage("page-no-art-box", "ArtBox", [0, 0, 10, 10]),
  ...perPage("page-trim-inside-bleed", "BleedBox", [50, 50, 60, 60]),
  ...perPage("page-bleed-inside-media", "BleedBox", [-50, -50, 5_000, 5_000]),
  ...perPage("page-trim-is-media", "TrimBox", [5, 5, 20, 20]),
  ...perPage("page-no-crop-box", "CropBox", [0, 0, 10, 10]),
  ...perPage("page-no-user-unit", "UserUnit", 2),
  ...perPage("page-no-annotations", "Annots", [], [{ Subtype: "/Link" }]),
  ...perPage("page-no-actions", "AA", {}, { O: { S: "/URI" } }),
  ...perPage("page-no-presentation", "Trans", {}),
  ...perPage("page-no-presentation", "PresSteps", {}),
  ...perPage("page-resources", "Resources", undefined, 1),
  ...perPage("page-contents", "Contents", undefined, {}, []),
  ...perPage("page-group", "Group", undefined, {}),
  ...entry("page-group-space", group, "CS", undefined, "/DeviceRGB", "/DeviceGray", "/CalRGB"),
  ...inContent("content-operators", "0 xyz", "PS", "foo bar"),
  ...inContent("content-states-balanced", "q", "Q", "q q Q"),
  ...inContent("content-texts-balanced", "BT", "ET"),
  ...inContent("content-marks-balanced", "EMC", "/Span BMC"),
  ...inContent("content-no-postscript", "BI", "PS"),
  ...inContent("content-rendering-intent", "/Absolute ri", "/Best ri"),
  ...inContent("states-defined", "/G99 gs"),
  ...inContent("objects-defined", "/I99 Do"),
  ...inContent("fonts-defined", "/F99 1 Tf"),
  ...inContent("shadings-defined", "/S99 sh"),
  ...inContent("patterns-defined", "/P99 scn", "/P99 SCN"),
  ...entry(
    "rgb-has-default",
    resources,
    "ColorSpace",
    undefined,
    {},
    { DefaultRGB: "/DeviceRGB" },
    { DefaultRGB: ["/ICCBased", 1] },
    { DefaultGray: "/DeviceGray" },
  ),
  {
    rule: "rgb-has-default",
    says: "RGB without a default, in pictures, shadings and patterns only",
    apply: (file) => {
      const stream = file.stream(file.pages[0], "Contents");
      const data = stream === undefined ? undefined : file.data(stream);
      if (stream === undefined || data === undefined) {
        throw new Error("The sample has no content.");
      }
      const text = Buffer.from(data)
        .toString("latin1")
        .replaceAll(/[\d.]+ [\d.]+ [\d.]+ rg\b/g, "0 g")
        .replaceAll(/[\d.]+ [\d.]+ [\d.]+ RG\b/g, "0 G");
      stream.dict.delete(PDFName.of("Filter"));
      stream.updateContents(Buffer.from(text, "latin1"));
      resources(file)?.delete(PDFName.of("ColorSpace"));
    },
  },
  ...entry("shading-space", shading, "ColorSpace", undefined, "/Pattern", "/CalRGB", ["/Lab", {}]),
  ...entry("shading-type", shading, "ShadingType", 1, 4, 5, 6, 7),
  ...entry(
    "shading-function",
    shading,
    "Function",
    undefined,
    {},
    { FunctionType: 4 },
    { FunctionType: 0 },
  ),
  ...entry("font-encoding", font, "Encoding", undefined, "/WinAnsiEncoding", "/Identity-V", {}),
  ...entry("font-characters", font, "ToUnicode", undefined, "/Identity-H", {}),
  ...entry(
    "font-subset-name",
    font,
    "BaseFont",
    undefined,
    "/NotoSans-Regular",
    "/ABCDE+Noto",
    "/abcdef+Noto",
    "/ABCDEF+",
  ),
  ...entry("font-one-descendant", font, "DescendantFonts", undefined, [], [{}, {}]),
  ...entry("font-names-agree", font, "BaseFont", "/ABCDEF+Other"),
  ...entry("font-names-agree", descendant, "BaseFont", undefined, "/ABCDEF+Other"),
  ...entry("font-names-agree", descriptor, "FontName", undefined, "/ABCDEF+Other"),
  ...entry("font-descendant-type", descendant, "Subtype", undefined, "/TrueType", "/Type1"),
  ...entry("font-kinds", descendant, "Subtype", "/TrueType", "/Type3"),
  ...entry(
    "font-collection",
    descendant,
    "CIDSystemInfo",
    undefined,
    {},
    { Registry: "Adobe", Ordering: "Japan1" },
  ),
  ...entry("font-widths", descendant, "W", undefined, [], [1]),
  ...entry("font-glyph-map", descendant, "CIDToGIDMap", undefined, "/Identity"),
  ...entry("font-embedded", descriptor, "FontFile2", undefined, {}),
  ...entry("font-flags", descriptor, "Flags", undefined, 0, 32),
  ...entry("font-box", descriptor, "FontBBox", undefined, [0, 0], ["a", "b", "c", "d"]),
  ...["Ascent", "Descent", "CapHeight", "StemV", "ItalicAngle"].flatMap((key) =>
    entry("font-heights", descriptor, key, undefined, "/No"),
  ),
  ...entry("image-size", image, "Width", undefined, 0, -1),
  ...entry("image-size", image, "Height", undefined, 0, -1),
  ...entry("image-bits", image, "BitsPerComponent", undefined, 0, 3, 12, 32),
  ...entry(
    "image-space",
    image,
    "ColorSpace",
    undefined,
    "/CalRGB",
    ["/Separation", "/Gold", "/DeviceCMYK", {}],
    ["/DeviceN", ["/Gold"], "/DeviceCMYK", {}],
    ["/Lab", {}],
    ["/ICCBased", {}],
    ["/Indexed", "/DeviceN", 1, "x"],
  ),
  ...entry("image-no-alternates", image, "Alternates", [], [{ Image: 1 }]),
  ...entry("image-no-interpolation", image, "Interpolate", true, false),
  ...entry(
    "image-filter",
    image,
    "Filter",
    undefined,
    "/JPXDecode",
    "/JBIG2Decode",
    "/LZWDecode",
    "/RunLengthDecode",
  ),
  ...entry("image-mask-gray", softMask, "ColorSpace", undefined, "/DeviceRGB", "/DeviceCMYK"),
  ...entry("image-mask-gray", image, "SMask", {}, 4),
  ...entry("image-mask-plain", softMask, "SMask", {}, [1]),
  ...perForm("form-box", "BBox", undefined, [0, 0, 1], ["a", "b", "c", "d"]),
  ...perForm("form-resources", "Resources", undefined, 3),
  ...perForm("form-no-postscript", "Subtype2", "/PS"),
  ...perForm("form-no-postscript", "PS", "x"),
  ...perForm("form-no-reference", "Ref", {}),
  ...perForm("form-group-kind", "Group", {}, { S: "/Other", CS: "/DeviceCMYK" }),
  ...entry("form-group-space", composed, "CS", undefined, "/DeviceRGB", "/CalRGB", "/DeviceN"),
  ...entry("state-no-transfer", state, "TR", "/Identity", {}),
  ...entry("state-no-transfer", state, "TR2", "/Default"),
  ...["HT", "HTP", "HTO"].flatMap((key) => entry("state-no-halftone", state, key, "/Default", {})),
  ...entry("state-blend-mode", state, "BM", "/Mix", "/multiply", 3),
  ...entry("state-fill-opacity", state, "ca", -0.1, 1.5, 100),
  ...entry("state-stroke-opacity", state, "CA", -0.1, 1.5, 100),
  ...entry("state-mask-kind", mask, "S", undefined, "/Lightness"),
  ...entry("state-mask-group", mask, "G", undefined, {}, 1),
  ...["JavaScript", "Launch", "URI", "GoTo", "SubmitForm", "Movie", "Sound"].flatMap((kind) =>
    entry("no-actions", info, "Extra", { S: `/${kind}` }),
  ),
  ...entry("no-annotations", info, "Extra", { Type: "/Annot" }, [{ Type: "/Annot" }]),
  ...entry("no-opi", image, "OPI", {}, { "2.0": 1 }),
  ...entry("no-embedded-files", info, "Extra", { Type: "/Filespec" }, { EF: {} }),
  ...entry("no-external-streams", image, "FFilter", "/FlateDecode"),
  ...entry("no-external-streams", image, "FDecodeParms", {}),
  ...entry("no-lzw", image, "Filter", "/LZWDecode", ["/ASCIIHexDecode", "/LZWDecode"]),
  ...entry("no-crypt-filter", image, "Filter", "/Crypt", ["/Crypt"]),
];
