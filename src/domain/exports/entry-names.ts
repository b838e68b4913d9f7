import type { RunExportEntry } from "../../contracts/runs/zip-export.ts";
import { downloadName } from "../../lib/http/download-name.ts";
import { foldCase } from "../../lib/fold-case.ts";
import { safeFileName } from "../../lib/files/safe-file-name.ts";

/**
 * Names of the files in one export: `key.ext` for a single output (or the author's name), a folder
 * named by the key for the elements of an iterated one. The names are safe on every system, and
 * unique ignoring case. The same outputs in the same order get the same names.
 */
export class EntryNames {
  readonly #taken = new Set<string>();
  /** The next number to try for a repeated name, so that ten thousand equal names stay fast. */
  readonly #next = new Map<string, number>();

  nameOf(entry: RunExportEntry): string {
    const folder = entry.is_iterated ? `${safeFileName(entry.output_key, "output")}/` : "";
    return this.#unused(folder, safeFileName(wishedName(entry), "file"));
  }

  #unused(folder: string, name: string): string {
    const dot = name.lastIndexOf(".");
    const at = dot > 0 ? dot : name.length;
    const base = foldCase(folder + name);
    let number = this.#next.get(base) ?? 1;
    for (;;) {
      const path =
        folder + (number === 1 ? name : `${name.slice(0, at)}-${String(number)}${name.slice(at)}`);
      number += 1;
      const folded = foldCase(path);
      if (!this.#taken.has(folded)) {
        this.#taken.add(folded);
        this.#next.set(base, number);
        return path;
      }
    }
  }
}

function wishedName(entry: RunExportEntry): string {
  const place = entry.indices.length === 0 ? "0" : entry.indices.join("-");
  const stored = entry.file?.name ?? (entry.is_json ? "output.json" : "output.txt");
  if (entry.file_name !== null) {
    return downloadName(stored, entry.file_name.replaceAll("{index}", place));
  }
  const dot = stored.lastIndexOf(".");
  const extension = dot > 0 ? stored.slice(dot) : "";
  return (entry.is_iterated ? place : entry.output_key) + extension;
}
