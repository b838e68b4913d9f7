import { Buffer } from "node:buffer";
import { SaxesParser } from "saxes";
import type { X4File } from "./x4-file.ts";
import type { X4Rule } from "./x4-rule.ts";

const INFO_DATE = /^D:\d{14}(?:Z|[+-]\d\d'\d\d'?)$/;
const XMP_DATE = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:Z|[+-]\d\d:\d\d)$/;

/** Passes, or says why not. */
function unless(isRight: boolean, message: string): string[] {
  return isRight ? [] : [message];
}

const rule = (id: string, isRight: (file: X4File) => boolean): X4Rule => ({
  id,
  check: (file) => unless(isRight(file), `${id} does not hold`),
});

/** An Info date as XMP writes it. */
function asXmpDate(date: string | undefined): string {
  const [, y, mo, d, h, mi, s] = /^D:(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)/.exec(date ?? "") ?? [];
  return `${y}-${mo}-${d}T${h}:${mi}:${s}Z`;
}

function isWellFormed(xml: string): boolean {
  let isRight = true;
  const parser = new SaxesParser({ xmlns: true });
  parser.on("error", () => {
    isRight = false;
  });
  parser.write(xml).close();
  return isRight;
}

function ascii(bytes: Uint8Array | undefined, from: number, to: number): string {
  return Buffer.from(bytes?.subarray(from, to) ?? []).toString("latin1");
}

const FORBIDDEN_IN_CATALOG = [
  "OpenAction",
  "AA",
  "AcroForm",
  "Names",
  "OCProperties",
  "Requirements",
  "Perms",
  "Collection",
  "URI",
] as const;

export const FILE_RULES: readonly X4Rule[] = [
  rule("header-version", ({ bytes }) => ascii(bytes, 0, 9) === "%PDF-1.6\n"),
  rule(
    "header-binary",
    ({ bytes }) => bytes[9] === 0x25 && bytes.subarray(10, 14).every((byte) => byte > 127),
  ),
  rule("end-of-file", ({ bytes }) =>
    /startxref\n\d+\n%%EOF\n?$/.test(ascii(bytes, bytes.length - 60, bytes.length)),
  ),
  rule("no-encryption", ({ trailer }) => trailer.Encrypt === undefined),
  rule("id-pair", (file) => file.list(file.trailer.ID)?.length === 2),
  rule("id-strings", (file) =>
    (file.list(file.trailer.ID) ?? []).every((one) => /^[<(].{16,}[>)]$/s.test(one.toString())),
  ),
  rule("info-dictionary", ({ info }) => info !== undefined),
  rule("info-version", (file) => file.text(file.info, "GTS_PDFXVersion") === "PDF/X-4"),
  rule("info-title", (file) => (file.text(file.info, "Title") ?? "") !== ""),
  rule("info-creation-date", (file) => INFO_DATE.test(file.text(file.info, "CreationDate") ?? "")),
  rule("info-modification-date", (file) => INFO_DATE.test(file.text(file.info, "ModDate") ?? "")),
  rule("info-trapped", (file) => ["True", "False"].includes(file.name(file.info, "Trapped") ?? "")),
  rule("info-producer", (file) => (file.text(file.info, "Producer") ?? "") !== ""),
  rule("metadata-stream", (file) => file.stream(file.catalog, "Metadata") !== undefined),
  rule(
    "metadata-type",
    (file) =>
      file.name(file.catalog, "Metadata", "Type") === "Metadata" &&
      file.name(file.catalog, "Metadata", "Subtype") === "XML",
  ),
  rule(
    "metadata-uncompressed",
    (file) => file.get(file.catalog, "Metadata", "Filter") === undefined,
  ),
  rule("xmp-packet", ({ xmp }) =>
    /^<\?xpacket begin="\u{feff}?" id="W5M0MpCehiHzreSzNTczkc9d"\?>.*<\?xpacket end="[rw]"\?>\s*$/su.test(
      xmp,
    ),
  ),
  rule("xmp-well-formed", ({ xmp }) =>
    isWellFormed(xmp.replaceAll(/<\?xpacket.*?\?>/gs, "").trim()),
  ),
  rule("xmp-version", (file) => file.xmpValue("pdfxid:GTS_PDFXVersion") === "PDF/X-4"),
  rule("xmp-version-namespace", ({ xmp }) =>
    xmp.includes('xmlns:pdfxid="http://www.npes.org/pdfx/ns/id/"'),
  ),
  rule(
    "xmp-creation-date",
    (file) => file.xmpValue("xmp:CreateDate") === asXmpDate(file.text(file.info, "CreationDate")),
  ),
  rule(
    "xmp-modification-date",
    (file) => file.xmpValue("xmp:ModifyDate") === asXmpDate(file.text(file.info, "ModDate")),
  ),
  rule("xmp-metadata-date", (file) => XMP_DATE.test(file.xmpValue("xmp:MetadataDate") ?? "")),
  rule("xmp-document-id", (file) =>
    /^uuid:[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(
      file.xmpValue("xmpMM:DocumentID") ?? "",
    ),
  ),
  rule("xmp-version-id", (file) => (file.xmpValue("xmpMM:VersionID") ?? "") !== ""),
  rule("xmp-rendition-class", (file) => (file.xmpValue("xmpMM:RenditionClass") ?? "") !== ""),
  rule("xmp-trapped", (file) => file.xmpValue("pdf:Trapped") === file.name(file.info, "Trapped")),
  rule("xmp-title", (file) => file.xmpValue("dc:title") === file.text(file.info, "Title")),
  rule("xmp-format", (file) => file.xmpValue("dc:format") === "application/pdf"),
  rule(
    "xmp-producer",
    (file) => file.xmpValue("pdf:Producer") === file.text(file.info, "Producer"),
  ),
  rule("intent-single", (file) => file.list(file.catalog, "OutputIntents")?.length === 1),
  rule("intent-subtype", (file) => file.name(file.intent, "S") === "GTS_PDFX"),
  rule("intent-type", (file) => file.name(file.intent, "Type") === "OutputIntent"),
  rule(
    "intent-identifier",
    (file) => (file.text(file.intent, "OutputConditionIdentifier") ?? "") !== "",
  ),
  rule("intent-info", (file) => (file.text(file.intent, "Info") ?? "") !== ""),
  rule("profile-embedded", ({ profile }) => profile !== undefined),
  rule(
    "profile-size",
    ({ profile }) =>
      profile !== undefined &&
      profile.length >= 128 &&
      new DataView(profile.buffer, profile.byteOffset).getUint32(0) === profile.length,
  ),
  rule("profile-signature", ({ profile }) => ascii(profile, 36, 40) === "acsp"),
  rule("profile-class", ({ profile }) => ascii(profile, 12, 16) === "prtr"),
  rule("profile-space", ({ profile }) => ["CMYK", "RGB ", "GRAY"].includes(ascii(profile, 16, 20))),
  rule(
    "profile-components",
    (file) =>
      file.number(file.intent, "DestOutputProfile", "N") ===
      { CMYK: 4, "RGB ": 3, GRAY: 1 }[ascii(file.profile, 16, 20)],
  ),
  rule("profile-version", ({ profile }) => [2, 4].includes(profile?.[8] ?? 0)),
  rule("catalog-type", (file) => file.name(file.catalog, "Type") === "Catalog"),
  rule("catalog-version", (file) =>
    ["1.4", "1.5", "1.6", undefined].includes(file.name(file.catalog, "Version")),
  ),
  ...FORBIDDEN_IN_CATALOG.map((key) =>
    rule(`catalog-without-${key}`, (file) => file.get(file.catalog, key) === undefined),
  ),
];
