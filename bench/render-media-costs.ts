import type { Figure } from "./figure.ts";
import type { KeptFile } from "./render-benchmarks.ts";

/** Unit of figures that are lines of the table. */
export const SOUND_UNIT = "ms of processor time for a minute of sound";

const MINUTE_MS = 60_000;

/** Figures of films name their node first. */
const FILM = /^video\//;

/** What work on sounds and films costs, for docs/media.md: the newest kept rows that have such figures. */
export function renderMediaCosts(files: readonly KeptFile[]): string {
  const films = filmCosts(files);
  return [soundCosts(files), ...(films === undefined ? [] : [films])].join("\n\n");
}

function newestWith(
  files: readonly KeptFile[],
  isWanted: (figure: Figure) => boolean,
): KeptFile | undefined {
  return files
    .toSorted((a, b) => b.row.started_at.localeCompare(a.row.started_at))
    .find(({ row }) => row.figures.some(isWanted));
}

function timesBeside({ ours, beside }: Figure): string {
  return beside
    .map((other) => `${(ours.median / other.value.median).toFixed(2)} x ${other.name}`)
    .join("; ");
}

function filmCosts(files: readonly KeptFile[]): string | undefined {
  const newest = newestWith(files, ({ name }) => FILM.test(name));
  if (newest === undefined) {
    return undefined;
  }
  const { name, row } = newest;
  return [
    `Milliseconds of processor time for a film, on one core of ${row.machine.cpu}; \`bench/rows/${name}\`.`,
    "",
    "| work | ms | beside it |",
    "|---|---|---|",
    ...row.figures
      .filter((figure) => FILM.test(figure.name))
      .map(
        (figure) =>
          `| ${figure.name} | ${figure.ours.median.toFixed(0)} | ${timesBeside(figure)} |`,
      ),
  ].join("\n");
}

function soundCosts(files: readonly KeptFile[]): string {
  const newest = newestWith(files, ({ unit }) => unit === SOUND_UNIT);
  if (newest === undefined) {
    return "No results are kept yet: `npm run bench -- --only sounds --keep NAME`, then `npm run docs`.";
  }
  const { name, row } = newest;
  const lines = row.figures
    .filter(({ unit }) => unit === SOUND_UNIT)
    .map((figure) => {
      const ms = figure.ours.median;
      const hour = (60 * ms) / 1_000;
      return `| ${figure.name} | ${ms.toFixed(0)} | ${(MINUTE_MS / ms).toFixed(0)} | ${hour.toFixed(1)} | ${timesBeside(figure)} |`;
    });
  return [
    `Milliseconds of processor time for a minute of 48 kHz stereo (enhancing: of one channel), on one core of ${row.machine.cpu}; \`bench/rows/${name}\`.`,
    "",
    "| work | ms for a minute | times real time | s for an hour | beside it |",
    "|---|---|---|---|---|",
    ...lines,
  ].join("\n");
}
