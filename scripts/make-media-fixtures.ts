/**
 * Writes test/golden/media: one small file for each container and codec that is read, with the sound of
 * test/support/media/test-signal.ts. Needs ffmpeg and flac; the tests need neither.
 *
 * node scripts/make-media-fixtures.ts
 */
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { interleaved, SIGNAL_RATE, testSignal } from "../test/support/media/test-signal.ts";
import { writeSums } from "./media-sums.ts";

const TARGET = fileURLToPath(new URL("../test/golden/media", import.meta.url).href);
const PLAIN = ["-fflags", "+bitexact", "-flags", "+bitexact", "-map_metadata", "-1"];
const SEVEN = ["-t", "0.2"];

/** Arguments of ffmpeg between the input and the output, by the name of the file. */
const SOUNDS: Readonly<Record<string, readonly string[]>> = {
  "cbr.mp3": ["-c:a", "libmp3lame", "-b:a", "96k"],
  "no-note.mp3": ["-c:a", "libmp3lame", "-b:a", "96k", "-write_xing", "0", "-id3v2_version", "0"],
  "mono-8000.mp3": ["-ac", "1", "-ar", "8000", "-c:a", "libmp3lame", "-b:a", "24k"],
  "stereo.opus": ["-c:a", "libopus", "-b:a", "64k"],
  "surround.opus": ["-af", "pan=5.1|c0=c0|c1=c1|c2=c0|c3=c1|c4=c0|c5=c1", "-c:a", "libopus"],
  "vorbis.ogg": ["-c:a", "libvorbis", "-q:a", "1"],
  "flac.ogg": [...SEVEN, "-c:a", "flac", "-f", "ogg"],
  "adts.aac": ["-c:a", "aac", "-b:a", "96k"],
  "aac.m4a": ["-c:a", "aac", "-b:a", "96k"],
  "alac.m4a": [...SEVEN, "-c:a", "alac"],
  "opus.mp4": ["-c:a", "libopus", "-b:a", "64k"],
  "flac.mp4": [...SEVEN, "-c:a", "flac", "-strict", "-2"],
  "mp3.mov": ["-c:a", "libmp3lame", "-b:a", "96k"],
  "pcm-s16.mov": [...SEVEN, "-c:a", "pcm_s16be"],
  "pcm-s24.mov": [...SEVEN, "-c:a", "pcm_s24le"],
  "fragments.mp4": [
    "-c:a",
    "libopus",
    "-b:a",
    "64k",
    "-movflags",
    "+frag_keyframe+empty_moov+default_base_moof",
    "-frag_duration",
    "100000",
  ],
  "opus.webm": ["-c:a", "libopus", "-b:a", "64k"],
  "vorbis.webm": ["-c:a", "libvorbis", "-q:a", "1"],
};
const PICTURES = "testsrc2=size=64x48:rate=25:duration=0.4";
const VIDEOS: Readonly<Record<string, readonly string[]>> = {
  "h264-aac.mp4": ["-c:v", "libx264", "-bf", "2", "-g", "5", "-c:a", "aac", "-shortest"],
  "vp8-opus.webm": ["-c:v", "libvpx", "-b:v", "60k", "-c:a", "libopus", "-shortest"],
  "h264.mp4": ["-an", "-c:v", "libx264"],
};

const folder = mkdtempSync(join(tmpdir(), "media-fixtures-"));
try {
  const raw = join(folder, "signal.raw");
  writeFileSync(raw, interleaved(testSignal()));
  const input = ["-f", "s16le", "-ar", String(SIGNAL_RATE), "-ac", "2", "-i", raw];
  const run = (...args: readonly string[]) =>
    execFileSync("ffmpeg", ["-v", "error", "-y", ...args], { stdio: "inherit" });
  for (const [name, args] of Object.entries(SOUNDS)) {
    run(...input, ...PLAIN, ...args, join(TARGET, name));
  }
  for (const [name, args] of Object.entries(VIDEOS)) {
    run("-f", "lavfi", "-i", PICTURES, ...input, ...PLAIN, ...args, join(TARGET, name));
  }
  const format = "--force-raw-format --endian=little --sign=signed --channels=2 --bps=16";
  const plain = `--silent --force --no-padding --no-seektable ${format} --sample-rate=${SIGNAL_RATE}`;
  execFileSync("flac", [...plain.split(" "), raw, "-o", join(TARGET, "stereo.flac")]);
} finally {
  rmSync(folder, { recursive: true });
}
writeSums(TARGET);
