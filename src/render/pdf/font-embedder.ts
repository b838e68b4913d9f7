import { hex4, utf16Hex } from "./pdf-syntax.ts";
import {
  arrayOf,
  asciiOf,
  dictOf,
  PassingName,
  type PdfValue,
  refOf,
  refsOf,
} from "./pdf-objects.ts";
import { type DeflatedBytes, deflatedBytes, type ObjectWriter, type Ref } from "./object-writer.ts";
import type { PdfFace } from "./pdf-resources.ts";

/** ISO 32000-1 table 123. */
const FLAGS = { fixedPitch: 1, serif: 2, symbolic: 4, italic: 64 } as const;
/** Entries of one `bfchar` block (Adobe Technical Note 5014). */
const CMAP_BLOCK_MAX = 100;

/** A glyph with the text that it is read as, under a number of its own. */
export interface UsedGlyph {
  readonly cid: number;
  /** The number of the font in which it is read so: 0 for all glyphs but those of `CFF ` fonts. */
  readonly reading: number;
  readonly glyph: number;
  readonly text: string;
  /** In thousandths of the font size. */
  readonly width: number;
}

/**
 * One face of a document: numbers the glyphs that pages use, and is written at the end as a Type 0 font with a subset,
 * its widths and its texts (ISO 32000-1 §9.7). A TrueType glyph that is read as different texts has one number (CID)
 * for each, so that extraction needs nothing but the numbers. The numbers of `CFF ` glyphs are fixed: further texts are in
 * further Type 0 fonts, which share everything but the map to Unicode.
 */
export class FontEmbedder {
  readonly #name: string;
  readonly #reserve: () => Ref;
  /** Of each Type 0 font. */
  readonly #refs: Ref[] = [];
  readonly #face: PdfFace;
  /** Of each glyph, with every text that has a number of its own. */
  readonly #byGlyph = new Map<number, UsedGlyph[]>();
  /** In the order of use. Number 0 is the glyph for missing characters in every font. */
  readonly #used: UsedGlyph[] = [];

  /** `reserve` gives the number of an object that is written at the end. */
  constructor(name: string, reserve: () => Ref, face: PdfFace) {
    this.#name = name;
    this.#reserve = reserve;
    this.#refs.push(reserve());
    this.#face = face;
  }

