/** The module of wasm/resampler: the committed bytes, and that their source gives these bytes. */
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { convolveModule } from "../../../support/media/wasm-modules.ts";

const ROOT = join(import.meta.dirname, "../../../..");
const SOURCES = join(ROOT, "wasm/resampler");
const committed = readFileSync(join(ROOT, "src/media/dsp/convolve.wasm"));

const HAS_TOOLS = ["clang-19", "wasm-ld-19"].every(
  (program) => spawnSync(program, ["--version"]).error === undefined,
);

describe("the kernel of the resampler", () => {
  it("is the module that wasm/resampler/modules.sha256 names", () => {
    const [hash] = readFileSync(join(SOURCES, "modules.sha256"), "utf8").split("  ");
    expect(createHash("sha256").update(committed).digest("hex")).toBe(hash);
  });

  it("imports its memory, and exports one function", () => {
    const module = convolveModule();
    expect(WebAssembly.Module.imports(module)).toEqual([
      { module: "env", name: "memory", kind: "memory" },
    ]);
    expect(WebAssembly.Module.exports(module)).toEqual([{ name: "convolve", kind: "function" }]);
  });

  it.skipIf(!HAS_TOOLS)("is made by wasm/resampler/build.sh to the byte", () => {
    const folder = mkdtempSync(join(tmpdir(), "kernel-"));
    try {
      const made = join(folder, "made.wasm");
      expect(spawnSync(join(SOURCES, "build.sh"), [made]).status).toBe(0);
      expect(readFileSync(made).equals(committed)).toBe(true);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
