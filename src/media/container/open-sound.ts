import type { ByteSource } from "../../lib/files/byte-source.ts";
import { LIMITS } from "../../lib/limits/limits-table.ts";
import type { AudioBlock, SoundShape } from "../audio-block.ts";
import type { PacketDecoder } from "../codec/codec.ts";
import { type DecodedTrack, PACKET_CODECS, type SoundCodecs } from "../codec/sound-codecs.ts";
import { ByteWindow } from "./byte-window.ts";
import { checkFailures, decodeTrack, type PassCounts, presentedParts } from "./decode-track.ts";
import { emptyMedia, mediaTooLong, unsupportedCodec, unsupportedParameter } from "./media-error.ts";
import type { ContainerName, MediaTrack } from "./media-track.ts";
import { detectContainer, openMedia, requireSoundTrack } from "./open-media.ts";
import { wavBlocks } from "./wav/open-wav.ts";
import { isPcmCodec, pcmBitDepth } from "./wav/pcm.ts";
import { PcmDecoder } from "./wav/pcm-decoder.ts";
import { readWavHeader } from "./wav/wav-header.ts";

export interface SoundInfo extends SoundShape {
  readonly container: ContainerName;
  /** "pcm_s16", "mp3", "flac", "opus", "vorbis", "aac", "alac", "pcm_alaw" … */
  readonly codec: string;
  /** Of PCM and lossless codecs. */
  readonly bitDepth: number | null;
  /** Frames that a player presents, where the header knows them. */
  readonly frames: number | null;
}

export interface SoundReader {
  readonly info: SoundInfo;
  /** Decodes from the first presented sample, gapless. May be called again. */
  blocks(signal?: AbortSignal): AsyncGenerator<AudioBlock>;
  /** Packets that became silence so far, in the latest pass; of PCM, frames with a number that is not finite. */
  readonly decodeErrors: number;
  /**
   * For a pass that ends early: throws NodeError `MEDIA_UNREADABLE` if more than 1 % of the packets so far did not decode, as
   * `blocks` does at its end.
   */
  checkDecoded(): void;
  /** Memory of the wasm that is open now. */
  readonly memoryBytes: number;
  close(): void;
}

export interface OpenSoundOptions {
  /** Longest accepted duration; 3,600 s for nodes that decode a whole track, which is the default. */
  readonly maxSeconds?: number;
  /** Size of the ranges in which the file is read; three are kept. 1 MiB by default. */
  readonly blockBytes?: number;
}

/** Longest sound that nodes decode. */
export const DECODED_SECONDS_MAX = LIMITS.decoded_duration.value / 1_000;
const RATE_MIN = LIMITS.sound_rate_lowest.value;
const RATE_MAX = LIMITS.sound_rate_highest.value;
const CHANNELS_MAX = LIMITS.sound_channels.value;
/** Packets that are decoded to learn what AAC does not state: a doubled rate and the channels. */
const PROBED_PACKETS = 8;
const AAC_FRAMES = 1_024;

/**
 * Opens the first track of sound of a file. Throws NodeError with a code of docs/contract/media.md, and the errors of the source.
 */
export async function openSound(
  source: ByteSource,
  codecs: SoundCodecs,
  { maxSeconds = DECODED_SECONDS_MAX, blockBytes }: OpenSoundOptions = {},
): Promise<SoundReader> {
  const window = new ByteWindow(source, blockBytes);
  const { container } = await detectContainer(window);
  const { info, pass } =
    container === "wav" ? await openWavSound(window) : await openTrackSound(source, window, codecs);
  checkShape(info);
  if (info.frames === 0) {
    throw emptyMedia("sound");
  }
  if (info.frames !== null && info.frames > maxSeconds * info.sampleRate) {
    throw mediaTooLong(info.frames / info.sampleRate, maxSeconds);
  }
  return new PassReader(info, pass, maxSeconds);
}

interface Pass {
  blocks(counts: PassCounts, signal?: AbortSignal): AsyncGenerator<AudioBlock>;
  memoryBytes(): number;
}

interface OpenedSound {
  readonly info: SoundInfo;
  readonly pass: Pass;
}

async function openWavSound(window: ByteWindow): Promise<OpenedSound> {
  const header = await readWavHeader(window);
  const { sampleRate, channels, codec, frames } = header;
  return {
    info: { container: "wav", sampleRate, channels, codec, frames, bitDepth: pcmBitDepth(codec) },
    pass: { blocks: (counts) => wavBlocks(window, header, counts), memoryBytes: () => 0 },
  };
}