  /** The name and object of the font in which glyphs have a reading. */
  font(reading: number): { readonly name: string; readonly ref: Ref } {
    const ref = (this.#refs[reading] ??= this.#reserve());
    return { name: reading === 0 ? this.#name : `${this.#name}R${reading}`, ref };
  }

  /** Counts a glyph as used and read as `text`. */
  use(glyph: number, text: string): UsedGlyph {
    const { isCff } = this.#face;
    let known = this.#byGlyph.get(glyph);
    if (known === undefined) {
      known = [];
      this.#byGlyph.set(glyph, known);
    }
    for (const one of known) {
      if (one.text === text) {
        return one;
      }
    }
    const cid = isCff ? glyph : this.#used.length + 1;
    const width = Math.round((this.#face.advance(glyph) * 1_000) / this.#face.unitsPerEm);
    const used = { cid, reading: isCff ? known.length : 0, glyph, text, width };
    known.push(used);
    this.#used.push(used);
    return used;
  }

  write(objects: ObjectWriter): void {
    const face = this.#face;
    const all = face.isCff ? this.#used.toSorted((a, b) => a.cid - b.cid) : this.#used;
    const used = all.filter(({ reading }) => reading === 0);
    const subset = face.subset([...this.#byGlyph.keys()].toSorted((a, b) => a - b));
    const { file, tag, isCff, program } = writtenSubset(subset);
    const name = new PassingName(`${tag}+${face.postScriptName}`);
    const em = (units: number): number => Math.round((units * 1_000) / face.unitsPerEm);
    const flags =
      FLAGS.symbolic |
      (face.isFixedPitch ? FLAGS.fixedPitch : 0) |
      (face.isSerif ? FLAGS.serif : 0) |
      (face.italicAngle === 0 ? 0 : FLAGS.italic);
    const fontFile = isCff
      ? objects.addPacked({ Subtype: "CIDFontType0C" }, program)
      : objects.addPacked({ Length1: file.length }, program);
    const descriptor = objects.add(
      dictOf({
        Type: "FontDescriptor",
        FontName: name,
        Flags: flags,
        FontBBox: arrayOf(face.bounds.map(em)),
        ItalicAngle: Math.round(face.italicAngle),
        Ascent: em(face.ascent),
        Descent: -em(face.descent),
        CapHeight: em(face.capHeight),
        StemV: stemWidth(face.weight),
        [isCff ? "FontFile3" : "FontFile2"]: refOf(fontFile),
      }),
    );
    const numbering = isCff ? undefined : refOf(objects.addDeflated({}, glyphMap(used)));
    const descendant = objects.add(
      dictOf({
        Type: "Font",
        Subtype: isCff ? "CIDFontType0" : "CIDFontType2",
        BaseFont: name,
        CIDSystemInfo: dictOf({
          Registry: asciiOf("Adobe"),
          Ordering: asciiOf("Identity"),
          Supplement: 0,
        }),
        FontDescriptor: refOf(descriptor),
        W: widthRuns(used),
        CIDToGIDMap: numbering,
      }),
    );
    for (const [number, ref] of this.#refs.entries()) {
      const map = characterMap(all.filter(({ reading }) => reading === number));
      const characters = objects.addDeflated({}, map);
      objects.add(
        dictOf({
          Type: "Font",
          Subtype: "Type0",
          BaseFont: name,
          Encoding: "Identity-H",
          DescendantFonts: refsOf([descendant]),
          ToUnicode: refOf(characters),
        }),
        ref,
      );
    }
  }
}

/** By ascending numbers. */
type UsedGlyphs = readonly UsedGlyph[];

/** A subset as files contain it. */
interface WrittenSubset {
  readonly file: Uint8Array;
  readonly tag: string;
  readonly isCff: boolean;
  readonly program: DeflatedBytes;
}

/** Of subsets that the face keeps: documents that print the same characters have the same file. */
const WRITTEN = new WeakMap<Uint8Array, WrittenSubset>();

function writtenSubset(file: Uint8Array): WrittenSubset {
  let written = WRITTEN.get(file);
  if (written === undefined) {
    const cff = cffTable(file);
    written = {
      file,
      tag: subsetTag(file),
      isCff: cff !== undefined,
      program: deflatedBytes(cff ?? file),
    };
    WRITTEN.set(file, written);
  }
  return written;
}

/** Widths of consecutive numbers after the first of them. */
function widthRuns(used: UsedGlyphs): PdfValue {
  const runs: { readonly first: number; readonly widths: number[] }[] = [];
  let next = -1;
  for (const { cid, width } of used) {
    if (cid === next) {
      runs.at(-1)?.widths.push(width);
    } else {
      runs.push({ first: cid, widths: [width] });
    }
    next = cid + 1;
  }
  return arrayOf(runs.flatMap(({ first, widths }) => [first, arrayOf(widths)]));
}

/** Two bytes with the glyph of each number, from 0. */
function glyphMap(used: UsedGlyphs): Uint8Array {
  const bytes = new Uint8Array(((used.at(-1)?.cid ?? 0) + 1) * 2);
  const view = new DataView(bytes.buffer);
  for (const { cid, glyph } of used) {
    view.setUint16(cid * 2, glyph);
  }
  return bytes;
}

/** Viewers use it only for substitutes; the common estimate from the weight. */
function stemWidth(weight: number): number {
  return Math.round(10 + (220 * (weight - 50)) / 900);
}

/** Six letters from the subset's bytes (FNV-1a), so that equal subsets have equal names. */
function subsetTag(file: Uint8Array): string {
  let hash = 0x811c9dc5;
  for (const byte of file) {
    hash = Math.imul(hash ^ byte, 0x01000193) >>> 0;
  }
  let tag = "";
  for (let i = 0; i < 6; i++) {
    tag += String.fromCharCode(65 + (hash % 26));
    hash = Math.floor(hash / 26);
  }
  return tag;
}

/** The `CFF ` table of an OpenType file; undefined for TrueType outlines. */
function cffTable(file: Uint8Array): Uint8Array | undefined {
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength);
  const count = view.getUint16(4);
  for (let i = 0; i < count; i++) {
    const at = 12 + i * 16;
    if (view.getUint32(at) === 0x43_46_46_20) {
      const start = view.getUint32(at + 8);
      return file.subarray(start, start + view.getUint32(at + 12));
    }
  }
  return undefined;
}

/** The ToUnicode CMap (ISO 32000-1 §9.10.3). */
function characterMap(used: UsedGlyphs): string {
  const blocks: string[] = [];
  for (let at = 0; at < used.length; at += CMAP_BLOCK_MAX) {
    const block = used.slice(at, at + CMAP_BLOCK_MAX);
    const lines = block.map(({ cid, text }) => `<${hex4(cid)}><${utf16Hex(text)}>`);
    blocks.push(`${block.length} beginbfchar\n${lines.join("\n")}\nendbfchar\n`);
  }
  return (
    "/CIDInit/ProcSet findresource begin\n12 dict begin\nbegincmap\n" +
    "/CIDSystemInfo<</Registry(Adobe)/Ordering(UCS)/Supplement 0>>def\n" +
    "/CMapName/Adobe-Identity-UCS def\n/CMapType 2 def\n" +
    `1 begincodespacerange\n<0000><FFFF>\nendcodespacerange\n${blocks.join("")}` +
    "endcmap\nCMapName currentdict/CMap defineresource pop\nend\nend"
  );
}
