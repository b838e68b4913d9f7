/** Programs that read and judge written sounds, where they are installed (`test/allowed-skips.json`). */
import { spawnSync } from "node:child_process";

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

/** What ffmpeg decodes, which stops at the first fault: a channel after another. */
export function decodedByFfmpeg(path: string, channels: number): Float32Array[] {
  const raw = judge("ffmpeg", "-v", "error", "-xerror", "-i", path, "-f", "f32le", "-");
  const all = new Float32Array(raw.buffer.slice(raw.byteOffset, raw.byteOffset + raw.byteLength));
  return Array.from({ length: channels }, (_, channel) =>
    all.filter((_sample, i) => i % channels === channel),
  );
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
