/**
 * Writes test/fixtures/codecs/: short sounds and films in each format that FFmpeg decodes for us, and what the native
 * ffmpeg of this machine decodes from them (Debian 12: 5.1.9, with libx264, libx265 and libvpx).
 *
 * node scripts/make-codec-fixtures.ts
 */
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { addSbr } from "../test/support/media/add-sbr.ts";
import { writeSums } from "./media-sums.ts";

const FOLDER = fileURLToPath(new URL("../test/fixtures/codecs/", import.meta.url));
const EXACT = ["-fflags", "+bitexact", "-flags", "+bitexact", "-map_metadata", "-1", "-y"];

/** Name of the file, channels, and arguments of the encoder. */
const SOUNDS: readonly (readonly [file: string, rate: number, channels: number, ...string[]])[] = [
  ["aac-stereo.m4a", 44_100, 2, "-c:a", "aac", "-b:a", "96k"],
  ["aac-mono.aac", 22_050, 1, "-c:a", "aac", "-b:a", "48k"],
  ["aac-he-v1.aac", 24_000, 2, "-c:a", "aac", "-b:a", "64k", "-aac_coder", "fast"],
  ["aac-he-v2.aac", 24_000, 1, "-c:a", "aac", "-b:a", "32k"],
  ["aac-51.m4a", 48_000, 6, "-c:a", "aac", "-b:a", "256k"],
  ["alac-16.m4a", 44_100, 2, "-c:a", "alac", "-sample_fmt", "s16p"],
  ["alac-24.m4a", 48_000, 1, "-c:a", "alac", "-sample_fmt", "s32p"],
  ["vorbis-stereo.ogg", 44_100, 2, "-c:a", "libvorbis", "-q:a", "4"],
  ["vorbis-51.webm", 48_000, 6, "-c:a", "libvorbis", "-q:a", "3"],
];

const X264 = ["-c:v", "libx264", "-threads", "1", "-g", "12", "-x264-params"];
const X265 = ["-c:v", "libx265", "-tag:v", "hvc1", "-x265-params"];
const QUIET265 = "log-level=none:pools=none:frame-threads=1:keyint=12:info=0";
const VP9 = [
  "-c:v",
  "libvpx-vp9",
  "-threads",
  "1",
  "-g",
  "12",
  "-b:v",
  "100k",
  "-auto-alt-ref",
  "1",
];
const YUV = ["-pix_fmt", "yuv420p"];
const AV1 = [
  "-c:v",
  "libaom-av1",
  "-cpu-used",
  "6",
  "-threads",
  "1",
  "-row-mt",
  "0",
  "-g",
  "12",
  "-b:v",
  "60k",
];
const FILMS: readonly (readonly [file: string, filter: string, ...string[]])[] = [
  [
    "h264-b-frames.mp4",
    "null",
    "-pix_fmt",
    "yuv420p",
    ...X264,
    "bframes=3:b-pyramid=normal:ref=4:weightp=2",
  ],
  ["h264-open-gop.mov", "null", "-pix_fmt", "yuv420p", ...X264, "bframes=2:open-gop=1:cabac=0"],
  ["h264-interlaced.mp4", "interlace", "-pix_fmt", "yuv420p", ...X264, "tff=1:bframes=2"],
  ["h264-10-bit.mp4", "null", "-pix_fmt", "yuv420p10le", ...X264, "bframes=2"],
  ["hevc-b-frames.mp4", "null", "-pix_fmt", "yuv420p", ...X265, `${QUIET265}:bframes=3`],
  ["hevc-10-bit.mp4", "null", "-pix_fmt", "yuv420p10le", ...X265, `${QUIET265}:bframes=2`],
  [
    "vp8.webm",
    "null",
    "-c:v",
    "libvpx",
    "-threads",
    "1",
    "-g",
    "12",
    "-b:v",
    "100k",
    "-auto-alt-ref",
    "1",
  ],
  ["vp9.webm", "null", "-pix_fmt", "yuv420p", ...VP9],
  ["vp9-10-bit.webm", "null", "-pix_fmt", "yuv420p10le", "-profile:v", "2", ...VP9],
  ["vp9-444.webm", "null", "-pix_fmt", "yuv444p", "-profile:v", "1", ...VP9],
];

