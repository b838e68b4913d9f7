/** Another build of the Workers: this code with a few lines of it changed while it is bundled. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Plugin } from "esbuild";

const ROOT = join(import.meta.dirname, "../../..");

/** A text that is in a file once, and what the other build has in its place. */
export interface Edit {
  readonly file: string;
  readonly from: string;
  readonly to: string;
}

/**
 * Each text must be in its file once: the edits have to be kept up with the code. What was changed leaves
 * `missing`, which is to be empty once the Workers are bundled.
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
