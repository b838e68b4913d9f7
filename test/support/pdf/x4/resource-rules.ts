import type { PDFDict, PDFRawStream, PDFRef } from "pdf-lib";
import type { X4File } from "./x4-file.ts";
import type { X4Rule } from "./x4-rule.ts";

const BLEND_MODES = new Set(
  "Normal Compatible Multiply Screen Overlay Darken Lighten ColorDodge ColorBurn HardLight SoftLight Difference Exclusion Hue Saturation Color Luminosity".split(
    " ",
  ),
);
const ACTIONS = new Set(
  "JavaScript Launch GoTo GoToR GoToE Thread URI Sound Movie Hide Named SubmitForm ResetForm ImportData SetOCGState Rendition Trans GoTo3DView".split(
    " ",
  ),
);
const SUBSET_NAME = /^[A-Z]{6}\+.+$/;

const each =
  <T>(list: (file: X4File) => readonly T[]) =>
  (id: string, isRight: (file: X4File, one: T) => boolean): X4Rule => ({
    id,
    check: (file) =>
      list(file).flatMap((one) => (isRight(file, one) ? [] : [`${id} does not hold`])),
  });

const type0 = (file: X4File): PDFDict[] => file.typed("Subtype", "Type0");
const font = each<PDFDict>(type0);
const descendant = each<PDFDict | undefined>((file) =>
  type0(file).map((dict) => file.dict(file.list(dict, "DescendantFonts")?.[0])),
);
const image = each<PDFRawStream>((file) => file.images);
const form = each<PDFRawStream>((file) => file.forms);
const state = each<PDFDict>((file) => {
  const all = file.dicts.flatMap((dict) => file.dict(dict, "ExtGState")?.entries() ?? []);
  return all.flatMap(([, value]) => file.dict(value) ?? []);
});
const any = each<PDFDict>((file) => file.dicts);

const device = (file: X4File, stream: PDFRawStream): string =>
  String(file.get(stream, "ColorSpace"));

function isImageSpaceAllowed(file: X4File, stream: PDFRawStream): boolean {
  const space = device(file, stream);
  return (
    space === "/DeviceRGB" ||
    (space === "/DeviceGray" && (file.deviceSpace !== "DeviceRGB" || isMask(file, stream))) ||
    (space === "/DeviceCMYK" && file.deviceSpace === "DeviceCMYK") ||
    space.startsWith("[ /CalGray") ||
    hasOwnProfile(file, stream) ||
    space.startsWith("[ /Indexed /DeviceRGB")
  );
}

const COMPONENTS = new Map([
  ["RGB ", 3],
  ["GRAY", 1],
]);

/** `[/ICCBased stream]` of gray or RGB, by the header of the profile too. */
function hasOwnProfile(file: X4File, image: PDFRawStream): boolean {
  const [kind, reference] = file.list(image, "ColorSpace") ?? [];
  const profile = kind?.toString() === "/ICCBased" ? file.stream(reference) : undefined;
  const data = profile && file.data(profile);
  const components = COMPONENTS.get(String.fromCharCode(...(data?.subarray(16, 20) ?? [])));
  return components !== undefined && file.number(profile, "N") === components;
}

function isMask(file: X4File, stream: PDFRawStream): boolean {
  return file.images.some((other) => file.get(other, "SMask") === stream);
}

const isShare = (value: number | undefined): boolean =>
  value === undefined || (value >= 0 && value <= 1);

