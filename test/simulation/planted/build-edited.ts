/** Bundles a module of the project with one edit in the text of a file that it imports. */
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { build } from "esbuild";

const ROOT = join(import.meta.dirname, "../../..");

export interface Edit {
  readonly file: string;
  readonly from: string;
  readonly to: string;
}

/** Returns the exports of `entry`, a path below the project's root. Throws unless the text to be changed occurs exactly once. */
export async function buildEdited<T>(entry: string, edit: Edit | undefined): Promise<T> {
  const cache = join(ROOT, "node_modules/.cache");
  await mkdir(cache, { recursive: true });
  const directory = await mkdtemp(join(cache, "edited-"));
  try {
    const { outputFiles } = await build({
      entryPoints: [join(ROOT, entry)],
      bundle: true,
      packages: "external",
      platform: "node",
      format: "esm",
      target: "node20",
      write: false,
      alias: { "cloudflare:workers": join(ROOT, "test/support/node/cloudflare-workers.ts") },
      plugins: [
        {
          name: "edit",
          setup: (hooks) => {
            hooks.onLoad({ filter: /\.ts$/ }, async ({ path }) => {
              const contents = await readFile(path, "utf8");
              const isEdited = edit !== undefined && path === join(ROOT, edit.file);
              return {
                // Paths of other files start where the source is, not the bundle.
                contents: (isEdited ? edited(contents, edit) : contents).replaceAll(
                  "import.meta.url",
                  JSON.stringify(pathToFileURL(path).href),
                ),
                loader: "ts",
              };
            });
          },
        },
      ],
    });
    const out = join(directory, "edited.mjs");
    await writeFile(out, outputFiles[0]!.contents);
    return (await import(pathToFileURL(out).href)) as T;
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

function edited(contents: string, { file, from, to }: Edit): string {
  const parts = contents.split(from);
  if (parts.length !== 2) {
    throw new Error(`${file} has the text "${from}" ${parts.length - 1} times, not once`);
  }
  return parts.join(to);
}
