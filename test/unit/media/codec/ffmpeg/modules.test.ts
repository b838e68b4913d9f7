/** The modules of wasm/ffmpeg: the committed bytes, and that their sources give these bytes. */
import { execFile, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { compiledPackageFile } from "../../../../support/compiled-package-file.ts";
import { IS_PROOF } from "../../../../support/sizes.ts";

const ROOT = join(import.meta.dirname, "../../../../..");
const FOLDER = join(ROOT, "src/media/codec/ffmpeg");
const SOURCES = join(ROOT, "wasm/ffmpeg");
const run = promisify(execFile);

const stated = readFileSync(join(SOURCES, "modules.sha256"), "utf8")
  .trim()
  .split("\n")
  .map((line) => line.split("  ") as [hash: string, name: string]);
const bytesOf = (name: string) => readFileSync(join(FOLDER, name));
const hashOf = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest("hex");

/** Exit code of apt-get for a package or an archive that it cannot get. */
const APT_FAILED = 100;
const HAS_TOOLS =
  ["clang-19", "wasm-ld-19", "llvm-ar-19", "make", "apt-get"].every(
    (program) => spawnSync(program, ["--version"]).error === undefined,
  ) &&
  [
    "/usr/lib/wasm32-wasi/libc.a",
    "/usr/lib/llvm-19/lib/clang/19/lib/wasm32-unknown-wasi/libclang_rt.builtins.a",
    "/usr/include/simde/x86/sse4.1.h",
  ].every((path) => existsSync(path));

describe("the modules of FFmpeg and libopus", () => {
  it("are those that wasm/ffmpeg/modules.sha256 names", () => {
    expect(stated.map(([, name]) => name)).toEqual(["opus.wasm", "pictures.wasm", "sound.wasm"]);
    for (const [hash, name] of stated) {
      expect(hashOf(bytesOf(name)), name).toBe(hash);
      const changed = bytesOf(name);
      changed[changed.length >> 1]! ^= 1;
      expect(hashOf(changed)).not.toBe(hash);
    }
  });

  it("import their memory and nothing else, so that they reach neither a clock nor a file", () => {
    for (const [, name] of stated) {
      const module = compiledPackageFile(`../src/media/codec/ffmpeg/${name}`);
      expect(WebAssembly.Module.imports(module)).toEqual([
        { module: "env", name: "memory", kind: "memory" },
      ]);
    }
  });

  it("name no folder of the machine that built them", () => {
    for (const [, name] of stated) {
      expect(bytesOf(name).toString("latin1")).not.toMatch(/\/(?:tmp|home|work|usr|root)\//);
    }
  });

  it("take 1.1 MB compressed, of which sounds need a third", () => {
    const kilobytes = (name: string) => gzipSync(bytesOf(name), { level: 9 }).length / 1_000;
    expect(kilobytes("sound.wasm") + kilobytes("opus.wasm")).toBeLessThan(400);
    expect(kilobytes("pictures.wasm")).toBeLessThan(700);
  });

  if (IS_PROOF) {
    // Skipped where the compiler is not installed, or the archives of this version are not to be had any more.
    it.skipIf(!HAS_TOOLS)(
      "are made by wasm/ffmpeg/prove.sh to the byte, in two folders",
      { timeout: 1_800_000 },
      async ({ skip }) => {
        const folder = mkdtempSync(join(tmpdir(), "ffmpeg-sources-"));
        try {
          const fetched = spawnSync(join(SOURCES, "fetch-sources.sh"), [folder], {
            stdio: "ignore",
          });
          if (fetched.status === APT_FAILED) {
            skip("apt does not have the source archives");
          }
          expect(fetched.status).toBe(0);
          const { stdout } = await run(join(SOURCES, "prove.sh"), [folder]);
          expect(stdout.match(/\.wasm: OK/g)).toHaveLength(6);
        } finally {
          rmSync(folder, { recursive: true, force: true });
        }
      },
    );
  }
});
