import type {
  BitDepth,
  SoundFormat,
  SoundFormatName,
  SoundParameters,
} from "../../contracts/media/sound-formats.ts";
import { unsupportedParameter } from "../container/media-error.ts";
import type { SoundInfo } from "../container/open-sound.ts";
import { resolveFormat } from "../format/resolve-format.ts";

/** Formats that a codec is written in where the parts of a sound keep its format; PCM becomes WAV. */
const SOURCE_FORMATS: ReadonlyMap<string, SoundFormatName> = new Map([
  ["flac", "flac"],
  ["mp3", "mp3"],
  ["vorbis", "ogg"],
  ["opus", "ogg"],
]);
/** Bits of integers that a decoded sample holds exactly. */
const EXACT_BITS_MAX = 24;

/**
 * The form of the parts of a sound that are encoded. `source` keeps the codec (Vorbis becomes Opus) and, of lossless
 * ones, every bit. Throws NodeError `MEDIA_PARAMETERS_UNSUPPORTED` for FLAC of more than 24 bits, which would lose some.
 */
export function splitFormat(
  {
    format,
    ...form
  }: Pick<SoundParameters, "bitrate_kbps" | "bit_depth"> & {
    readonly format: SoundFormatName | "source";
  },
  info: SoundInfo,
): SoundFormat {
  if (format !== "source") {
    return resolveFormat({ format, ...form }, [info]);
  }
  const { codec, bitDepth } = info;
  const kept = SOURCE_FORMATS.get(codec) ?? "wav";
  if (kept === "flac" && (bitDepth ?? 0) > EXACT_BITS_MAX) {
    throw unsupportedParameter(
      `is FLAC of ${String(bitDepth)} bits, of which parts of 24 bits would not be exact. Choose a format.`,
    );
  }
  return {
    ...resolveFormat({ format: kept, bit_depth: depthOf(kept, bitDepth) }, [info]),
    // A lossless sound keeps all its channels.
    ...(kept === "flac" || kept === "wav" ? { channels: info.channels } : {}),
  };
}

function depthOf(format: SoundFormatName, bitDepth: number | null): BitDepth | undefined {
  if (format === "wav" && (bitDepth ?? 0) > EXACT_BITS_MAX) {
    return 32;
  }
  return undefined;
}