const PICTURES = "testsrc2=size=98x68:rate=25:duration=0.96";
/** What a cut must keep: other steps between pictures, a turn, and codecs that are copied and not decoded. */
const CUT_FILMS: readonly (readonly [file: string, source: string, ...string[]])[] = [
  [
    "h264-ntsc.mp4",
    "testsrc2=size=98x68:rate=30000/1001:duration=0.96",
    ...YUV,
    ...X264,
    "bframes=2:b-pyramid=normal",
  ],
  [
    "h264-uneven.mp4",
    "testsrc2=size=98x68:rate=50:duration=1.4,select='not(mod(n,3))+not(mod(n,7))'",
    "-vsync",
    "vfr",
    ...YUV,
    ...X264,
    "bframes=3",
  ],
  ["av1.webm", PICTURES, ...YUV, ...AV1],
  ["av1.mp4", PICTURES, ...YUV, ...AV1],
];
/** A copy of another one, which players turn. */
const TURNED = ["h264-b-frames.mp4", "h264-turned.mp4"] as const;

const ffmpeg = (...args: readonly string[]): Buffer =>
  execFileSync("ffmpeg", ["-v", "error", "-nostdin", ...args], { maxBuffer: 64 * 1024 * 1024 });

/** MD5 of each picture, or of all samples. */
const expected: Record<string, readonly string[]> = {};

for (const [file, rate, channels, ...encoder] of SOUNDS) {
  const tones = Array.from(
    { length: channels },
    (_, i) => `0.4*sin(2*PI*(${220 * (i + 1)}+800*t)*t)+0.02*(random(${i})-0.5)`,
  ).join("|");
  const layout = { 1: "mono", 2: "stereo", 6: "5.1" }[channels];
  const source = `aevalsrc=exprs='${tones}':s=${rate}:d=${channels === 6 ? 0.07 : 0.25}:c=${layout}`;
  ffmpeg("-f", "lavfi", "-i", source, ...encoder, ...EXACT, FOLDER + file);
  if (file.startsWith("aac-he")) {
    writeFileSync(FOLDER + file, addSbr(readFileSync(FOLDER + file), file.includes("v2")));
  }
  // Every sample that the decoder makes, priming included.
  const all = file.endsWith(".m4a") ? ["-ignore_editlist", "1"] : [];
  const decode = ["-flags2", "+skip_manual", ...all, "-i", FOLDER + file, "-f"];
  if (file.startsWith("alac")) {
    // Lossless: the hash of the samples in 32 bits.
    expected[file] = [
      createHash("md5")
        .update(ffmpeg(...decode, "s32le", "-"))
        .digest("hex"),
    ];
  } else {
    writeFileSync(
      `${FOLDER}${file}.s16.gz`,
      gzipSync(ffmpeg(...decode, "s16le", "-"), { level: 9 }),
    );
  }
}

for (const [file, filter, ...encoder] of FILMS) {
  ffmpeg("-f", "lavfi", "-i", PICTURES, "-vf", filter, ...encoder, ...EXACT, FOLDER + file);
  const lines = ffmpeg("-i", FOLDER + file, "-vsync", "passthrough", "-f", "framemd5", "-")
    .toString()
    .split("\n")
    .filter((line) => line !== "" && !line.startsWith("#"));
  expected[file] = lines.map((line) => line.split(",").at(-1)?.trim() ?? "");
}
for (const [file, source, ...encoder] of CUT_FILMS) {
  ffmpeg("-f", "lavfi", "-i", source, ...encoder, ...EXACT, FOLDER + file);
}
const [upright, turned] = TURNED;
const turn = ["-metadata:s:v", "rotate=90", ...EXACT.slice(0, 4), "-y"];
ffmpeg("-i", FOLDER + upright, "-c", "copy", ...turn, FOLDER + turned);
writeFileSync(`${FOLDER}expected.json`, `${JSON.stringify(expected, undefined, 2)}\n`);
writeSums(FOLDER);
