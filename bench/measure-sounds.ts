import { execFileSync, spawnSync } from "node:child_process";
import { createWriteStream } from "node:fs";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { fileURLToPath } from "node:url";
import { longWav } from "../test/support/node/media/long-sounds.ts";
import { atLeast, atMost, type Figure } from "./figure.ts";
import { commandsMs, isInstalled, jobMs, NATIVE, QUIET } from "./native-programs.ts";
import { SOUND_UNIT } from "./render-media-costs.ts";
import { type Spread, spread } from "./statistics.ts";

const ALONE = fileURLToPath(new URL("sounds-alone.ts", import.meta.url));
const TIMELINE_MINUTES = (500 * 2) / 60;

export interface SoundOptions {
  /** Of the long sounds, 48 kHz. */
  readonly minutes?: number;
  readonly rounds?: number;
}

interface Job {
  readonly name: string;
  /** Of bench/sounds-alone.ts, with its files. */
  readonly job: readonly string[];
  readonly minutes?: number;
  /** Commands of programs; the time of a job is their sum. None where the issue compares with nothing native. */
  readonly native?: readonly (readonly string[])[];
  readonly program?: string;
  readonly limit?: number;
  readonly note?: string;
}

/**
 * The tools of the media Worker in Node, without the store, beside native programs on the same files: medians of the
 * processor time. Programs that are not installed are left out of their figures.
 */
export async function measureSounds(
  directory: string,
  { minutes = 10, rounds = 3 }: SoundOptions = {},
): Promise<Figure[]> {
  await mkdir(directory, { recursive: true });
  const at = (name: string) => join(directory, name);
  const seconds = minutes * 60;
  const made: readonly (readonly [name: string, seconds: number, channels: number])[] = [
    ["long.wav", seconds, 2],
    ["mono.wav", seconds, 1],
    ["clip.wav", 2, 2],
  ];
  for (const [name, length, channels] of made) {
    await pipeline(Readable.from(longWav(length, 48_000, channels)), createWriteStream(at(name)));
  }
  const hasFfmpeg = isInstalled("ffmpeg", "-version");
  if (!hasFfmpeg) {
    process.stderr.write("ffmpeg is not installed: sounds are measured without it.\n");
  }
  const jobs = [
    ...(hasFfmpeg ? codecJobs(directory) : []),
    ...nodeJobs(at, hasFfmpeg ? loudnessOf(at("long.wav")) : undefined),
  ];
  const figures: Figure[] = [];
  for (const { name, job, native = [], program = NATIVE, limit, note, ...of } of jobs) {
    const length = of.minutes ?? minutes;
    const isNative = native.length > 0 && native.every(([command = ""]) => isInstalled(command));
    const ours = alone(directory, rounds, job, length);
    const theirs = isNative ? forMinute(commandsMs(native, rounds), length) : undefined;
    figures.push({
      name,
      unit: SOUND_UNIT,
      ours,
      beside: theirs === undefined ? [] : [{ name: program, value: theirs }],
      targets:
        theirs === undefined || limit === undefined
          ? []
          : [atMost(`<= ${limit} x native`, ours.median / theirs.median, limit)],
      ...(note !== undefined && { note }),
    });
  }
  return [
    ...figures,
    ...timelineFigures(directory, rounds),
    enhanceFigure(directory, rounds, minutes),
  ];
}

/** Files that native ffmpeg encodes, decoded; the WAV, encoded. */
function codecJobs(directory: string): Job[] {
  const codecs = [
    ["AAC", "aac.m4a", "m4a", 8, "-c:a", "aac", "-b:a", "160k"],
    ["MP3", "mp3.mp3", "mp3", 4, "-c:a", "libmp3lame", "-b:a", "192k"],
    ["Opus", "opus.ogg", "ogg", 4, "-c:a", "libopus", "-b:a", "128k"],
    ["FLAC", "flac.flac", "flac", 3, "-c:a", "flac"],
    ["Vorbis", "vorbis.ogg", null, 0, "-c:a", "libvorbis", "-q:a", "5"],
  ] as const;
  const wav = join(directory, "long.wav");
  return codecs.flatMap(([name, file, format, limit, ...encoder]): Job[] => {
    const path = join(directory, file);
    execFileSync("ffmpeg", [...QUIET, "-i", wav, ...encoder, path]);
    return [
      {
        name: `decode ${name}`,
        job: ["decode", file],
        native: [["ffmpeg", ...QUIET, "-threads", "1", "-i", path, "-f", "null", "-"]],
        limit: 3,
      },
      ...(format === null
        ? []
        : [
            {
              name: `audio/convert, WAV to ${name}`,
              job: [`convert:${format}`, "long.wav"],
              native: [
                ["ffmpeg", ...QUIET, "-i", wav, ...encoder, "-threads", "1", "-f", "null", "-"],
              ],
              limit,
            },
          ]),
    ];
  });
}

