/** The meter and the silence detector of FFmpeg, where it is installed. */
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { floatWav } from "./signals.ts";

export const hasFfmpeg = spawnSync("ffmpeg", ["-version"]).error === undefined;

export interface FfmpegReading {
  readonly integrated: number;
  readonly range: number;
  readonly momentaryMax: number;
  readonly shortTermMax: number;
  /** The greater of its true peak and its sample peak, as amplitude with three decimals. */
  readonly truePeak: number;
  readonly samplePeak: number;
  /** In seconds. */
  readonly silences: readonly (readonly [start: number, end: number])[];
}

export function readWithFfmpeg(
  sampleRate: number,
  channels: readonly Float32Array[],
): FfmpegReading {
  const folder = mkdtempSync(join(tmpdir(), "meter-"));
  try {
    const path = join(folder, "sound.wav");
    writeFileSync(path, floatWav(sampleRate, channels));
    const filters =
      "silencedetect=n=-50dB:d=0.5,ebur128=peak=true+sample:metadata=1,ametadata=print:file=-";
    const { stdout, stderr } = spawnSync(
      "ffmpeg",
      ["-nostdin", "-hide_banner", "-i", path, "-af", filters, "-f", "null", "-"],
      { encoding: "utf8", maxBuffer: 64 * 1024 * 1024 },
    );
    const all = (key: string) =>
      [...stdout.matchAll(new RegExp(`lavfi\\.r128\\.${key}=(\\S+)`, "g"))]
        .map(([, value]) => Number(value))
        // Before the first sound there are values such as "-inf" and "nan".
        .filter((value) => Number.isFinite(value));
    const greatest = (key: string) => all(key).reduce((max, value) => Math.max(max, value), -200);
    const starts = [...stderr.matchAll(/silence_start: (\S+)/g)].map(([, at]) => Number(at));
    const ends = [...stderr.matchAll(/silence_end: (\S+)/g)].map(([, at]) => Number(at));
    const peaks = (kind: string) =>
      channels.reduce((max, _, c) => Math.max(max, greatest(`${kind}_peaks_ch${c}`)), 0);
    return {
      integrated: all("I").at(-1)!,
      range: all("LRA").at(-1)!,
      momentaryMax: greatest("M"),
      shortTermMax: greatest("S"),
      truePeak: Math.max(peaks("true"), peaks("sample")),
      samplePeak: peaks("sample"),
      silences: starts.map((start, i) => [start, ends[i]!] as const),
    };
  } finally {
    rmSync(folder, { recursive: true });
  }
}
