import { FontError } from "../../../src/formats/font/font-error.ts";
import type { FontMetadata } from "../../../src/formats/font/font-metadata.ts";
import { repairChecksums } from "./font-surgery.ts";

export interface FontFuzz {
  readonly seed: number;
  readonly executions: number;
  readonly bases: readonly Uint8Array[];
  /** The function under test: returns metadata, or throws FontError. */
  readonly judge: (bytes: Uint8Array) => Promise<FontMetadata>;
}

export interface FontFuzzReport {
  readonly executions: number;
  readonly accepted: number;
  /** By code. */
  readonly refused: ReadonlyMap<string, number>;
  /** Distinct messages without numbers: how far mutations get into the reader. */
  readonly reasons: number;
  readonly findings: readonly string[];
  readonly seconds: number;
  readonly slowestMs: number;
}

const [RECORD_BYTES, HEADER_BYTES] = [16, 12];
const NUMBERS = [0, 1, 2, 3, 4, 8, 16, 0x7f, 0x80, 0xff, 0x100, 0x7fff, 0x8000, 0xfffe, 0xffff];
const FINDINGS_MAX = 20;

/** Mutates fonts and checks invariants of every result. Deterministic for a seed. */
export async function fuzzFonts(fuzz: FontFuzz): Promise<FontFuzzReport> {
  const refused = new Map<string, number>();
  const reasons = new Set<string>();
  const findings: string[] = [];
  const start = performance.now();
  let [accepted, slowestMs, executions] = [0, 0, 0];
  while (executions < fuzz.executions && findings.length < FINDINGS_MAX) {
    const seed = fuzz.seed + executions++;
    const bytes = mutate(fuzz.bases, new Dice(seed));
    const from = performance.now();
    try {
      const problem = metadataProblem(await fuzz.judge(bytes), bytes);
      accepted++;
      if (problem !== undefined) {
        findings.push(`seed ${seed}: accepted ${problem}`);
      }
    } catch (error) {
      if (error instanceof FontError) {
        refused.set(error.code, (refused.get(error.code) ?? 0) + 1);
        reasons.add(error.message.replaceAll(/\d+|"[^"]*"/g, "_"));
      } else {
        findings.push(`seed ${seed}: threw ${String(error).slice(0, 200)}`);
      }
    }
    slowestMs = Math.max(slowestMs, performance.now() - from);
  }
  const seconds = (performance.now() - start) / 1_000;
  return { executions, accepted, refused, reasons: reasons.size, findings, seconds, slowestMs };
}

/** Violations in the metadata of an accepted font. */
function metadataProblem(metadata: FontMetadata, bytes: Uint8Array): string | undefined {
  const { weight, unitsPerEm, glyphCount, characterCount, variant, style } = metadata;
  if (!Number.isInteger(weight) || weight < 1 || weight > 1_000) {
    return `weight ${weight}`;
  }
  if (variant !== `${weight}${style === "italic" ? "-italic" : ""}`) {
    return `variant ${variant}`;
  }
  if (unitsPerEm < 16 || unitsPerEm > 16_384 || glyphCount < 1 || characterCount < 1) {
    return `${unitsPerEm} units, ${glyphCount} glyphs, ${characterCount} characters`;
  }
  if (glyphCount * 2 > bytes.byteLength) {
    return `${glyphCount} glyphs in ${bytes.byteLength} bytes`;
  }
  const names = [metadata.family, metadata.subfamily, metadata.fullName, metadata.postScriptName];
  const bad = names.find(
    (name) => name === "" || name.length > 450 || /[\p{Cc}\p{Cf}]/u.test(name),
  );
  return bad === undefined ? undefined : `the name ${JSON.stringify(bad)}`;
}

/** One to four changes to one of the fonts; usually with corrected checksums. */
export function mutate(bases: readonly Uint8Array[], dice: Dice): Uint8Array {
  let font = dice.pick(bases).slice();
  for (let i = dice.below(4); i >= 0; i--) {
    font = change(font, dice);
  }
  return dice.below(10) === 0 || font.byteLength < HEADER_BYTES ? font : repairChecksums(font);
}

function change(font: Uint8Array<ArrayBuffer>, dice: Dice): Uint8Array<ArrayBuffer> {
  if (font.byteLength < 64) {
    return font;
  }
  const view = new DataView(font.buffer);
  const tableCount = Math.min(view.getUint16(4), 40);
  const record = HEADER_BYTES + dice.below(Math.max(tableCount, 1)) * RECORD_BYTES;
  if (record + RECORD_BYTES > font.byteLength) {
    return font;
  }
  const start = view.getUint32(record + 8);
  const length = view.getUint32(record + 12);
  const isInside = length >= 4 && start + length <= font.byteLength;
  switch (dice.below(isInside ? 10 : 2)) {
    case 0: // a field of the directory
      view.setUint32(
        record + dice.pick([0, 8, 12]),
        dice.below(2) === 0 ? dice.below(font.byteLength * 2) : dice.number() * 0x1_0001,
      );
      return font;
    case 1: // truncated anywhere
      return dice.below(4) === 0 ? font.slice(0, dice.below(font.byteLength)) : font;
    case 2: // bits
      for (let i = dice.below(8); i >= 0; i--) {
        const at = start + dice.below(length);
        font[at] = (font[at] ?? 0) ^ (1 << dice.below(8));
      }
      return font;
    case 3: // a shorter table, in place
      view.setUint32(record + 12, dice.below(length));
      return font;
    case 4: // a piece of a table copied over another piece
      font.copyWithin(
        start + dice.below(length),
        start + dice.below(length),
        start + dice.below(length),
      );
      return font;
    case 5: // noise
      for (
        let i = dice.below(16), at = start + dice.below(length);
        i >= 0 && at < start + length;
        i--, at++
      ) {
        font[at] = dice.below(256);
      }
      return font;
    case 6: // the beginning of a table, where its counts are
    case 7:
      view.setUint16(start + (dice.below(Math.min(length - 2, 40)) & ~1), dice.number());
      return font;
    default: // a significant number anywhere
      view.setUint16(start + dice.below(length - 2), dice.number());
      return font;
  }
}

/** Reproducible random numbers (mulberry32). */
export class Dice {
  #state: number;

  constructor(seed: number) {
    this.#state = Math.imul(seed, 0x9e37_79b1) >>> 0;
  }

  below(limit: number): number {
    this.#state = (this.#state + 0x6d2b_79f5) >>> 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * limit);
  }

  pick<T>(from: readonly T[]): T {
    const picked = from[this.below(from.length)];
    if (picked === undefined) {
      throw new Error("There is nothing to pick from.");
    }
    return picked;
  }

  /** 16 bits: often one at an edge. */
  number(): number {
    return this.below(2) === 0 ? this.pick(NUMBERS) : this.below(0x1_0000);
  }
}
