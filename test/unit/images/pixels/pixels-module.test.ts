/** The module of wasm/pixels: the committed bytes, and that their source gives these bytes. */
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { imageCodecs } from "../../../support/images/wasm-modules.ts";

const ROOT = join(import.meta.dirname, "../../../..");
const SOURCES = join(ROOT, "wasm/pixels");
const committed = readFileSync(join(ROOT, "src/images/pixels/pixels.wasm"));

const HAS_TOOLS = ["clang-19", "wasm-ld-19"].every(
  (program) => spawnSync(program, ["--version"]).error === undefined,
);

describe("the kernels of pictures", () => {
  it("are the module that wasm/pixels/modules.sha256 names", () => {
    const [hash] = readFileSync(join(SOURCES, "modules.sha256"), "utf8").split("  ");
    expect(createHash("sha256").update(committed).digest("hex")).toBe(hash);
  });

  it("import their memory, and are the functions that PixelCalls states", () => {
    const module = imageCodecs.pixels;
    expect(WebAssembly.Module.imports(module)).toEqual([
      { module: "env", name: "memory", kind: "memory" },
    ]);
    const exported = WebAssembly.Module.exports(module).map(({ name }) => name);
    const stated = readFileSync(join(ROOT, "src/images/pixels/pixel-kernels.ts"), "utf8")
      .split("interface PixelCalls {")[1]!
      .split("\n}")[0]!;
    const names = [...stated.matchAll(/^ {2}(\w+)\(/gm)].map(([, name]) => name);
    expect(new Set(exported)).toEqual(new Set(names));
  });

  it.skipIf(!HAS_TOOLS)("are made by wasm/pixels/build.sh to the byte", () => {
    const folder = mkdtempSync(join(tmpdir(), "kernels-"));
    try {
      const made = join(folder, "made.wasm");
      expect(spawnSync(join(SOURCES, "build.sh"), [made]).status).toBe(0);
      expect(readFileSync(made).equals(committed)).toBe(true);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
