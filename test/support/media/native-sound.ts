/** Programs that read and judge written sounds, where they are installed (`test/allowed-skips.json`). */
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";

const isInstalled = (program: string, asked: string) =>
  spawnSync(program, [asked]).error === undefined;

export const HAS_FFMPEG = isInstalled("ffmpeg", "-version") && isInstalled("ffprobe", "-version");
export const HAS_SOX = isInstalled("sox", "--version");
export const HAS_FLAC = isInstalled("flac", "--version");
export const HAS_OPUS_TOOLS = isInstalled("opusinfo", "--version");

const OUTPUT_BYTES_MAX = 256 * 1024 * 1024;

/** The program's output. Throws if it fails, or prints anything as an error. */
export function judge(program: string, ...args: readonly string[]): Buffer<ArrayBuffer> {
  const { status, stdout, stderr } = spawnSync(program, args, { maxBuffer: OUTPUT_BYTES_MAX });
  if (status !== 0 || stderr.byteLength > 0) {
    throw new Error(
      `${program} ${args.join(" ")} ended with ${String(status)}: ${stderr.toString()}`,
    );
  }
  return stdout as Buffer<ArrayBuffer>;
}

/** Files of one process: starting one takes longer than a short sound. */
const FILES_AT_ONCE = 40;

export interface NativeSound {
  readonly rate: number;
  /** A channel after another. */
  readonly planes: readonly Float32Array[];
}

/** What ffmpeg decodes of each file, which stops at the first fault. Writes into the folder of the files. */
export function decodedByFfmpeg(paths: readonly string[]): readonly NativeSound[] {
  const sounds: NativeSound[] = [];
  for (let from = 0; from < paths.length; from += FILES_AT_ONCE) {
    const some = paths.slice(from, from + FILES_AT_ONCE);
    const inputs = some.flatMap((path) => ["-i", path]);
    const outputs = some.flatMap((path, i) => [
      ..."-c:a pcm_f32le -bitexact -f wav".split(" "),
      "-map",
      `${i}:a`,
      `${path}.decoded`,
    ]);
    judge("ffmpeg", "-v", "error", "-xerror", "-nostdin", "-y", ...inputs, ...outputs);
    sounds.push(...some.map((path) => readFloats(readFileSync(`${path}.decoded`))));
  }
  return sounds;
}

/** A WAV of floats as ffmpeg writes it. */
function readFloats(file: Buffer): NativeSound {
  const [channels, rate] = [file.readUInt16LE(22), file.readUInt32LE(24)];
  const from = file.indexOf("data", 36, "latin1") + 8;
  const floats = new Float32Array(Uint8Array.from(file.subarray(from)).buffer);
  const frames = floats.length / channels;
  const planes = Array.from({ length: channels }, (_, channel) =>
    Float32Array.from({ length: frames }, (_frame, i) => floats[i * channels + channel] ?? 0),
  );
  return { rate, planes };
}

/** Properties of the file's one stream, by ffprobe's names. */
export function probedByFfmpeg(path: string): Readonly<Record<string, unknown>> {
  const shown = judge("ffprobe", "-v", "error", "-show_streams", "-of", "json", path).toString();
  const { streams } = JSON.parse(shown) as { streams: Record<string, unknown>[] };
  return streams[0] ?? {};
}

/** Level of the difference between a sound and its copy at the gain that fits best, in dB below the sound. */
export function signalToNoise(sound: Float32Array, copy: Float32Array): number {
  let [both, own] = [0, 0];
  for (let i = 0; i < sound.length; i++) {
    both += (sound[i] ?? 0) * (copy[i] ?? 0);
    own += (copy[i] ?? 0) ** 2;
  }
  const gain = both / own;
  let [signal, noise] = [0, 0];
  for (let i = 0; i < sound.length; i++) {
    signal += (sound[i] ?? 0) ** 2;
    noise += ((sound[i] ?? 0) - gain * (copy[i] ?? 0)) ** 2;
  }
  return 10 * Math.log10(signal / noise);
}
