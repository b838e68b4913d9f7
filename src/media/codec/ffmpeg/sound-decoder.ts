import { type AudioBlock, BLOCK_FRAMES_MAX } from "../../audio-block.ts";
import type { PacketDecoder } from "../codec.ts";
import { CodecInstance, unlessTrapped } from "./codec-instance.ts";

/** Functions of sound.wasm (wasm/ffmpeg/src/sound.c). */
interface SoundExports {
  open(codec: number, configBytes: number, rate: number, channels: number): number;
  send(bytes: number): number;
  receive(): number;
  channels(): number;
  rate(): number;
  plane(channel: number): number;
  reset(): void;
}

/** Positions are the numbers that the module has for its codecs. */
const CODECS = ["aac", "alac", "vorbis"] as const;
/** Results of `receive` that are not a number of frames. */
const NOTHING = -1;
const INITIAL_BYTES = 2 * 1024 * 1024;
/** Measured: 2.1 to 3.4 MB; more is what a hostile stream asks for. */
const MEMORY_BYTES_MAX = 8 * 1024 * 1024;
/** A packet of eight channels of ALAC with 8,192 frames of 32 bits, which is larger than those of AAC and Vorbis. */
const PACKET_BYTES_MAX = 320 * 1024;
/** A Vorbis setup header may have some 10 kB for each channel mapping. */
const CONFIG_BYTES_MAX = 256 * 1024;
/** Instances for one track: a file that traps again and again is given up. */
const STARTS_MAX = 16;
const ALAC_COOKIE_BYTES = 24;

const SILENCE: AudioBlock = [];

/** A track as its container describes it. */
export interface SoundTrackConfig {
  readonly codec: (typeof CODECS)[number];
  /**
   * AudioSpecificConfig, ALAC magic cookie (with or without its box), or the three Vorbis headers
   * with Xiph lacing. Null for AAC whose packets have ADTS headers.
   */
  readonly config: Uint8Array | null;
  readonly sampleRate: number;
  readonly channels: number;
}

/**
 * Decodes AAC-LC, HE-AAC v1 and v2, ALAC up to 24 bits and Vorbis with FFmpeg. Channels are in the
 * order of WAV. `config` does not cut priming: every sample of every packet is returned, besides
 * the first packet of Vorbis, which has none.
 */
export class FfmpegSoundDecoder implements PacketDecoder {
  readonly #module: WebAssembly.Module;
  readonly #track: SoundTrackConfig;
  #instance: CodecInstance<SoundExports> | undefined;
  #startCount = 0;
  #out: Float32Array[] = [];
  #sampleRate = 0;

  constructor(module: WebAssembly.Module, track: SoundTrackConfig) {
    this.#module = module;
    this.#track = track;
  }

  /**
   * Sampling rate in Hz of the decoded samples, 0 before the first. HE-AAC has twice the rate of
   * its configuration if that does not announce the extension.
   */
  get sampleRate(): number {
    return this.#sampleRate;
  }

  /** Channels of the decoded samples, 0 before the first. */
  get channels(): number {
    return this.#out.length;
  }

  get memoryBytes(): number {
    return this.#instance?.memoryBytes ?? 0;
  }

  decode(packet: Uint8Array): AudioBlock | null {
    if (packet.length === 0 || packet.length > PACKET_BYTES_MAX) {
      return null;
    }
    return this.#run(packet);
  }

  flush(): AudioBlock {
    return this.#instance === undefined ? SILENCE : (this.#run(null) ?? SILENCE);
  }

  reset(): void {
    const instance = this.#instance;
    if (
      instance !== undefined &&
      unlessTrapped(() => {
        instance.exports.reset();
        return true;
      }) === undefined
    ) {
      this.#instance = undefined;
    }
  }

  close(): void {
    this.#instance = undefined;
    this.#startCount = STARTS_MAX;
  }

  /** Null: what was delayed. */
  #run(packet: Uint8Array | null): AudioBlock | null {
    const result = unlessTrapped(() => {
      const instance = (this.#instance ??= this.#start());
      if (instance === undefined || (packet !== null && !instance.put(packet))) {
        return null;
      }
      return instance.exports.send(packet?.length ?? 0) < 0 ? null : this.#receive(instance);
    });
    if (result === undefined) {
      this.#instance = undefined;
      return null;
    }
    return result;
  }

  #start(): CodecInstance<SoundExports> | undefined {
    const { codec, config, sampleRate, channels } = this.#track;
    if (this.#startCount >= STARTS_MAX || (config?.length ?? 0) > CONFIG_BYTES_MAX) {
      return undefined;
    }
    this.#startCount++;
    const given = codec === "alac" ? alacBox(config) : (config ?? new Uint8Array(0));
    if (given === undefined) {
      return undefined;
    }
    const instance = new CodecInstance<SoundExports>(this.#module, INITIAL_BYTES, MEMORY_BYTES_MAX);
    const isOpen =
      instance.put(given) &&
      instance.exports.open(CODECS.indexOf(codec), given.length, sampleRate, channels) >= 0;
    return isOpen ? instance : undefined;
  }

  /** Null if a part of the packet does not decode, or has another shape than those before. */
  #receive(instance: CodecInstance<SoundExports>): AudioBlock | null {
    const { exports } = instance;
    let frames = 0;
    for (let count = exports.receive(); count !== NOTHING; count = exports.receive()) {
      if (count < 0 || frames + count > BLOCK_FRAMES_MAX) {
        return null;
      }
      const channels = exports.channels();
      if (this.#out.length === 0) {
        this.#sampleRate = exports.rate();
        this.#out = Array.from({ length: channels }, () => new Float32Array(BLOCK_FRAMES_MAX));
      } else if (channels !== this.#out.length || exports.rate() !== this.#sampleRate) {
        return null;
      }
      for (const [channel, out] of this.#out.entries()) {
        out.set(instance.floats(exports.plane(channel), count), frames);
      }
      frames += count;
    }
    return frames === 0 ? SILENCE : this.#out.map((out) => out.subarray(0, frames));
  }
}

/**
 * The magic cookie with the 12 bytes of its box before it, as FFmpeg expects it. Undefined if it is
 * cut, or its packets have more frames than a block.
 */
function alacBox(config: Uint8Array | null): Uint8Array | undefined {
  const hasBox = config !== null && config.length >= 8 && latin(config.subarray(4, 8)) === "alac";
  const cookie = config?.subarray(hasBox ? 12 : 0);
  if (cookie === undefined || cookie.length < ALAC_COOKIE_BYTES) {
    return undefined;
  }
  const frames = new DataView(cookie.buffer, cookie.byteOffset).getUint32(0);
  if (frames === 0 || frames > BLOCK_FRAMES_MAX) {
    return undefined;
  }
  const box = new Uint8Array(12 + ALAC_COOKIE_BYTES);
  box.set([0, 0, 0, box.length, 0x61, 0x6c, 0x61, 0x63]);
  box.set(cookie.subarray(0, ALAC_COOKIE_BYTES), 12);
  return box;
}

function latin(bytes: Uint8Array): string {
  return String.fromCharCode(...bytes);
}
