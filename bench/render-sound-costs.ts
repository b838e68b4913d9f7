import type { KeptFile } from "./render-benchmarks.ts";

/** Unit of figures that are lines of the table. */
export const SOUND_UNIT = "ms of processor time for a minute of sound";

const MINUTE_MS = 60_000;

/** What work on sounds costs, for docs/media.md: the newest kept row that has such figures. */
export function renderSoundCosts(files: readonly KeptFile[]): string {
  const newest = files
    .toSorted((a, b) => b.row.started_at.localeCompare(a.row.started_at))
    .find(({ row }) => row.figures.some(({ unit }) => unit === SOUND_UNIT));
  if (newest === undefined) {
    return "No results are kept yet: `npm run bench -- --only sounds --keep NAME`, then `npm run docs`.";
  }
  const { name, row } = newest;
  const lines = row.figures
    .filter(({ unit }) => unit === SOUND_UNIT)
    .map((figure) => {
      const ms = figure.ours.median;
      const beside = figure.beside
        .map((other) => `${(ms / other.value.median).toFixed(2)} x ${other.name}`)
        .join("; ");
      const hour = (60 * ms) / 1_000;
      return `| ${figure.name} | ${ms.toFixed(0)} | ${(MINUTE_MS / ms).toFixed(0)} | ${hour.toFixed(1)} | ${beside} |`;
    });
  return [
    `Milliseconds of processor time for a minute of 48 kHz stereo (enhancing: of one channel), on one core of ${row.machine.cpu}; \`bench/rows/${name}\`.`,
    "",
    "| work | ms for a minute | times real time | s for an hour | beside it |",
    "|---|---|---|---|---|",
    ...lines,
  ].join("\n");
}
