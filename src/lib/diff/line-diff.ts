/** The difference of two texts by lines (docs/contract/executions.md#comparison). */
import { type Edit, editScript } from "./edit-script.ts";

/** Lines of a text up to which it is compared. */
const LINES_MAX = 5_000;
/** Lines that a script may remove and add together. */
const EDITS_MAX = 2_000;
/** UTF-8 bytes of a unified difference. */
const UNIFIED_MAX_BYTES = 4 * 1024;
const CONTEXT_LINES = 3;

/** All null where a text has too many lines, or the script too many edits. */
export interface LineDiff {
  readonly lines_added: number | null;
  readonly lines_removed: number | null;
  readonly lines_same: number | null;
  /** Unified format with three lines of context; null if it is too long. */
  readonly unified: string | null;
}

/** Of texts that are too long. */
export const NO_LINE_DIFF: LineDiff = {
  lines_added: null,
  lines_removed: null,
  lines_same: null,
  unified: null,
};

/** Compares two texts by a shortest script of removed and added lines. `\n` ends a line. */
export function lineDiff(a: string, b: string): LineDiff {
  const aLines = linesOf(a);
  const bLines = linesOf(b);
  if (aLines === null || bLines === null) {
    return NO_LINE_DIFF;
  }
  const numbers = new Map<string, number>();
  const edits = editScript(numbered(aLines, numbers), numbered(bLines, numbers), EDITS_MAX);
  if (edits === null) {
    return NO_LINE_DIFF;
  }
  const sum = (count: (edit: Edit) => number) =>
    edits.reduce((total, edit) => total + count(edit), 0);
  const removed = sum(({ aFrom, aTo }) => aTo - aFrom);
  return {
    lines_added: sum(({ bFrom, bTo }) => bTo - bFrom),
    lines_removed: removed,
    lines_same: aLines.length - removed,
    unified: unified(aLines, bLines, edits),
  };
}

/** With their ends, so that a last line without one differs from the same line with it. */
function linesOf(text: string): string[] | null {
  const lines: string[] = [];
  for (let from = 0; from < text.length;) {
    if (lines.length === LINES_MAX) {
      return null;
    }
    const end = text.indexOf("\n", from) + 1 || text.length;
    lines.push(text.slice(from, end));
    from = end;
  }
  return lines;
}

function numbered(lines: readonly string[], numbers: Map<string, number>): Int32Array {
  return Int32Array.from(lines, (line) => {
    const known = numbers.get(line);
    if (known !== undefined) {
      return known;
    }
    numbers.set(line, numbers.size);
    return numbers.size - 1;
  });
}

/** Edits that share context are in one hunk. */
function hunks(edits: readonly Edit[]): (readonly Edit[])[] {
  const result: Edit[][] = [];
  for (const edit of edits) {
    const last = result.at(-1);
    const before = last?.at(-1);
    if (last === undefined || before === undefined || edit.aFrom - before.aTo > 2 * CONTEXT_LINES) {
      result.push([edit]);
    } else {
      last.push(edit);
    }
  }
  return result;
}

function unified(
  aLines: readonly string[],
  bLines: readonly string[],
  edits: readonly Edit[],
): string | null {
  const encoder = new TextEncoder();
  const parts: string[] = [];
  let bytes = 0;
  const add = (text: string): boolean => {
    // A UTF-16 unit is at least one byte, so that a line of a megabyte is not encoded.
    if (bytes + text.length > UNIFIED_MAX_BYTES) {
      return false;
    }
    parts.push(text);
    bytes += encoder.encode(text).byteLength;
    return bytes <= UNIFIED_MAX_BYTES;
  };
  for (const text of pieces()) {
    if (!add(text)) {
      return null;
    }
  }
  return parts.join("");

  function* pieces(): Generator<string> {
    if (edits.length > 0) {
      yield "--- a\n+++ b\n";
    }
    for (const hunk of hunks(edits)) {
      const [first] = hunk;
      const last = hunk.at(-1);
      if (first === undefined || last === undefined) {
        continue;
      }
      const lead = Math.min(CONTEXT_LINES, first.aFrom);
      const tail = Math.min(CONTEXT_LINES, aLines.length - last.aTo);
      const aFrom = first.aFrom - lead;
      const bFrom = first.bFrom - lead;
      yield `@@ -${range(aFrom, last.aTo + tail)} +${range(bFrom, last.bTo + tail)} @@\n`;
      let at = aFrom;
      for (const edit of hunk) {
        yield* marked(" ", aLines, at, edit.aFrom);
        yield* marked("-", aLines, edit.aFrom, edit.aTo);
        yield* marked("+", bLines, edit.bFrom, edit.bTo);
        at = edit.aTo;
      }
      yield* marked(" ", aLines, at, last.aTo + tail);
    }
  }
}

function* marked(
  mark: " " | "+" | "-",
  lines: readonly string[],
  from: number,
  to: number,
): Generator<string> {
  for (const line of lines.slice(from, to)) {
    yield line.endsWith("\n") ? mark + line : `${mark}${line}\n\\ No newline at end of file\n`;
  }
}

/** The line numbers of a hunk: an empty one states the line before it. */
function range(from: number, to: number): string {
  const count = to - from;
  return count === 1
    ? String(from + 1)
    : `${String(count === 0 ? from : from + 1)},${String(count)}`;
}
