import { lineWidth, type Typeface } from "../../../images/lettering/typeface.ts";

export interface SetLine {
  readonly text: string;
  readonly width: number;
}

export interface SetText {
  readonly size: number;
  readonly lines: readonly SetLine[];
  /** Distance of baselines. */
  readonly leading: number;
  readonly height: number;
}

interface Room {
  readonly width: number;
  readonly height: number;
  readonly sizeMax: number;
  readonly sizeMin: number;
  readonly linesMax: number;
  /** Distance of baselines in em. */
  readonly leading: number;
}

/**
 * The text in the largest size that fits; in the smallest size with an ellipsis if it does not fit.
 * Undefined if not even one word's beginning has room.
 */
export function setText(face: Typeface, text: string, room: Room): SetText | undefined {
  const words = text.split(/\s+/u).filter((word) => word !== "");
  if (words.length === 0 || room.height < room.sizeMin || room.width < room.sizeMin * 2) {
    return undefined;
  }
  const widths = words.map((word) => lineWidth(face, word));
  let size = Math.min(room.sizeMax, room.height);
  while (size > room.sizeMin) {
    const lines = wrap(face, words, widths, room.width / size);
    if (lines !== undefined && lines.length <= linesOf(room, size)) {
      return made(face, lines, size, room.leading);
    }
    size *= 0.94;
  }
  size = room.sizeMin;
  const lines = wrap(face, ...broken(face, words, room.width / size), room.width / size) ?? [];
  const count = linesOf(room, size);
  if (count === 0) {
    return undefined;
  }
  const kept = lines.slice(0, count);
  if (lines.length > count) {
    kept.push(withEllipsis(face, kept.pop() ?? "", room.width / size));
  }
  return made(face, kept, size, room.leading);
}

function linesOf(room: Room, size: number): number {
  return Math.min(room.linesMax, Math.floor((room.height / size - 1) / room.leading + 1));
}

function made(face: Typeface, lines: readonly string[], size: number, leading: number): SetText {
  return {
    size,
    lines: lines.map((text) => ({ text, width: lineWidth(face, text) * size })),
    leading: leading * size,
    height: (1 + (lines.length - 1) * leading) * size,
  };
}

/**
 * Lines no wider than `width` em and of similar lengths; undefined if a word is wider. The first
 * pass counts the lines, the second finds the narrowest width with that count.
 */
function wrap(
  face: Typeface,
  words: readonly string[],
  widths: readonly number[],
  width: number,
): string[] | undefined {
  if (widths.some((word) => word > width)) {
    return undefined;
  }
  const space = face.space / 1000;
  const fill = (limit: number): string[] => {
    const lines: string[] = [];
    let line = "";
    let used = 0;
    for (const [i, word] of words.entries()) {
      const own = widths[i] as number;
      if (line !== "" && used + space + own > limit) {
        lines.push(line);
        [line, used] = [word, own];
      } else {
        used += line === "" ? own : space + own;
        line = line === "" ? word : `${line} ${word}`;
      }
    }
    lines.push(line);
    return lines;
  };
  const count = fill(width).length;
  let best = fill(width);
  const longest = Math.max(...widths);
  for (let limit = width * 0.95; limit > Math.max(longest, width * 0.5); limit *= 0.95) {
    const lines = fill(limit);
    if (lines.length > count) {
      break;
    }
    best = lines;
  }
  return best;
}

/** Words wider than the line, divided between characters. */
function broken(
  face: Typeface,
  words: readonly string[],
  width: number,
): [words: string[], widths: number[]] {
  const parts: string[] = [];
  for (const word of words) {
    let part = "";
    for (const character of word) {
      if (part !== "" && lineWidth(face, part + character) > width) {
        parts.push(part);
        part = "";
      }
      part += character;
    }
    parts.push(part);
  }
  return [parts, parts.map((part) => Math.min(width, lineWidth(face, part)))];
}

function withEllipsis(face: Typeface, line: string, width: number): string {
  let text = line;
  while (text !== "" && lineWidth(face, `${text}…`) > width) {
    text = Array.from(text).slice(0, -1).join("").trimEnd();
  }
  return `${text}…`;
}
