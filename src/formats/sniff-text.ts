/** The only control character above 0x7F in text. */
const DELETE = 0x7f;
const TEXT_CONTROLS = new Set([0x09, 0x0a, 0x0c, 0x0d, 0x1a, 0x1b]);

/** Beginnings of other formats that are text. */
const FOREIGN =
  /^(?:%PDF-|%!PS|\{\\rtf|<!doctype\b|<html\b|<head\b|<body\b|<script\b|<svg\b|<\?xml\b|<\?php\b|#!\/)/i;

const OBJ_LINE =
  /^(?:#|v\s|vt\s|vn\s|vp\s|f\s|o\s|o$|g\s|g$|s\s|l\s|p\s|mtllib\s|usemtl\s|curv|surf|end\b)/;
const SRT_START = /^\s*\d+\s*\r?\n\s*\d{1,3}:\d{2}:\d{2}[,.]\d{1,3}\s*-->/;

/** Whether a file's beginning has no bytes that are never in UTF-8 or Windows-1252 text. */
export function looksLikeText(bytes: Uint8Array): boolean {
  return bytes.every((byte) => (byte >= 0x20 && byte !== DELETE) || TEXT_CONTROLS.has(byte));
}

/**
 * Checks whether the beginning of a text file has the type of its extension; undefined if it does,
 * else the problem.
 */
export function textProblem(
  extension: string,
  bytes: Uint8Array,
  isWhole: boolean,
): string | undefined {
  if (!looksLikeText(bytes)) {
    // Excel's "Unicode text".
    const isUtf16 = [0xfffe, 0xfeff].includes(((bytes[0] ?? 0) << 8) | (bytes[1] ?? 0));
    return isUtf16
      ? "The text is in UTF-16; it must be in UTF-8 or Windows-1252"
      : "The bytes are not text";
  }
  const text = new TextDecoder("utf-8", { fatal: false, ignoreBOM: false }).decode(bytes);
  const start = text.trimStart();
  // Plain text may be in any language, but must not begin like a file of another format.
  if (extension === "txt" ? start.startsWith("%PDF-") : FOREIGN.test(start)) {
    return `The text begins with ${JSON.stringify(start.slice(0, 12))}, which is another format`;
  }
  switch (extension) {
    case "json":
      return jsonProblem(start, isWhole, /^[[{"\d\-tfn]/);
    case "gltf":
      return jsonProblem(start, isWhole, /^\{/, (value) => hasAsset(value));
    case "ndjson":
    case "jsonl":
      return linesProblem(start, isWhole);
    case "vtt":
      return /^WEBVTT(?:[ \t\r\n]|$)/.test(text)
        ? undefined
        : "The text does not begin with WEBVTT";
    case "srt":
      return SRT_START.test(text) ? undefined : "The text does not begin with a numbered SRT cue";
    case "obj":
      return objProblem(text, isWhole);
    default:
      return undefined;
  }
}

function jsonProblem(
  text: string,
  isWhole: boolean,
  first: RegExp,
  isRight: (value: unknown) => boolean = () => true,
): string | undefined {
  if (!first.test(text)) {
    return "The text is not JSON";
  }
  if (!isWhole) {
    return undefined;
  }
  try {
    return isRight(JSON.parse(text)) ? undefined : "The JSON is not of that format";
  } catch (error) {
    const reason = error instanceof Error ? `: ${error.message.slice(0, 160)}` : "";
    return `The text is not valid JSON${reason}`;
  }
}

function hasAsset(value: unknown): boolean {
  return (
    typeof value === "object" &&
    value !== null &&
    "asset" in value &&
    typeof value.asset === "object" &&
    value.asset !== null &&
    "version" in value.asset
  );
}

/** Every complete line is JSON. */
function linesProblem(text: string, isWhole: boolean): string | undefined {
  const lines = text.split("\n");
  const whole = isWhole ? lines : lines.slice(0, -1);
  for (const [index, line] of whole.entries()) {
    if (line.trim() === "") {
      continue;
    }
    const problem = jsonProblem(line.trim(), true, /^[[{"\d\-tfn]/);
    if (problem !== undefined) {
      return `Line ${index + 1} is not JSON`;
    }
  }
  return /^[[{"\d\-tfn]/.test(text) ? undefined : "The first line is not JSON";
}

function objProblem(text: string, isWhole: boolean): string | undefined {
  const lines = text.split("\n");
  const whole = isWhole ? lines : lines.slice(0, -1);
  // A continued line contains numbers, whatever its first characters are.
  let isContinued = false;
  for (const [index, line] of whole.entries()) {
    const trimmed = line.trim();
    if (trimmed !== "" && !isContinued && !OBJ_LINE.test(trimmed)) {
      return `Line ${index + 1} is not a line of an .obj file`;
    }
    isContinued = trimmed.endsWith("\\");
  }
  return undefined;
}
