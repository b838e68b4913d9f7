import type { FontTable } from "./font-table.ts";
import { invalidFont } from "./invalid-font.ts";
import { LIMITS } from "../../lib/limits/limits-table.ts";

export interface FontNames {
  readonly family: string;
  readonly subfamily: string;
  readonly fullName: string;
  readonly postScriptName: string;
}

/** Name ids (OpenType 1.9, `name`). */
const [FAMILY, SUBFAMILY, FULL_NAME, POSTSCRIPT_NAME] = [1, 2, 4, 6];
const [TYPOGRAPHIC_FAMILY, TYPOGRAPHIC_SUBFAMILY] = [16, 17];
const WANTED = new Set([
  FAMILY,
  SUBFAMILY,
  FULL_NAME,
  POSTSCRIPT_NAME,
  TYPOGRAPHIC_FAMILY,
  TYPOGRAPHIC_SUBFAMILY,
]);

const RECORDS_MAX = LIMITS.font_names.value;
const NAME_CHARS_MAX = LIMITS.font_name.value;
/** PostScript's own limit (OpenType 1.9, name 6). */
const POSTSCRIPT_CHARS_MAX = 63;

const [UNICODE, MACINTOSH, WINDOWS] = [0, 1, 3];
const ENGLISH = 0x09;
const AMERICAN_ENGLISH = 0x0409;

/** Characters 0x80 to 0xFF of Mac OS Roman. */
const MAC_ROMAN =
  "ÄÅÇÉÑÖÜáàâäãåçéèêëíìîïñóòôöõúùûü†°¢£§•¶ß®©™´¨≠ÆØ∞±≤≥¥µ∂∑∏π∫ªºΩæø¿¡¬√ƒ≈∆«»…\u00a0ÀÃÕŒœ–—“”‘’÷◊ÿŸ⁄€‹›ﬁﬂ‡·‚„‰ÂÊÁËÈÍÎÏÌÓÔ\uf8ffÒÚÛÙıˆ˜¯˘˙˚¸˝˛ˇ";

const utf16 = new TextDecoder("utf-16be");

/**
 * Reads the names as clean text: NFC, without control, formatting and bidirectional characters,
 * white space collapsed to single spaces. English names are preferred. Throws FontError if the
 * family name is missing, or a name is too long.
 */
export function readFontNames(name: FontTable): FontNames {
  const found = readNames(name);
  const family = found.get(TYPOGRAPHIC_FAMILY) ?? found.get(FAMILY) ?? "";
  if (family === "") {
    throw invalidFont("The font does not name its family");
  }
  const subfamily = found.get(TYPOGRAPHIC_SUBFAMILY) ?? found.get(SUBFAMILY) ?? "Regular";
  return {
    family,
    subfamily,
    fullName: found.get(FULL_NAME) ?? `${family} ${subfamily}`,
    postScriptName:
      postScript(found.get(POSTSCRIPT_NAME) ?? "") ||
      postScript(`${family}-${subfamily}`) ||
      "Font",
  };
}

/** The preferred record of each wanted name; empty names are omitted. */
function readNames(name: FontTable): ReadonlyMap<number, string> {
  const version = name.u16(0);
  const count = name.u16(2);
  const storage = name.u16(4);
  if (version > 1 || count > RECORDS_MAX) {
    throw invalidFont(
      `The table name has version ${version} and ${count} names; version 0 or 1 and at most ${RECORDS_MAX} are allowed`,
    );
  }
  name.need(0, 6 + count * 12, `the list of ${count} names`);
  const best = new Map<number, { readonly rank: number; readonly text: string }>();
  for (let i = 0; i < count; i++) {
    const at = 6 + i * 12;
    const [length, start] = [name.u16(at + 8), storage + name.u16(at + 10)];
    name.need(start, length, "a name");
    const id = name.u16(at + 6);
    const [platform, encoding, language] = [name.u16(at), name.u16(at + 2), name.u16(at + 4)];
    const rank = rankOf(platform, encoding, language);
    if (!WANTED.has(id) || rank === undefined || rank >= (best.get(id)?.rank ?? Infinity)) {
      continue;
    }
    const bytes = name.bytes.subarray(start, start + length);
    const text = clean(platform === MACINTOSH ? macRoman(bytes) : utf16.decode(bytes));
    if (text.length > NAME_CHARS_MAX) {
      throw invalidFont(
        `A name of the font has ${text.length} characters; at most ${NAME_CHARS_MAX} are allowed`,
      );
    }
    if (text !== "") {
      best.set(id, { rank, text });
    }
  }
  return new Map([...best].map(([id, { text }]) => [id, text]));
}

/** Rank of a record: 0 is the best, undefined means unreadable. */
function rankOf(platform: number, encoding: number, language: number): number | undefined {
  if (platform === WINDOWS && [0, 1, 10].includes(encoding)) {
    return language === AMERICAN_ENGLISH ? 0 : (language & 0x3ff) === ENGLISH ? 1 : 4;
  }
  if (platform === UNICODE) {
    return 2;
  }
  // Roman script, English.
  return platform === MACINTOSH && encoding === 0 && language === 0 ? 3 : undefined;
}

function macRoman(bytes: Uint8Array): string {
  let text = "";
  for (const byte of bytes) {
    text += byte < 0x80 ? String.fromCharCode(byte) : (MAC_ROMAN[byte - 0x80] ?? "");
  }
  return text;
}

function clean(text: string): string {
  return text
    .normalize("NFC")
    .replaceAll(/(?!\s)[\p{Cc}\p{Cf}\p{Cs}]/gu, "")
    .replaceAll(/\s+/gu, " ")
    .trim();
}

function postScript(text: string): string {
  return text.replaceAll(/[^!-~]|[[\](){}<>/%]/g, "").slice(0, POSTSCRIPT_CHARS_MAX);
}
