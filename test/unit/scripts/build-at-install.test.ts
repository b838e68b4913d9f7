/** docs/decisions/browser-code.md: what is built at an install never fails the install. */
import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";

const SCRIPT = "scripts/build-at-install.mjs";
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "edgeloom-install-"));
});

afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
});

/** The exit code of a script in a folder that has nothing of what it builds with. */
async function exitOf(text: string): Promise<number | null> {
  const path = join(folder, `${crypto.randomUUID()}.mjs`);
  await writeFile(path, text);
  return new Promise((resolve) => {
    const child = execFile(process.execPath, [path], () => {
      resolve(child.exitCode);
    });
  });
}

test("an install succeeds where the browser code cannot be built", async () => {
  const { scripts } = JSON.parse(await readFile("package.json", "utf8")) as {
    readonly scripts: Readonly<Record<string, string>>;
  };
  expect(scripts["postinstall"]).toContain(SCRIPT);
  const text = await readFile(SCRIPT, "utf8");
  expect(await exitOf(text)).toBe(0);
  // Without its guard the same script fails.
  const unguarded = text.replace(/try \{([^]*?)\} catch \{[^]*\}/, "$1");
  expect(unguarded).not.toBe(text);
  expect(await exitOf(unguarded)).toBe(1);
});
