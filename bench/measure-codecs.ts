/**
 * Measures the CPU time of the modules of wasm/ffmpeg beside that of native ffmpeg (one thread) on the same files, which
 * native ffmpeg makes. Prints a table in Markdown, medians of three.
 *
 * node bench/measure-codecs.ts
 */
import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { OpusEncoder } from "../src/media/codec/ffmpeg/opus-encoder.ts";
import {
  PictureDecoder,
  type PictureTrackConfig,
} from "../src/media/codec/ffmpeg/picture-decoder.ts";
import {
  FfmpegSoundDecoder,
  type SoundTrackConfig,
} from "../src/media/codec/ffmpeg/sound-decoder.ts";
import { ffmpegModules, readTrack } from "../test/support/media/codec-fixtures.ts";

const RUNS = 3;
const MB = 1024 * 1024;
const folder = mkdtempSync(join(tmpdir(), "codecs-"));
const ffmpeg = (...args: readonly string[]) =>
  execFileSync("ffmpeg", ["-v", "error", "-nostdin", "-y", ...args], { maxBuffer: 64 * MB });

const SOUND = [
  "-f",
  "lavfi",
  "-i",
  "anoisesrc=d=60:c=pink:r=48000:a=0.3:seed=1",
  "-f",
  "lavfi",
  "-i",
  "sine=f=440:r=48000:d=60",
];
const STEREO = ["-filter_complex", "[0][1]join=inputs=2:channel_layout=stereo"];
const FILM = [
  "-f",
  "lavfi",
  "-i",
  "testsrc2=size=1920x1080:rate=25:duration=3,noise=alls=6:allf=t",
];
const SOUNDS: readonly (readonly [string, SoundTrackConfig["codec"], ...string[]])[] = [
  ["a.m4a", "aac", "-c:a", "aac", "-b:a", "160k"],
  ["l.m4a", "alac", "-c:a", "alac"],
  ["v.ogg", "vorbis", "-c:a", "libvorbis", "-q:a", "5"],
];
const FILMS: readonly (readonly [string, PictureTrackConfig["codec"], ...string[]])[] = [
  [
    "h.mp4",
    "h264",
    "-c:v",
    "libx264",
    "-preset",
    "veryfast",
    "-b:v",
    "8M",
    "-g",
    "300",
    "-bf",
    "3",
  ],
  [
    "h.mov",
    "hevc",
    "-c:v",
    "libx265",
    "-preset",
    "ultrafast",
    "-b:v",
    "5M",
    "-x265-params",
    "log-level=none",
  ],
  ["9.webm", "vp9", "-c:v", "libvpx-vp9", "-deadline", "realtime", "-cpu-used", "8", "-b:v", "5M"],
];

const median = (values: readonly number[]) =>
  values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0;
const cpuMs = () => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
};
/** Median CPU time of the work in ms, after one run that compiles. */
function measure(work: () => void): number {
  work();
  return median(
    Array.from({ length: RUNS }, () => {
      const began = cpuMs();
      work();
      return cpuMs() - began;
    }),
  );
}
/** User and system time of a native run, as ffmpeg states it. */
function measureNative(...args: readonly string[]): number {
  return median(
    Array.from({ length: RUNS }, () => {
      const { stderr } = spawnSync("ffmpeg", ["-benchmark", "-nostdin", "-y", ...args], {
        encoding: "utf8",
      });
      const [, user = "0", system = "0"] = /utime=([\d.]+)s stime=([\d.]+)s/.exec(stderr) ?? [];
      return (Number(user) + Number(system)) * 1_000;
    }),
  );
}
const rows: string[] = [];
const row = (job: string, ours: number, native: number, bytes: number) =>
  rows.push(
    `| ${job} | ${ours.toFixed(0)} | ${native.toFixed(0)} | ${(ours / native).toFixed(1)} | ${(bytes / MB).toFixed(1)} |`,
  );

try {
  for (const [file, codec, ...encoder] of SOUNDS) {
    const path = join(folder, file);
    ffmpeg(...SOUND, ...STEREO, ...encoder, path);
    const { packets, ...track } = await readTrack(new Uint8Array(readFileSync(path)));
    let bytes = 0;
    const ours = measure(() => {
      const decoder = new FfmpegSoundDecoder(ffmpegModules.sound, { codec, ...track });
      for (const { data } of packets) {
        decoder.decode(data);
      }
      bytes = decoder.memoryBytes;
    });
    row(
      `decode 60 s of ${codec}`,
      ours,
      measureNative("-threads", "1", "-i", path, "-f", "null", "-"),
      bytes,
    );
  }
  for (const [file, codec, ...encoder] of FILMS) {
    const path = join(folder, file);
    ffmpeg(...FILM, "-pix_fmt", "yuv420p", ...encoder, path);
    const { packets, config } = await readTrack(new Uint8Array(readFileSync(path)));
    for (const [what, count, skip] of [
      ["key frame", 1, false],
      ["75 pictures", packets.length, false],
      ["75 pictures without those that no other needs", packets.length, true],
    ] as const) {
      let bytes = 0;
      const ours = measure(() => {
        const decoder = new PictureDecoder(ffmpegModules.pictures, {
          codec,
          config,
          memoryBytesMax: 64 * MB,
        });
        for (const { data, pts } of packets.slice(0, count)) {
          if (!decoder.send(data, pts, { skip })) {
            throw new Error(`${codec}: ${decoder.problem}`);
          }
          while (decoder.receive() !== null) {
            // Only the time matters.
          }
        }
        decoder.flush();
        while (decoder.receive() !== null) {
          // Only the time matters.
        }
        bytes = decoder.memoryBytes;
      });
      row(
        `${codec} 1080p, ${what}`,
        ours,
        measureNative("-threads", "1", "-i", path, "-frames:v", String(count), "-f", "null", "-"),
        bytes,
      );
    }
  }
  const wav = join(folder, "a.f32");
  ffmpeg(...SOUND, ...STEREO, "-f", "f32le", wav);
  const pcm = new Float32Array(new Uint8Array(readFileSync(wav)).buffer);
  const planes = [0, 1].map((channel) =>
    Float32Array.from({ length: pcm.length / 2 }, (_, i) => pcm[2 * i + channel] ?? 0),
  );
  let bytes = 0;
  const ours = measure(() => {
    const encoder = new OpusEncoder(ffmpegModules.opus, 2, 128_000);
    for (let from = 0; from < (planes[0]?.length ?? 0); from += 8_192) {
      encoder.encode(planes.map((of) => of.subarray(from, from + 8_192)));
    }
    encoder.end();
    bytes = encoder.memoryBytes;
  });
  const native = measureNative(
    "-f",
    "f32le",
    "-ar",
    "48000",
    "-ac",
    "2",
    "-i",
    wav,
    "-c:a",
    "libopus",
    "-b:a",
    "128k",
    "-f",
    "null",
    "-",
  );
  row("encode 60 s of Opus", ours, native, bytes);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
console.log("| job | ms of CPU | native | ratio | MB of wasm memory |\n|---|---|---|---|---|");
console.log(rows.join("\n"));
for (const name of ["sound", "pictures", "opus"]) {
  const bytes = readFileSync(
    fileURLToPath(new URL(`../src/media/codec/ffmpeg/${name}.wasm`, import.meta.url).href),
  );
  console.log(
    `${name}.wasm: ${bytes.length} B, ${gzipSync(bytes, { level: 9 }).length} B compressed`,
  );
}
