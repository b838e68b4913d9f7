/** The modules of wasm/pictures: the committed bytes, and that their sources give these bytes. */
import { execFile, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { IS_PROOF } from "../../../support/sizes.ts";
import { imageCodecs } from "../../../support/images/wasm-modules.ts";

const ROOT = join(import.meta.dirname, "../../../..");
const SOURCES = join(ROOT, "wasm/pictures");
const run = promisify(execFile);
const MODULES = [
  {
    name: "jpeg.wasm",
    folder: "jpeg",
    module: imageCodecs.jpeg,
    imports: ["fail", "read", "write"],
    bytesMax: 112_000,
  },
  {
    name: "webp-reader.wasm",
    folder: "webp",
    module: imageCodecs.webp,
    imports: ["fail"],
    bytesMax: 62_000,
  },
  {
    name: "webp-writer.wasm",
    folder: "webp",
    module: imageCodecs.webpEncoder,
    imports: ["fail", "write"],
    bytesMax: 92_000,
  },
  {
    name: "avif.wasm",
    folder: "avif",
    module: imageCodecs.avif,
    imports: ["fail"],
    bytesMax: 243_000,
  },
].map((one) => ({ ...one, bytes: readFileSync(join(ROOT, "src/images", one.folder, one.name)) }));
const hashOf = (content: Uint8Array) => createHash("sha256").update(content).digest("hex");

/** Exit code of apt-get for a package or an archive that it cannot get. */
const APT_FAILED = 100;
const HAS_TOOLS =
  ["clang-19", "wasm-ld-19", "apt-get"].every(
    (program) => spawnSync(program, ["--version"]).error === undefined,
  ) &&
  [
    "/usr/lib/wasm32-wasi/libc.a",
    "/usr/lib/llvm-19/lib/clang/19/lib/wasm32-unknown-wasi/libclang_rt.builtins.a",
    "/usr/include/simde/arm/neon.h",
    "/usr/include/simde/x86/sse2.h",
  ].every((path) => existsSync(path));

describe("the modules of libjpeg-turbo, libwebp and dav1d", () => {
  it("are the modules that wasm/pictures/modules.sha256 names", () => {
    const stated = readFileSync(join(SOURCES, "modules.sha256"), "utf8").trim().split("\n");
    expect(stated).toEqual(MODULES.map(({ bytes, name }) => `${hashOf(bytes)}  ${name}`));
    for (const { bytes } of MODULES) {
      const changed = Uint8Array.from(bytes);
      changed[changed.length >> 1]! ^= 1;
      expect(hashOf(changed)).not.toBe(hashOf(bytes));
    }
  });

  it.each(MODULES)(
    "$name imports its memory and functions of its file, so that it reaches neither a clock nor another file",
    ({ module, imports }) => {
      const found = WebAssembly.Module.imports(module).map((one) => `${one.module}.${one.name}`);
      expect(found.toSorted()).toEqual(["env.memory", ...imports.map((name) => `host.${name}`)]);
    },
  );

  it.each(MODULES)("$name names no folder of the machine that built it", ({ bytes }) => {
    expect(bytes.toString("latin1")).not.toMatch(/\/(?:tmp|home|work|usr|root)\//);
  });

  it.each(MODULES)("$name takes at most $bytesMax bytes compressed", ({ bytes, bytesMax }) => {
    expect(gzipSync(bytes, { level: 9 }).length).toBeLessThan(bytesMax);
  });

  if (IS_PROOF) {
    // Skipped where the compiler is not installed, or the archives of this version are not to be had any more.
    it.skipIf(!HAS_TOOLS)(
      "are made by wasm/pictures/prove.sh to the byte, in another folder",
      { timeout: 600_000 },
      async ({ skip }) => {
        const folder = mkdtempSync(join(tmpdir(), "picture-sources-"));
        try {
          const fetched = spawnSync(join(SOURCES, "fetch-sources.sh"), [folder], {
            stdio: "ignore",
          });
          if (fetched.status === APT_FAILED) {
            skip("apt does not have the source archives");
          }
          expect(fetched.status).toBe(0);
          const { stdout } = await run(join(SOURCES, "prove.sh"), [folder]);
          expect(stdout.match(/\.wasm: OK/g)).toHaveLength(MODULES.length);
        } finally {
          rmSync(folder, { recursive: true, force: true });
        }
      },
    );
  }
});
