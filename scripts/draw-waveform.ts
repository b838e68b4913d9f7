/** Draws WAV files as one SVG: a lane for each sound, on one time scale. */
import { MemorySource } from "../src/lib/files/memory-source.ts";
import { ByteWindow } from "../src/media/container/byte-window.ts";
import { wavBlocks } from "../src/media/container/wav/open-wav.ts";
import { readWavHeader } from "../src/media/container/wav/wav-header.ts";

export interface Lane {
  readonly title: string;
  readonly wav: Uint8Array;
  readonly color: string;
}

/** In pixels. A column is the greatest magnitude of its samples. */
const COLUMNS = 720;
const LANE = 88;
const TITLE = 20;
const MARGIN = 16;
const AXIS = 20;
const TICK_SECONDS = 2;

/** All lanes have one scale of level, too: the loudest sample of all fills its lane. Throws NodeError with a code of docs/contract/media.md if a lane is not a WAV. */
export async function drawWaveforms(lanes: readonly Lane[]): Promise<string> {
  const sounds = await Promise.all(lanes.map(({ wav }) => readPeaks(wav)));
  const seconds = Math.max(...sounds.map((sound) => sound.seconds));
  const loudest = Math.max(1e-6, ...sounds.flatMap(({ peaks }) => peaks));
  const width = COLUMNS + 2 * MARGIN;
  const height = lanes.length * (LANE + TITLE) + AXIS + MARGIN;
  const drawn = lanes.map(({ title, color }, index) => {
    const top = MARGIN + index * (LANE + TITLE);
    const middle = top + TITLE - 4 + LANE / 2;
    const levels = columnsOf(sounds[index], seconds).map((level) => (level * LANE) / 2 / loudest);
    const upper = levels.map((level, x) => `${MARGIN + x},${(middle - level).toFixed(1)}`);
    const lower = levels.map((level, x) => `${MARGIN + x},${(middle + level).toFixed(1)}`);
    return [
      `<text x="${MARGIN}" y="${top + 8}">${title}</text>`,
      `<line x1="${MARGIN}" x2="${MARGIN + COLUMNS}" y1="${middle}" y2="${middle}" stroke="#d1d5db"/>`,
      `<polygon fill="${color}" points="${[...upper, ...lower.reverse()].join(" ")}"/>`,
    ].join("\n");
  });
  const ticks = Array.from({ length: Math.floor(seconds / TICK_SECONDS) + 1 }, (_none, index) => {
    const x = (MARGIN + (index * TICK_SECONDS * COLUMNS) / seconds).toFixed(1);
    return `<text x="${x}" text-anchor="middle" y="${height - 8}" fill="#6b7280">${index * TICK_SECONDS} s</text>`;
  });
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" font-family="sans-serif" font-size="12" fill="#111827">`,
    `<rect width="${width}" height="${height}" fill="#ffffff"/>`,
    ...drawn,
    ...ticks,
    "</svg>\n",
  ].join("\n");
}

interface Peaks {
  readonly seconds: number;
  /** The greatest magnitude of each hundredth of a second, over all channels. */
  readonly peaks: readonly number[];
}

async function readPeaks(wav: Uint8Array): Promise<Peaks> {
  const window = new ByteWindow(new MemorySource(wav, ""));
  const header = await readWavHeader(window);
  const peaks: number[] = [];
  let at = 0;
  for await (const block of wavBlocks(window, header, { packets: 0, failed: 0 })) {
    for (const channel of block) {
      for (const [index, sample] of channel.entries()) {
        const bin = Math.floor(((at + index) * 100) / header.sampleRate);
        peaks[bin] = Math.max(peaks[bin] ?? 0, Math.abs(sample));
      }
    }
    at += block[0]?.length ?? 0;
  }
  return { seconds: header.frames / header.sampleRate, peaks };
}

/** One level for each column; a column takes the greatest of the hundredths that it covers, and at least one. */
function columnsOf(sound: Peaks | undefined, seconds: number): readonly number[] {
  const perColumn = (seconds * 100) / COLUMNS;
  return Array.from({ length: COLUMNS }, (_none, column) => {
    const from = Math.floor(column * perColumn);
    const to = Math.max(from + 1, Math.floor((column + 1) * perColumn));
    return Math.max(0, ...(sound?.peaks.slice(from, to) ?? []));
  });
}
