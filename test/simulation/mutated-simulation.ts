/** The simulation built over an engine with one fault planted in its text. */
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { build } from "esbuild";
import type { Mutation } from "./mutations.ts";

const ROOT = join(import.meta.dirname, "../..");

export interface BuiltSimulation {
  readonly simulateSeed: typeof import("./simulate-seed.ts").simulateSeed;
  readonly simulateMoneySeed: typeof import("./simulate-money-seed.ts").simulateMoneySeed;
}

/** Throws when the text that the mutation changes is not there, once: it has to be kept up with the engine. */
export async function buildMutated(mutation: Mutation | undefined): Promise<BuiltSimulation> {
  // Inside the project, so that what is not bundled is found.
  const cache = join(ROOT, "node_modules/.cache");
  await mkdir(cache, { recursive: true });
  const directory = await mkdtemp(join(cache, "mutant-"));
  const out = join(directory, "simulation.mjs");
  try {
    const { outputFiles } = await build({
      stdin: {
        contents: `export * from "./test/simulation/simulate-seed.ts";
export * from "./test/simulation/simulate-money-seed.ts";`,
        resolveDir: ROOT,
      },
      bundle: true,
      packages: "external",
      platform: "node",
      format: "esm",
      target: "node20",
      write: false,
      plugins:
        mutation === undefined
          ? []
          : [
              {
                name: "mutate",
                setup: (hooks) => {
                  hooks.onLoad({ filter: /\.ts$/ }, async ({ path }) => {
                    const contents = await readFile(path, "utf8");
                    return path === join(ROOT, mutation.file)
                      ? { contents: mutate(contents, mutation), loader: "ts" }
                      : { contents, loader: "ts" };
                  });
                },
              },
            ],
    });
    await writeFile(out, outputFiles[0]!.contents);
    return (await import(pathToFileURL(out).href)) as BuiltSimulation;
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

function mutate(contents: string, { name, file, from, to }: Mutation): string {
  const parts = contents.split(from);
  if (parts.length !== 2) {
    throw new Error(`"${name}": ${file} has its text ${parts.length - 1} times, not once`);
  }
  return parts.join(to);
}