export const RESOURCE_RULES: readonly X4Rule[] = [
  font("font-encoding", (file, dict) => file.name(dict, "Encoding") === "Identity-H"),
  font("font-characters", (file, dict) => file.stream(dict, "ToUnicode") !== undefined),
  font("font-subset-name", (file, dict) => SUBSET_NAME.test(file.name(dict, "BaseFont") ?? "")),
  font("font-one-descendant", (file, dict) => file.list(dict, "DescendantFonts")?.length === 1),
  font("font-names-agree", (file, dict) => {
    const inner = file.list(dict, "DescendantFonts")?.[0];
    const name = file.name(dict, "BaseFont");
    return (
      file.name(inner, "BaseFont") === name &&
      file.name(inner, "FontDescriptor", "FontName") === name
    );
  }),
  descendant("font-descendant-type", (file, dict) =>
    /^CIDFontType[02]$/.test(file.name(dict, "Subtype") ?? ""),
  ),
  descendant(
    "font-collection",
    (file, dict) =>
      file.text(dict, "CIDSystemInfo", "Registry") === "Adobe" &&
      file.text(dict, "CIDSystemInfo", "Ordering") === "Identity",
  ),
  descendant("font-widths", (file, dict) => (file.list(dict, "W")?.length ?? 0) >= 2),
  descendant(
    "font-glyph-map",
    (file, dict) =>
      file.name(dict, "Subtype") !== "CIDFontType2" ||
      file.stream(dict, "CIDToGIDMap") !== undefined,
  ),
  descendant(
    "font-embedded",
    (file, dict) =>
      (file.stream(dict, "FontDescriptor", "FontFile2") ??
        file.stream(dict, "FontDescriptor", "FontFile3")) !== undefined,
  ),
  descendant(
    "font-flags",
    (file, dict) => ((file.number(dict, "FontDescriptor", "Flags") ?? 0) & 4) === 4,
  ),
  descendant(
    "font-box",
    (file, dict) => file.numbers(dict, "FontDescriptor", "FontBBox")?.length === 4,
  ),
  descendant("font-heights", (file, dict) =>
    ["Ascent", "Descent", "CapHeight", "StemV", "ItalicAngle"].every(
      (key) => file.number(dict, "FontDescriptor", key) !== undefined,
    ),
  ),
  {
    id: "font-kinds",
    check: (file) =>
      file
        .typed("Type", "Font")
        .filter((dict) => !/^(?:Type0|CIDFontType[02])$/.test(file.name(dict, "Subtype") ?? ""))
        .map(() => "a font is not a Type 0 font"),
  },
  image(
    "image-size",
    (file, dict) => (file.number(dict, "Width") ?? 0) > 0 && (file.number(dict, "Height") ?? 0) > 0,
  ),
  image("image-bits", (file, dict) =>
    [1, 2, 4, 8, 16].includes(file.number(dict, "BitsPerComponent") ?? 0),
  ),
  image("image-space", isImageSpaceAllowed),
  image("image-no-alternates", (file, dict) => file.get(dict, "Alternates") === undefined),
  image("image-no-interpolation", (file, dict) => file.get(dict, "Interpolate") === undefined),
  image("image-filter", (file, dict) =>
    ["FlateDecode", "DCTDecode"].includes(file.name(dict, "Filter") ?? ""),
  ),
  image(
    "image-mask-gray",
    (file, dict) =>
      file.get(dict, "SMask") === undefined ||
      (file.name(dict, "SMask", "Subtype") === "Image" &&
        file.name(dict, "SMask", "ColorSpace") === "DeviceGray"),
  ),
  image("image-mask-plain", (file, dict) => file.get(dict, "SMask", "SMask") === undefined),
  form("form-box", (file, dict) => file.numbers(dict, "BBox")?.length === 4),
  form("form-resources", (file, dict) => file.dict(dict, "Resources") !== undefined),
  form(
    "form-no-postscript",
    (file, dict) => file.get(dict, "Subtype2") === undefined && file.get(dict, "PS") === undefined,
  ),
  form("form-no-reference", (file, dict) => file.get(dict, "Ref") === undefined),
  form(
    "form-group-kind",
    (file, dict) =>
      file.get(dict, "Group") === undefined || file.name(dict, "Group", "S") === "Transparency",
  ),
  form(
    "form-group-space",
    (file, dict) =>
      file.get(dict, "Group") === undefined ||
      [file.deviceSpace, ...(file.deviceSpace === "DeviceRGB" ? [] : ["DeviceGray"])].includes(
        file.name(dict, "Group", "CS") ?? "",
      ),
  ),
  state(
    "state-no-transfer",
    (file, dict) => file.get(dict, "TR") === undefined && file.get(dict, "TR2") === undefined,
  ),
  state("state-no-halftone", (file, dict) =>
    ["HT", "HTP", "HTO"].every((key) => file.get(dict, key) === undefined),
  ),
  state(
    "state-blend-mode",
    (file, dict) =>
      file.get(dict, "BM") === undefined || BLEND_MODES.has(file.name(dict, "BM") ?? ""),
  ),
  state("state-fill-opacity", (file, dict) => isShare(file.number(dict, "ca"))),
  state("state-stroke-opacity", (file, dict) => isShare(file.number(dict, "CA"))),
  state(
    "state-mask-kind",
    (file, dict) =>
      file.get(dict, "SMask") === undefined ||
      ["Luminosity", "Alpha"].includes(file.name(dict, "SMask", "S") ?? ""),
  ),
  state(
    "state-mask-group",
    (file, dict) =>
      file.get(dict, "SMask") === undefined ||
      file.name(dict, "SMask", "G", "Group", "S") === "Transparency",
  ),
  any("no-actions", (file, dict) => !ACTIONS.has(file.name(dict, "S") ?? "")),
  any("no-annotations", (file, dict) => file.name(dict, "Type") !== "Annot"),
  any("no-opi", (file, dict) => file.get(dict, "OPI") === undefined),
  any(
    "no-embedded-files",
    (file, dict) => file.name(dict, "Type") !== "Filespec" && file.get(dict, "EF") === undefined,
  ),
  any(
    "no-external-streams",
    (file, dict) =>
      file.get(dict, "FFilter") === undefined && file.get(dict, "FDecodeParms") === undefined,
  ),
  any("no-lzw", (file, dict) => !/LZWDecode/.test(String(file.get(dict, "Filter")))),
  any("no-crypt-filter", (file, dict) => !/Crypt/.test(String(file.get(dict, "Filter")))),
  {
    id: "references-resolve",
    check: (file) =>
      file
        .refs()
        .filter((ref: PDFRef) => file.context.lookup(ref) === undefined)
        .map((ref) => `there is no object ${ref.toString()}`),
  },
];
