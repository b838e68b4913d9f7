import type { RunExportEntry } from "../../contracts/zip-export.ts";
import { downloadName } from "../../lib/download-name.ts";
import { foldCase } from "../../lib/fold-case.ts";
import { safeFileName } from "../../lib/safe-file-name.ts";

/**
 * Names the files of one export: a single output `key.ext` (or what its author called it), elements
 * of an iterated one in a folder of its key. Safe everywhere, and unique without regard to case.
 * The same outputs in the same order get the same names.
 */
export class EntryNames {
  readonly #taken = new Set<string>();
  /** The next number to try for a name that came again, so that ten thousand of one name stay quick. */
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
