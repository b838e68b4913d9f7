import { execFile } from "node:child_process";
import { cp, mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

const run = promisify(execFile);

describe("a script whose compiled form is kept", () => {
  let root: string;

  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), "edgeloom-kept-"));
    await mkdir(join(root, "scripts"));
    await mkdir(join(root, "node_modules"));
    await cp("scripts/keep-compiled.mjs", join(root, "scripts/keep-compiled.mjs"));
    await writeFile(join(root, "package.json"), '{ "type": "module" }');
    await writeFile(join(root, "scripts/part.ts"), "export const two: number = 2;\n");
    await write("console.log((two as number) + 1, process.argv[2]);");
  });

  afterEach(async () => {
    await rm(root, { recursive: true, force: true });
  });

  it("prints the same on its first and second start, and nothing else", async () => {
    const said = { stdout: "3 a\n", stderr: "" };
    expect(await start()).toEqual(said);
    expect(await stripped()).toHaveLength(2);
    expect(await start()).toEqual(said);
    expect(await stripped()).toHaveLength(2);
  });

  it("is the one on disk after a change", async () => {
    await start();
    await write("console.log((two as number) + 40);");
    expect((await start()).stdout).toBe("42\n");
  });

  it.each([
    ["overwritten", () => "throw new Error('damaged');"],
    ["emptied", () => ""],
  ])("starts if all of its cache was %s", async (_, damaged) => {
    await start();
    const files = await kept();
    expect(files.length).toBeGreaterThan(2);
    await Promise.all(files.map((path) => writeFile(path, damaged())));
    expect(await start()).toEqual({ stdout: "3 a\n", stderr: "" });
    expect(await start()).toEqual({ stdout: "3 a\n", stderr: "" });
  });

  it("starts if nothing can be cached", async () => {
    await writeFile(join(root, "node_modules/.cache"), "a file where the folder would be");
    expect(await start()).toEqual({ stdout: "3 a\n", stderr: "" });
  });

  it("starts several times at once", async () => {
    const all = await Promise.all([start(), start(), start(), start()]);
    expect(all.map(({ stdout }) => stdout)).toEqual(Array(4).fill("3 a\n"));
    expect(await stripped()).toHaveLength(2);
  });

  it("reports the position of an error in the source file", async () => {
    await write("interface Unused {\n  a: string;\n}\nthrow new Error(`${two}`);");
    for (const _ of [1, 2]) {
      await expect(start()).rejects.toMatchObject({
        stderr: expect.stringContaining("main.ts:5:7") as string,
      });
    }
  });

  function write(body: string): Promise<void> {
    return writeFile(join(root, "scripts/main.ts"), `import { two } from "./part.ts";\n${body}\n`);
  }

  /** From a folder outside of the project, where none of its files may be written. */
  function start(): Promise<{ stdout: string; stderr: string }> {
    const { NODE_COMPILE_CACHE: _, ...env } = process.env;
    return run(
      process.execPath,
      ["--import", join(root, "scripts/keep-compiled.mjs"), join(root, "scripts/main.ts"), "a"],
      { env },
    );
  }

  async function kept(): Promise<string[]> {
    const cache = join(root, "node_modules/.cache/edgeloom-scripts");
    const entries = await readdir(cache, { recursive: true, withFileTypes: true });
    return entries
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name));
  }

  async function stripped(): Promise<string[]> {
    return (await kept()).filter((path) => path.includes("/stripped/"));
  }
});
