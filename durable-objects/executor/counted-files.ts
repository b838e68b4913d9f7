import type { MediaWork } from "../../src/contracts/runs/task.ts";
import type { CountedFile } from "../../src/nodes/define-tools.ts";

/** The files of one attempt, for the trace of nodes of video. A file that is opened several times counts once. */
export class CountedFiles {
  readonly #read = new Map<string, number>();
  readonly #stored = new Map<string, number>();
  #faststart: boolean | null = null;
  captions: number | null = null;

  add({ use, key, sizeBytes, faststart }: CountedFile): void {
    (use === "read" ? this.#read : this.#stored).set(key, sizeBytes);
    if (faststart !== undefined) {
      this.#faststart = faststart && this.#faststart !== false;
    }
  }

  get work(): MediaWork {
    return {
      source_bytes: sumOf(this.#read),
      output_bytes: sumOf(this.#stored),
      caption_count: this.captions,
      faststart: this.#faststart,
    };
  }
}

function sumOf(sizes: ReadonlyMap<string, number>): number {
  let sum = 0;
  for (const size of sizes.values()) {
    sum += size;
  }
  return sum;
}
