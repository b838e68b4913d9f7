/** Reads subtitles as SRT, WebVTT or JSON (docs/contract/media.md#subtitles). */
import { ExactNumber, isJsonObject, type JsonValue } from "../../lib/json/exact-json.ts";
import { LIMITS } from "../../lib/limits/limits-table.ts";
import { parseMediaTime } from "../../lib/media-time.ts";
import { invalidSubtitles, type SubtitleCue } from "./subtitle-cue.ts";

const DOCUMENT_BYTES_MAX = LIMITS.subtitle_bytes.value;
const CUES_MAX = LIMITS.subtitle_cues.value;
const CUE_BYTES_MAX = LIMITS.subtitle_cue.value;

const SRT_TIME = /^(\d{1,9}):([0-5]\d):([0-5]\d)[,.](\d{1,3})$/;
const VTT_TIME = /^(?:(\d{2,9}):)?([0-5]\d):([0-5]\d)\.(\d{3})$/;
/** A tag cannot contain another one, so that a long line of `<` is read once. */
const TAGS = /<[^<>]*>|\{\\[^{}]*\}/g;
const ENTITIES = /&(?:amp|lt|gt|nbsp|lrm|rlm|#\d{1,7}|#x[0-9a-f]{1,6});/gi;
const NAMED: Readonly<Record<string, string>> = {
  amp: "&",
  lt: "<",
  gt: ">",
  nbsp: "\u00a0",
  lrm: "\u200e",
  rlm: "\u200f",
};

/** A cue as it stands in a document, before it is placed on a video. */
export type ParsedCue = SubtitleCue;

/** The text of a stored file. Throws NodeError `SUBTITLES_INVALID` above 4 MiB, or if it is not UTF-8. */
export function decodeSubtitles(bytes: Uint8Array): string {
  assertSize(bytes.byteLength);
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: false }).decode(bytes);
  } catch {
    throw invalidSubtitles("The subtitles are not UTF-8. Save the file in this encoding.");
  }
}

/**
 * The cues of an SRT or WebVTT document, in its order. A text that begins with `WEBVTT` is WebVTT. Throws NodeError
 * `SUBTITLES_INVALID`, which names the cue and the line.
 */
export function parseSubtitleText(given: string): readonly ParsedCue[] {
  assertSize(new TextEncoder().encode(given).byteLength);
  const text = given.replace(/^\ufeff/, "");
  const lines = text.split(/\r\n|\r|\n/);
  return /^WEBVTT(?:[ \t]|$)/.test(lines[0] ?? "") ? parseVtt(lines) : parseSrt(lines);
}

function assertSize(bytes: number): void {
  if (bytes > DOCUMENT_BYTES_MAX) {
    throw invalidSubtitles(
      `The subtitles have ${bytes} bytes; at most ${DOCUMENT_BYTES_MAX} are accepted.`,
    );
  }
}

/** Gathers cues and checks what is common to all formats. */
class Cues {
  readonly list: ParsedCue[] = [];

  add(startMs: number, endMs: number, text: string, line?: number): void {
    const place = { cue: this.list.length + 1, ...(line !== undefined && { line }) };
    if (this.list.length === CUES_MAX) {
      throw invalidSubtitles(`There are more than ${CUES_MAX} cues.`, place);
    }
    const bytes = new TextEncoder().encode(text).byteLength;
    if (bytes > CUE_BYTES_MAX) {
      throw invalidSubtitles(
        `The text has ${bytes} bytes; at most ${CUE_BYTES_MAX} are accepted.`,
        place,
      );
    }
    this.list.push({ startMs, endMs, text });
  }
}

/** A cue under way: its times, its line, and the lines of its text. */
interface Open {
  readonly startMs: number;
  readonly endMs: number;
  readonly line: number;
  readonly text: string[];
}

function parseSrt(lines: readonly string[]): readonly ParsedCue[] {
  const cues = new Cues();
  let open: Open | undefined;
  const close = () => {
    if (open !== undefined) {
      cues.add(open.startMs, open.endMs, withoutTags(open.text.join("\n")), open.line);
    }
  };
  for (const [index, line] of lines.entries()) {
    if (isTimesOf(line, open)) {
      // Without a blank line in between, the number of this cue has been read as text of the cue before.
      if (open !== undefined && /^\s*\d+\s*$/.test(open.text.at(-1) ?? "")) {
        open.text.pop();
      }
      close();
      open = { ...readTimes(line, SRT_TIME, cues.list.length + 1, index + 1), text: [] };
    } else if (open !== undefined) {
      open.text.push(line);
    } else if (!ONLY_NUMBER.test(line)) {
      throw invalidSubtitles(
        "Neither the number of a cue nor its times, such as 00:00:01,000 --> 00:00:02,500.",
        { cue: 1, line: index + 1 },
      );
    }
  }
  close();
  if (cues.list.length === 0) {
    throw invalidSubtitles("The subtitles contain no cue.", { cue: 1, line: 1 });
  }
  return cues.list;
}

const ONLY_NUMBER = /^\s*\d*\s*$/;

/** Whether a line has the times of a cue: a text may contain an arrow, too, unless it begins as times do. */
function isTimesOf(line: string, open: Open | undefined): boolean {
  if (!line.includes("-->")) {
    return false;
  }
  // After a blank line, a number or nothing there is no text yet.
  return (
    /^\s*[\d:.,]+\s*-->/.test(line) ||
    open === undefined ||
    ONLY_NUMBER.test(open.text.at(-1) ?? "x")
  );
}