function nodeJobs(at: (name: string) => string, measured: Loudness | undefined): Job[] {
  const wav = at("long.wav");
  const filter = (kind: string, ...filters: readonly string[]) => [
    "ffmpeg",
    ...QUIET,
    "-i",
    wav,
    kind,
    ...filters,
    "-f",
    "null",
    "-",
  ];
  const toPcm = ["-c:a", "pcm_s16le"];
  return [
    {
      name: "audio/quality_report",
      job: ["measure", "long.wav"],
      native: [filter("-af", "ebur128=peak=true:framelog=verbose")],
      limit: 1.1,
    },
    {
      name: "audio/convert, WAV to WAV of 44.1 kHz",
      job: ["convert44", "long.wav"],
      native: [["sox", wav, "-t", "wav", "/dev/null", "rate", "-v", "44100"]],
      program: "sox, rate -v",
    },
    { name: "audio/split, a part of a WAV", job: ["split", "long.wav"] },
    {
      name: "audio/concat, two sounds with a crossfade, a minute of each",
      job: ["concat", "long.wav", "long.wav"],
    },
    { name: "audio/mix, two sounds", job: ["mix", "long.wav", "long.wav"] },
    {
      name: "audio/loudness_normalize, two passes",
      job: ["normalize", "long.wav"],
      // The first pass of loudnorm works at 192 kHz; with what ebur128 measures, its second one does not.
      ...(measured !== undefined && {
        native: [
          filter("-af", "ebur128=peak=true:framelog=verbose"),
          filter(
            "-af",
            `loudnorm=I=-30:TP=-1:LRA=50:linear=true:measured_I=${measured.integrated}:measured_TP=${measured.peak}:measured_LRA=${measured.range}:measured_thresh=${measured.threshold}`,
            ...toPcm,
          ),
        ],
      }),
      limit: 1.3,
    },
    {
      name: "audio/loudness_normalize, with the limiter",
      job: ["limit", "long.wav"],
    },
    { name: "audio/loudness_normalize, a single pass", job: ["follow", "long.wav"] },
    {
      name: "audio/fit_duration, speed 1.25",
      job: ["fit", "long.wav"],
      native: [filter("-af", "rubberband=tempo=1.25", ...toPcm)],
      program: "native ffmpeg, rubberband",
      limit: 4,
    },
    {
      name: "audio/duck",
      job: ["duck", "long.wav", "long.wav"],
      native: [
        [
          "ffmpeg",
          ...QUIET,
          "-i",
          wav,
          "-i",
          wav,
          "-filter_complex",
          "[0]asplit[a][b];[1][a]sidechaincompress=threshold=0.03:ratio=4:attack=50:release=800,asplit[c][d];[b][c]amix=normalize=0[e]",
          "-map",
          "[e]",
          ...toPcm,
          "-f",
          "null",
          "-",
          "-map",
          "[d]",
          ...toPcm,
          "-f",
          "null",
          "-",
        ],
      ],
      program: "native ffmpeg, sidechaincompress and amix",
      limit: 1.5,
    },
  ];
}

/** Clips that are joined, beside the same clips only read. */
function timelineFigures(directory: string, rounds: number): Figure[] {
  return [
    ["WAV", "clip.wav"],
    ["MP3", "clip.mp3"],
  ].flatMap(([kind = "", file = ""]) => {
    if (kind === "MP3") {
      if (!isInstalled("ffmpeg", "-version")) {
        return [];
      }
      execFileSync("ffmpeg", [...QUIET, "-i", join(directory, "clip.wav"), join(directory, file)]);
    }
    const ours = alone(directory, rounds, ["timeline", file], TIMELINE_MINUTES);
    const read = alone(directory, rounds, ["clips", file], TIMELINE_MINUTES);
    return [
      {
        name: `aggregate/audio_timeline, 500 clips of 2 s in ${kind}, to WAV`,
        unit: SOUND_UNIT,
        ours,
        beside: [{ name: "reading the clips", value: read }],
        targets: [atMost("<= 2 x the time to read them", ours.median / read.median, 2)],
      },
    ];
  });
}

function enhanceFigure(directory: string, rounds: number, minutes: number): Figure {
  const ours = alone(directory, rounds, ["enhance", "mono.wav"], minutes);
  return {
    name: "audio/speech_enhance, one channel",
    unit: SOUND_UNIT,
    ours,
    beside: [],
    targets: [atLeast(">= 25 x real time", 60_000 / ours.median, 25)],
  };
}

/** A job of sounds-alone.ts, in milliseconds of processor time for a minute. */
function alone(directory: string, rounds: number, job: readonly string[], minutes: number): Spread {
  const [name = "", ...files] = job;
  return forMinute(jobMs(ALONE, [name, directory, String(rounds), ...files]), minutes);
}

function forMinute(samples: readonly number[], minutes: number): Spread {
  return spread(samples.map((ms) => ms / minutes));
}

interface Loudness {
  readonly integrated: number;
  readonly peak: number;
  readonly range: number;
  readonly threshold: number;
}

/** As ebur128 reads it. */
function loudnessOf(path: string): Loudness {
  const { stderr } = spawnSync(
    "ffmpeg",
    ["-nostdin", "-i", path, "-af", "ebur128=peak=true:framelog=verbose", "-f", "null", "-"],
    { encoding: "utf8" },
  );
  const summary = stderr.slice(stderr.lastIndexOf("Summary:"));
  const read = (pattern: RegExp) => {
    const value = Number(pattern.exec(summary)?.[1]);
    if (Number.isNaN(value)) {
      throw new Error(`ffmpeg's ebur128 printed no ${pattern.source}: ${stderr.slice(-500)}`);
    }
    return value;
  };
  return {
    integrated: read(/I:\s+(\S+) LUFS/),
    threshold: read(/Threshold:\s+(\S+) LUFS/),
    range: read(/LRA:\s+(\S+) LU/),
    peak: read(/Peak:\s+(\S+) dBFS/),
  };
}