async function openTrackSound(
  source: ByteSource,
  window: ByteWindow,
  codecs: SoundCodecs,
): Promise<OpenedSound> {
  const media = await openMedia(source, window);
  const track = requireSoundTrack(media);
  const { sound, codec } = track;
  if (sound === null || codec === null) {
    throw unsupportedCodec("sound", track.codecId);
  }
  checkShape(sound);
  await track.prepare();
  const open = decoderOf(track, codecs);
  const shape = await decodedShape(track, sound, open);
  const ratio = shape.sampleRate / track.timeScale;
  const parts = presentedParts(track, ratio);
  const isKnown = parts.every(({ frames }) => frames !== null);
  const frames = isKnown ? parts.reduce((sum, part) => sum + (part.frames ?? 0), 0) : null;
  let current: PacketDecoder | undefined;
  const opened = () => {
    current = open(shape);
    return current;
  };
  return {
    info: {
      container: media.container,
      codec,
      bitDepth: sound.bitDepth,
      frames,
      ...shape,
    },
    pass: {
      blocks: (counts, signal) => decodeTrack(track, shape, ratio, opened, counts, signal),
      memoryBytes: () => current?.memoryBytes ?? 0,
    },
  };
}

/** Throws NodeError `MEDIA_CODEC_UNSUPPORTED` for a codec of which there is no decoder. */
function decoderOf(track: MediaTrack, codecs: SoundCodecs): (shape: SoundShape) => PacketDecoder {
  const { codec, codecId, config } = track;
  if (codec !== null && isPcmCodec(codec)) {
    const isBigEndian = track.pcm?.isBigEndian ?? false;
    return ({ channels }) => new PcmDecoder({ codec, channels, isBigEndian });
  }
  const known = PACKET_CODECS.find((name) => name === codec);
  const make = known === undefined ? undefined : codecs[known];
  if (known === undefined || make === undefined) {
    throw unsupportedCodec("sound", codecId);
  }
  return ({ sampleRate, channels }) => {
    const decoded: DecodedTrack = { codec: known, config, sampleRate, channels };
    return make(decoded);
  };
}

/**
 * Rate and channels of the decoded samples. A header of AAC need not say that it is HE-AAC, which has twice the rate and
 * may have two channels for one: the first packets show it.
 */
async function decodedShape(
  track: MediaTrack,
  stated: SoundShape,
  open: (shape: SoundShape) => PacketDecoder,
): Promise<SoundShape> {
  const { sampleRate, channels } = stated;
  if (track.codec !== "aac") {
    return { sampleRate, channels };
  }
  const decoder = open(stated);
  try {
    let probed = 0;
    for await (const { data } of track.packets()) {
      const block = decoder.decode(data);
      const length = block?.[0]?.length ?? 0;
      if (block !== null && length > 0) {
        const isDoubled = length === 2 * AAC_FRAMES && track.sound?.packetFrames === AAC_FRAMES;
        return { sampleRate: isDoubled ? 2 * sampleRate : sampleRate, channels: block.length };
      }
      if (++probed === PROBED_PACKETS) {
        break;
      }
    }
  } finally {
    decoder.close();
  }
  return { sampleRate, channels };
}

function checkShape({ sampleRate, channels }: SoundShape): void {
  if (!(sampleRate >= RATE_MIN && sampleRate <= RATE_MAX)) {
    throw unsupportedParameter(
      `has a sampling rate of ${sampleRate} Hz; 8,000 to 192,000 Hz are accepted. Convert it first.`,
    );
  }
  if (channels < 1 || channels > CHANNELS_MAX) {
    throw unsupportedParameter(`has ${channels} channels; 1 to 8 are accepted. Convert it first.`);
  }
}

class PassReader implements SoundReader {
  readonly info: SoundInfo;
  readonly #pass: Pass;
  readonly #maxSeconds: number;
  #counts: PassCounts = { packets: 0, failed: 0 };
  #isClosed = false;

  constructor(info: SoundInfo, pass: Pass, maxSeconds: number) {
    this.info = info;
    this.#pass = pass;
    this.#maxSeconds = maxSeconds;
  }

  get decodeErrors(): number {
    return this.#counts.failed;
  }

  checkDecoded(): void {
    checkFailures(this.#counts);
  }

  get memoryBytes(): number {
    return this.#isClosed ? 0 : this.#pass.memoryBytes();
  }

  async *blocks(signal?: AbortSignal): AsyncGenerator<AudioBlock> {
    const counts: PassCounts = { packets: 0, failed: 0 };
    this.#counts = counts;
    const { sampleRate } = this.info;
    const framesMax = this.#maxSeconds * sampleRate;
    let frames = 0;
    let isStopped = true;
    try {
      for await (const block of this.#pass.blocks(counts, signal)) {
        signal?.throwIfAborted();
        if (this.#isClosed) {
          isStopped = false;
          return;
        }
        frames += block[0]?.length ?? 0;
        if (frames > framesMax) {
          throw mediaTooLong(this.#maxSeconds, this.#maxSeconds);
        }
        yield block;
      }
      isStopped = false;
      checkFailures(counts);
      if (frames === 0) {
        throw emptyMedia("sound");
      }
    } catch (error) {
      isStopped = false;
      throw error;
    } finally {
      if (isStopped) {
        this.#checkStopped(counts, frames);
      }
    }
  }

  /** Who reads the frames that it needs and no more must not take a damaged file for silence. */
  #checkStopped({ packets, failed }: PassCounts, frames: number): void {
    const { frames: all } = this.info;
    if (all !== null && frames > 0) {
      checkFailures({ packets: Math.round(packets * Math.max(1, all / frames)), failed });
    }
  }

  close(): void {
    this.#isClosed = true;
  }
}