function parseVtt(lines: readonly string[]): readonly ParsedCue[] {
  const cues = new Cues();
  // The header ends at the first blank line, or where a cue follows it directly.
  const header = endOfBlock(lines, 0);
  const arrow = lines.slice(1, header).findIndex((line) => line.includes("-->"));
  let index = arrow === -1 ? header : arrow + 1;
  while (index < lines.length) {
    const begin = index;
    index = endOfBlock(lines, begin);
    const block = lines.slice(begin, index);
    index++;
    const at = block.findIndex((line) => line.includes("-->"));
    if (at !== -1) {
      const times = readTimes(block[at] ?? "", VTT_TIME, cues.list.length + 1, begin + at + 1);
      const text = decodeEntities(withoutTags(block.slice(at + 1).join("\n")));
      cues.add(times.startMs, times.endMs, text, times.line);
    } else if (
      block.some((line) => line.trim() !== "") &&
      !/^(?:NOTE|STYLE|REGION)\b/.test(block[0] ?? "")
    ) {
      throw invalidSubtitles("A cue has no times, such as 00:01.000 --> 00:02.500.", {
        cue: cues.list.length + 1,
        line: begin + 1,
      });
    }
  }
  return cues.list;
}

/** Index of the first blank line from `begin`. */
function endOfBlock(lines: readonly string[], begin: number): number {
  let index = begin;
  while (index < lines.length && lines[index] !== "") {
    index++;
  }
  return index;
}

function readTimes(line: string, pattern: RegExp, cue: number, number: number) {
  const arrow = line.indexOf("-->");
  const [startMs, endMs] = [
    line.slice(0, arrow).trim(),
    // Settings and coordinates follow the second time.
    line
      .slice(arrow + 3)
      .trim()
      .split(/[ \t]/, 1)[0] ?? "",
  ].map((time) => {
    const [, hours = "0", minutes, seconds, fraction] = pattern.exec(time) ?? [];
    if (minutes === undefined || seconds === undefined || fraction === undefined) {
      throw invalidSubtitles(`"${time.slice(0, 40)}" is not a time.`, { cue, line: number });
    }
    return (
      (Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds)) * 1000 +
      Number(fraction.padEnd(3, "0"))
    );
  });
  return { ...ordered(startMs ?? 0, endMs ?? 0, cue, number), line: number };
}

function ordered(startMs: number, endMs: number, cue: number, line?: number) {
  if (endMs <= startMs) {
    throw invalidSubtitles("The end is not after the start.", {
      cue,
      ...(line !== undefined && { line }),
    });
  }
  return { startMs, endMs };
}

function withoutTags(text: string): string {
  return text
    .replace(TAGS, "")
    .split("\n")
    .map((line) => line.trimEnd())
    .join("\n")
    .replace(/^\n+|\n+$/g, "");
}

function decodeEntities(text: string): string {
  return text.replace(ENTITIES, (entity) => {
    const name = entity.slice(1, -1).toLowerCase();
    if (!name.startsWith("#")) {
      return NAMED[name] ?? entity;
    }
    const code = name.startsWith("#x") ? Number.parseInt(name.slice(2), 16) : Number(name.slice(1));
    const isText = code > 0 && code <= 0x10_ffff && (code < 0xd800 || code > 0xdfff);
    return isText ? String.fromCodePoint(code) : entity;
  });
}

/**
 * The cues of a JSON array of `{start, end, text}`, with times in seconds or as texts (docs/contract/media.md#times).
 * Other members mean nothing. Throws NodeError `SUBTITLES_INVALID`.
 */
export function parseSubtitleJson(given: JsonValue): readonly ParsedCue[] {
  if (!Array.isArray(given)) {
    throw invalidSubtitles("The cues must be a list of objects with start, end and text.");
  }
  const cues = new Cues();
  let bytes = 0;
  for (const [index, cue] of given.entries()) {
    const place = { cue: index + 1 };
    const { start, end, text } = isJsonObject(cue) ? cue : {};
    if (typeof text !== "string") {
      throw invalidSubtitles("It is not an object with start, end and text.", place);
    }
    bytes += new TextEncoder().encode(text).byteLength;
    assertSize(bytes);
    const [from, to] = (["start", "end"] as const).map((name) => {
      const seconds = secondsOf(name === "start" ? start : end);
      if (seconds === undefined) {
        throw invalidSubtitles(`Its ${name} is not a time.`, place);
      }
      return seconds;
    });
    ordered(from ?? 0, to ?? 0, index + 1);
    const startMs = Math.round((from ?? 0) * 1000);
    // Two times within one millisecond still show the text.
    const endMs = Math.max(startMs + 1, Math.round((to ?? 0) * 1000));
    cues.add(startMs, endMs, withoutTags(text.replace(/\r\n|\r/g, "\n")));
  }
  return cues.list;
}

function secondsOf(time: JsonValue | undefined): number | undefined {
  if (typeof time === "string") {
    return parseMediaTime(time);
  }
  const seconds = time instanceof ExactNumber ? time.toNumber() : time;
  return typeof seconds === "number" && Number.isFinite(seconds) && seconds >= 0
    ? seconds
    : undefined;
}
