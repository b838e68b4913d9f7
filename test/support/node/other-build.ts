/** Another build of the Workers: this code with a few lines changed while it is bundled. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Plugin } from "esbuild";

const ROOT = join(import.meta.dirname, "../../..");

/** A text that occurs once in a file, and its replacement. */
export interface Edit {
  readonly file: string;
  readonly from: string;
  readonly to: string;
}

/**
 * Each text must occur exactly once in its file, so the edits must follow the code. Applied edits are removed from
 * `missing`, which must be empty once the Workers are bundled.
 */
export function otherBuild(edits: readonly Edit[], missing: Set<Edit>): Plugin {
  return {
    name: "another-build",
    setup(hooks) {
      hooks.onLoad({ filter: /\.ts$/ }, async ({ path }) => {
        const mine = edits.filter(({ file }) => path === join(ROOT, file));
        if (mine.length === 0) {
          return undefined;
        }
        let contents = await readFile(path, "utf8");
        for (const edit of mine) {
          if (contents.split(edit.from).length !== 2) {
            throw new Error(`${edit.file} does not have "${edit.from}" once`);
          }
          contents = contents.replace(edit.from, edit.to);
          missing.delete(edit);
        }
        return { contents, loader: "ts" };
      });
    },
  };
}
