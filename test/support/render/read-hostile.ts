/**
 * Reads all hostile files of one kind (`pictures`, `fonts` or `pdfs`) one after another, in a process whose heap the caller
 * limits, and prints how many there were and the most memory that the process had, in bytes. With `keep` it keeps what it
 * has read, as a leak would.
 */
import { readFileSync } from "node:fs";

type Read = () => Promise<unknown>;

/** Objects of the PDF with the most of them. */
const OBJECTS = 100_000;
const ID = new Uint8Array(16);

/** Imported by kind, so that a process has one corpus in memory. */
const KINDS: Readonly<Record<string, () => Promise<readonly Read[]>>> = {
  async pictures() {
    const { HOSTILE_FILES } = await import("../images/hostile-files.ts");
    const { imageCodecs } = await import("../images/wasm-modules.ts");
    const { preparePicture } = await import("../../../src/render/pdf/pictures/prepare-picture.ts");
    return HOSTILE_FILES.map(
      ({ bytes }) =>
        async () =>
          await preparePicture(bytes, imageCodecs, { allowsCmyk: true }),
    );
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

/**
 * The most memory that this process has had. `resourceUsage().maxRSS` counts from before its program was loaded: it is at
 * least the size of the process that started it.
 */
function peakBytes(): number {
  const [, kilobytes] =
    /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync("/proc/self/status", "utf8")) ?? [];
  return Number(kilobytes) * 1_024;
}

const [kind = "", mode] = process.argv.slice(2);
const reads = (await KINDS[kind]?.()) ?? [];
const kept: unknown[] = [];
const beganBytes = process.memoryUsage.rss();
for (const read of reads) {
  const made: unknown = await read().catch((error: unknown) => error);
  if (mode === "keep") {
    kept.push(
      made,
      Array.from({ length: 1_000_000 }, () => kept.length),
    );
  }
}
const mostBytes = peakBytes() - beganBytes;
process.stdout.write(JSON.stringify({ count: reads.length, mostBytes }));
