import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { fillFolder } from "../../support/node/fill-folder.ts";

let root: string;

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), "edgeloom-fill-"));
});

afterAll(async () => {
  await rm(root, { recursive: true, force: true });
});

/** Four write the same two files; returns whether one of them, done before the last began, saw a folder that is not whole. */
async function fillByFour(
  folder: string,
  make: (folder: string, fill: (own: string) => Promise<void>) => Promise<void>,
): Promise<boolean> {
  const started = Promise.withResolvers<void>();
  let begun = 0;
  let sawHalf = false;
  await Promise.all(
    Array.from({ length: 4 }, () =>
      make(folder, async (own) => {
        await writeFile(join(own, "first"), "1");
        begun += 1;
        if (begun === 4) {
          // Each has written its first file, none the second.
          sawHalf = existsSync(folder);
          started.resolve();
        }
        await started.promise;
        await writeFile(join(own, "second"), "2");
      }),
    ),
  );
  return sawHalf;
}

test("a folder that four fill at once is whole when it is there, and nothing is left beside it", async () => {
  const folder = join(root, "whole");
  expect(await fillByFour(folder, fillFolder)).toBe(false);
  expect((await readdir(folder)).toSorted()).toEqual(["first", "second"]);
  expect(await readFile(join(folder, "second"), "utf8")).toBe("2");
  expect(await readdir(root)).toEqual(["whole"]);
});

test("one that is filled where it stands would be seen half", async () => {
  const inPlace = async (folder: string, fill: (own: string) => Promise<void>) => {
    await mkdir(folder, { recursive: true });
    await fill(folder);
  };
  expect(await fillByFour(join(root, "half"), inPlace)).toBe(true);
});

test("a failed fill is reported, and leaves nothing", async () => {
  const folder = join(root, "failed");
  await expect(fillFolder(folder, () => Promise.reject(new Error("no space")))).rejects.toThrow(
    "no space",
  );
  expect((await readdir(root)).filter((name) => name.startsWith("failed"))).toEqual([]);
});
