/**
 * Reads all hostile files of one kind (`pictures`, `fonts` or `pdfs`) one after another, in a process whose heap the caller
 * limits, and prints how many there were and the most memory that the process had, in bytes. Pictures are the files of a folder,
 * because encoders take more memory than what reads them. With `keep` it keeps what it has read, as a leak would. Of pictures,
 * `unbounded` reads them without a renderer's bound, and `whole` holds all pixels of each PNG, as a decoder without stripes would.
 */
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";

type Read = () => Promise<unknown>;

/** Objects of the PDF with the most of them. */
const OBJECTS = 100_000;
const ID = new Uint8Array(16);

const [kind = "", mode = "", folder = ""] = process.argv.slice(2);
/** How pictures ended, and the most memory that they have counted. */
const outcomes: string[] = [];
let mostLeased = 0;

/** Imported by kind, so that a process has one corpus in memory. */
const KINDS: Readonly<Record<string, () => Promise<readonly Read[]>>> = {
  async pictures() {
    const { RenderPictures } =
      await import("../../../src/workers/renderer/resources/render-pictures.ts");
    const { imageCodecs } = await import("../images/wasm-modules.ts");
    const { LIMITS } = await import("../../../src/lib/limits/limits-table.ts");
    const bytesMax = mode === "unbounded" ? Number.MAX_SAFE_INTEGER : LIMITS.render_instances.value;
    let leased = 0;
    const lease = () => {
      let held = 0;
      const add = (bytes: number) => {
        held += bytes;
        leased += bytes;
        mostLeased = Math.max(mostLeased, leased);
      };
      const end = () => {
        add(-held);
        return Promise.resolve();
      };
      return { grow: add, shrink: (bytes: number) => add(-Math.min(held, bytes)), end };
    };
    const tools = {
      codecs: imageCodecs,
      rules: { allowsCmyk: true },
      readDrawing: () => Promise.resolve("unsupported" as const),
      bytesMax,
      lease,
    };
    // Pictures that are given to a task ask for nothing of the environment.
    const reader = { env: {} as never, workspaceId: "ws_1" };
    if (mode === "whole") {
      const { openPng } = await import("../images/encode-png.ts");
      const { readRaster } = await import("../../../src/images/raster/raster.ts");
      return readdirSync(folder).map(
        (name) => async () => await readRaster(openPng(readFileSync(join(folder, name)))),
      );
    }
    return readdirSync(folder).map((name) => async () => {
      const path = join(folder, name);
      const pictures = new RenderPictures(reader, tools);
      const input = {
        sizeBytes: statSync(path).size,
        read: () => Promise.resolve(readFileSync(path)),
      };
      await pictures.load([name], [], {
        inputs: new Map([[name, input]]),
        signal: new AbortController().signal,
      });
      const resource = pictures.resources.get(name);
      outcomes.push(resource?.kind === "failed" ? resource.reason : "prints");
      if (resource?.kind === "raster") {
        // As it is written to a page.
        const prepared = await pictures.prepared(resource.key);
        await pictures.endPicture();
        return prepared;
      }
      return resource;
    });
  },
  async fonts() {
    const { HOSTILE_FONTS } = await import("../fonts/hostile-fonts.ts");
    const { FONT_TRIAL } = await import("../fonts/font-trial.ts");
    const { inspectFont } = await import("../../../src/formats/font/inspect-font.ts");
    const { tryFont } = await import("../../../src/workers/runner/try-font.ts");
    return HOSTILE_FONTS.map(({ make }) => async () => {
      const bytes = make();
      await tryFont(bytes, inspectFont(bytes), FONT_TRIAL);
    });
  },
  async pdfs() {
    const { hostilePdfs } = await import("../pdf/hostile-pdfs.ts");
    const { joined } = await import("../pdf/plain-options.ts");
    const { mergePdfs } = await import("../../../src/render/pdf/merge/merge-pdfs.ts");
    return hostilePdfs(OBJECTS).map(({ make }) => async () => {
      const bytes = await make();
      return await joined(mergePdfs([{ name: "Hostile", bytes }], ID));
    });
  },
};

/** What one file leaves is not counted with the next: buffers and wasm are collected late. */
function collectGarbage(): void {
  (globalThis as { gc?: () => void }).gc?.();
}

/**
 * The most memory that this process has had. `resourceUsage().maxRSS` counts from before its program was loaded: it is at
 * least the size of the process that started it.
 */
function peakBytes(): number {
  const [, kilobytes] =
    /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync("/proc/self/status", "utf8")) ?? [];
  return Number(kilobytes) * 1_024;
}

const reads = (await KINDS[kind]?.()) ?? [];
const kept: unknown[] = [];
const beganBytes = process.memoryUsage.rss();
for (const read of reads) {
  collectGarbage();
  const made: unknown = await read().catch((error: unknown) => error);
  if (mode === "keep") {
    kept.push(
      made,
      Array.from({ length: 1_000_000 }, () => kept.length),
    );
  }
}
const mostBytes = peakBytes() - beganBytes;
process.stdout.write(JSON.stringify({ count: reads.length, mostBytes, mostLeased, outcomes }));
