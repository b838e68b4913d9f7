import { execFileSync } from "node:child_process";
import { createWriteStream, statSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { fileURLToPath } from "node:url";
import { longFilm } from "../test/support/node/media/long-films.ts";
import { longWav } from "../test/support/node/media/long-sounds.ts";
import { atLeast, atMost, type Figure, type Target } from "./figure.ts";
import { commandsMs, isInstalled, jobMs, NATIVE, QUIET } from "./native-programs.ts";
import { type Spread, spread } from "./statistics.ts";

const ALONE = fileURLToPath(new URL("films-alone.ts", import.meta.url));
const UNIT = "ms of processor time";
const MB = 1_000_000;
/** Bytes a second of the short film, with 25 pictures a second: 8 Mbit/s. */
const FILM_RATE = MB;
/** The other film has as many bytes in an hour, so that it has 36 times as many packets. */
const HOUR_SECONDS = 3_600;
const COPIED_MB_PER_SECOND = 50;
const PICTURES_AFTER_KEY = 250;
const PICTURES_PER_SECOND = 25;
const KEY_MS = 250;

export interface FilmOptions {
  /** Of the film that is copied. */
  readonly megabytes?: number;
  readonly rounds?: number;
}

interface Job {
  readonly name: string;
  /** Of bench/films-alone.ts, with its files. */
  readonly job: readonly string[];
  readonly native: readonly string[];
  /** At most so many times the native program. */
  readonly limit?: number;
  /** Targets without a native program. */
  readonly floor?: (ours: Spread) => Target;
  readonly note?: string;
}

/**
 * The tools of films in Node, without the store, beside native ffmpeg on the same files: medians of the processor time. Both drop what
 * they write. Without ffmpeg, its figures and the thumbnails, whose film it encodes, are left out.
 */
export async function measureFilms(
  directory: string,
  { megabytes = 100, rounds = 5 }: FilmOptions = {},
): Promise<Figure[]> {
  await mkdir(directory, { recursive: true });
  const hasFfmpeg = isInstalled("ffmpeg", "-version");
  if (!hasFfmpeg) {
    process.stderr.write("ffmpeg is not installed: films are measured without it.\n");
  }
  const bytes = megabytes * MB;
  const seconds = Math.ceil(bytes / FILM_RATE);
  for (const [name, length] of [
    ["film.mp4", seconds],
    ["hour.mp4", HOUR_SECONDS],
  ] as const) {
    const film = Readable.from(longFilm({ seconds: length, bytes }));
    // oxlint-disable-next-line no-await-in-loop -- one after another
    await pipeline(film, createWriteStream(join(directory, name)));
  }
  await pipeline(
    Readable.from(longWav(seconds, 48_000, 2)),
    createWriteStream(join(directory, "sound.wav")),
  );
  const jobs = [
    ...copyJobs(directory, "film.mp4", `${seconds} s`),
    ...copyJobs(directory, "hour.mp4", "an hour"),
    ...(hasFfmpeg ? [...soundJobs(directory, `${seconds} s`), ...thumbnailJobs(directory)] : []),
  ];
  return jobs.map(({ name, job, native, limit, floor, note }) => {
    const [kind = "", ...files] = job;
    const ours = spread(jobMs(ALONE, [kind, directory, String(rounds), ...files]));
    const theirs = hasFfmpeg ? spread(commandsMs([["ffmpeg", ...native]], rounds)) : undefined;
    return {
      name,
      unit: UNIT,
      ours,
      beside: theirs === undefined ? [] : [{ name: NATIVE, value: theirs }],
      targets: [
        ...(floor === undefined ? [] : [floor(ours)]),
        ...(theirs === undefined || limit === undefined
          ? []
          : [atMost(`<= ${limit} x native`, ours.median / theirs.median, limit)]),
      ],
      ...(note !== undefined && { note }),
    };
  });
}

/** Reads a film, and drops what is made of it. */
function onFilm(film: string, ...options: readonly string[]): readonly string[] {
  return [...QUIET, "-threads", "1", "-i", film, ...options, "-f", "mp4", "/dev/null"];
}

function copyJobs(directory: string, file: string, length: string): Job[] {
  const film = join(directory, file);
  const megabytes = statSync(film).size / MB;
  const what = `an MP4 of ${megabytes.toFixed(0)} MB and ${length}`;
  const floor = ({ median }: Spread) =>
    atLeast(">= 50 MB/s", megabytes / (median / 1_000), COPIED_MB_PER_SECOND);
  const copied = ["-map", "0:v", "-map", "0:a", "-c", "copy"];
  return [
    {
      name: `video/add_subtitles without a cue, all packets copied, of ${what}`,
      job: ["copy", file],
      native: onFilm(film, ...copied),
      limit: 5,
      floor,
    },
    {
      name: `video/split, exact, of ${what}`,
      job: ["split", file],
      // ffmpeg's copy begins at the key picture before.
      native: ["-ss", "0.5", ...onFilm(film, ...copied)],
      limit: 5,
      floor,
    },
    {
      name: `video/extract_audio, AAC copied, of ${what}`,
      job: ["extract", file],
      native: onFilm(film, "-map", "0:a", "-c", "copy"),
      floor,
    },
  ];
}

/** Those whose sound ffmpeg encodes for a comparison, or from which it makes a file. */
function soundJobs(directory: string, length: string): Job[] {
  const [film, wav, m4a] = ["film.mp4", "sound.wav", "sound.m4a"].map((name) =>
    join(directory, name),
  ) as [string, string, string];
  execFileSync("ffmpeg", [...QUIET, "-i", wav, ...words("-c:a aac -b:a 160k"), m4a]);
  const encoded = "-c:a aac -b:a 160k -threads 1";
  const twoFilms = [...QUIET, ...words("-threads 1 -i"), film, "-i", film];
  const muxed = (sound: string, codec: string) => [
    ...QUIET,
    ...words("-threads 1 -i"),
    film,
    "-i",
    sound,
    ...words(`-map 0:v -map 1:a -c:v copy ${codec} -shortest -f mp4 /dev/null`),
  ];
  return [
    {
      name: `video/mux_audio, AAC copied, ${length}`,
      job: ["mux", "film.mp4", "sound.m4a"],
      native: muxed(m4a, "-c:a copy"),
    },
    {
      name: `video/mux_audio, WAV encoded as AAC, ${length}`,
      job: ["mux", "film.mp4", "sound.wav"],
      native: muxed(wav, encoded),
    },
    {
      name: `video/concat of two films of ${length}, sound encoded as AAC`,
      job: ["concat", "film.mp4", "film.mp4"],
      // ffmpeg's command has no way to copy the pictures of both and to encode their sound, so that it copies those of one.
      native: [
        ...twoFilms,
        ...words("-filter_complex [0:a][1:a]concat=n=2:v=0:a=1[a] -map 0:v -map [a]"),
        ...words(`-c:v copy ${encoded} -f mp4 /dev/null`),
      ],
      note: "ffmpeg copies the pictures of one of the films.",
    },
  ];
}

/** A film of 1080p with one key picture, three B-frames in a row, and noise. */
function thumbnailJobs(directory: string): Job[] {
  const film = join(directory, "1080p.mp4");
  const pictures = PICTURES_AFTER_KEY + PICTURES_PER_SECOND;
  execFileSync("ffmpeg", [
    ...QUIET,
    ...words(`-f lavfi -i testsrc2=size=1920x1080:rate=${PICTURES_PER_SECOND}`),
    ...words(`-vf noise=alls=6:allf=t -frames:v ${pictures} -pix_fmt yuv420p`),
    ...words("-c:v libx264 -preset veryfast -crf 23 -bf 3"),
    ...words("-g 9999 -keyint_min 9999 -sc_threshold 0"),
    film,
  ]);
  const exact = PICTURES_AFTER_KEY / PICTURES_PER_SECOND;
  const shot = (at: number) => [
    ...QUIET,
    ...words(`-threads 1 -ss ${at} -i`),
    film,
    ...words("-frames:v 1 -threads 1 -q:v 3 -f mjpeg /dev/null"),
  ];
  return [
    {
      name: "video/thumbnail of a key picture, 1080p H.264",
      job: ["thumbnail:0", "1080p.mp4"],
      native: shot(0),
      floor: ({ median }) => atMost(`<= ${KEY_MS} ms`, median, KEY_MS),
    },
    {
      name: `video/thumbnail ${PICTURES_AFTER_KEY} pictures after the key picture, 1080p H.264`,
      job: [`thumbnail:${exact}`, "1080p.mp4"],
      native: shot(exact),
      limit: 3,
    },
  ];
}

function words(text: string): readonly string[] {
  return text.split(" ");
}
