import { createHash } from "node:crypto";

/** Grows when the same run is shown differently by a newer version of this code. */
const VIEW = 1;

const marks = new Map<string, string>();
const MARKS_MAX = 100;

/**
 * The tag of a run's views: a view is made from the run's rows, which change only with a row of the
 * log, and from the address under which links are made.
 */
export function entityTag(logHead: number, baseUrl: string): string {
  let mark = marks.get(baseUrl);
  if (mark === undefined) {
    if (marks.size >= MARKS_MAX) {
      marks.clear();
    }
    mark = createHash("sha256")
      .update(`${String(VIEW)}|${baseUrl}`)
      .digest("base64url")
      .slice(0, 8);
    marks.set(baseUrl, mark);
  }
  return `"${String(logHead)}-${mark}"`;
}
