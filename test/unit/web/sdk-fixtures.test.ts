import { readdir, readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { VERSION } from "../../../src/web/sdk/open-frame.ts";

test("each published SDK is kept, for the end-to-end test that drives the page with all of them", async () => {
  const names = await readdir("test/fixtures/sdk");
  // A new version: copy dist/assets/embed/sdk/v1.js there.
  expect(names).toContain(`${VERSION}.txt`);
  for (const name of names) {
    const script = await readFile(`test/fixtures/sdk/${name}`, "utf8");
    expect(script, name).toContain(name.slice(0, -".txt".length));
    expect(script, name).toMatch(/^var Edgeloom=/);
  }
});
