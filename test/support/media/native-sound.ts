/** Programs that read and judge written sounds, where they are installed (`test/allowed-skips.json`). */
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";

const isInstalled = (program: string, asked: string) =>
  spawnSync(program, [asked]).error === undefined;

export const HAS_FFMPEG = isInstalled("ffmpeg", "-version") && isInstalled("ffprobe", "-version");
export const HAS_SOX = isInstalled("sox", "--version");
export const HAS_FLAC = isInstalled("flac", "--version");
/** GPAC's, which prints its version and fails without a file. */
export const HAS_MP4BOX = isInstalled("MP4Box", "-version");
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

/** A track as MP4Box lists it. */
export interface BoxedTrack {
  /** Kind and entry, such as `soun:mp4a`. */
  readonly type: string;
  readonly samples: number;
  /** Of its edit list, else of its media, in milliseconds. */
  readonly durationMs: number;
  readonly language: string | undefined;
  readonly text: string;
}

/** What `MP4Box -info` lists of a file. Throws if it fails, or names an error or a warning. */
export function listedByMp4box(path: string): readonly BoxedTrack[] {
  const { status, stdout, stderr } = spawnSync("MP4Box", ["-info", path], { encoding: "utf8" });
  const shown = `${stdout}${stderr}`;
  if (status !== 0 || /\b(?:error|warning|invalid|corrupt|missing|unknown box)/i.test(shown)) {
    throw new Error(`MP4Box -info ended with ${String(status)}: ${shown}`);
  }
  return shown
    .split(/^# Track /m)
    .slice(1)
    .map((text) => {
      const duration =
        /track duration is (\S+)/.exec(text)?.[1] ?? /Media Duration (\S+)/.exec(text)?.[1] ?? "";
      const [hours = Number.NaN, minutes = 0, seconds = 0] = duration.split(":").map(Number);
      return {
        type: /Media Type: (\S+)/.exec(text)?.[1] ?? "",
        samples: Number(/Media Samples: (\d+)/.exec(text)?.[1]),
        durationMs: Math.round(((hours * 60 + minutes) * 60 + seconds) * 1_000),
        language: /Media Language: .*\((\w+)\)/.exec(text)?.[1],
        text,
      };
    });
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
