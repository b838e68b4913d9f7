import type { AudioBlock } from "../audio-block.ts";
import { readStreamInfo } from "../container/flac/stream-info.ts";
import type { PacketDecoder } from "./codec.ts";
import { FlacAnyDepthDecoder } from "./flac-any-depth-decoder.ts";
import { withOwnHead } from "./flac-frame.ts";
import type { DecodedTrack } from "./sound-codecs.ts";
import { type ExportNames, HOST, WasmInstance } from "./wasm-instance.ts";

type Name = "create" | "decode" | "free";

/** Of @wasm-audio-decoders/flac 0.2.11. */
const NAMES: ExportNames<Name> = {
  memory: "j",
  start: "k",
  malloc: "m",
  functions: { create: "n", decode: "p", free: "l" },
};
const IMPORTS = {
  a: HOST.abort,
  b: HOST.nothing,
  c: HOST.abort,
  d: HOST.nothing,
  e: HOST.noGrowth,
  f: HOST.noFiles,
  g: HOST.noFiles,
  h: HOST.noFiles,
  i: HOST.noFiles,
};
/** Bits of a sample that the package decodes; it divides those of others by 0. */
const FLAC_BITS: ReadonlySet<number> = new Set([8, 16, 24, 32]);
const NOTHING: AudioBlock = [];
/** Results of a call, each a number of 32 bits, in the order of the function's parameters. */
const RESULTS = 8;
const OUTPUT_LENGTH = 5;

interface LibFlac {
  readonly wasm: WasmInstance<Name>;
  readonly decoder: number;
  readonly results: Uint32Array;
}

/** The decoder of a track of FLAC. `module`: src/media/codec/flac-decoder.wasm. */
export function createFlacDecoder(
  module: WebAssembly.Module,
  { config, channels }: Pick<DecodedTrack, "config" | "channels">,
): PacketDecoder {
  const { bitDepth } = readStreamInfo(config);
  return FLAC_BITS.has(bitDepth)
    ? new FlacDecoder(module, channels, bitDepth)
    : new FlacAnyDepthDecoder(channels, bitDepth);
}

/**
 * FLAC by libFLAC. A packet is one frame, whose checksums are compared. Samples are exact multiples of 2^(1 − bits) for up
 * to 24 bits.
 */
class FlacDecoder implements PacketDecoder {
  readonly #module: WebAssembly.Module;
  readonly #channels: number;
  readonly #streamDepth: number;
  #open: LibFlac | undefined;

  constructor(module: WebAssembly.Module, channels: number, streamDepth: number) {
    this.#module = module;
    this.#streamDepth = streamDepth;
    this.#channels = channels;
    this.#open = openLibFlac(module);
  }

  get memoryBytes(): number {
    return this.#open?.wasm.memoryBytes ?? 0;
  }

  decode(packet: Uint8Array): AudioBlock | null {
    const frame = withOwnHead(packet, this.#streamDepth);
    if (frame === undefined) {
      return null;
    }
    try {
      const open = (this.#open ??= openLibFlac(this.#module));
      const block = decodeFrame(open, frame);
      if (block?.length !== this.#channels) {
        // libFLAC may have kept a part of the frame.
        this.#open = undefined;
        return null;
      }
      return block;
    } catch {
      this.#open = undefined;
      return null;
    }
  }

  flush(): AudioBlock {
    return NOTHING;
  }

  reset(): void {
    this.#open = undefined;
  }

  close(): void {
    this.#open = undefined;
  }
}

function openLibFlac(module: WebAssembly.Module): LibFlac {
  const wasm = new WasmInstance<Name>(module, NAMES, IMPORTS);
  const at = wasm.allocate(RESULTS * 4);
  const addresses = Array.from({ length: RESULTS }, (_, i) => at + 4 * i);
  const decoder = wasm.call.create(...addresses);
  return { wasm, decoder, results: new Uint32Array(wasm.memory, at, RESULTS) };
}

/** Undefined for a frame that libFLAC refuses or whose checksum is wrong. */
function decodeFrame(
  { wasm, decoder, results }: LibFlac,
  packet: Uint8Array,
): AudioBlock | undefined {
  // libFLAC frees the bytes when it has read them.
  const input = wasm.allocate(packet.byteLength);
  new Uint8Array(wasm.memory, input, packet.byteLength).set(packet);
  results.fill(0, 0, OUTPUT_LENGTH + 1);
  const isDone = wasm.call.decode(decoder, input, packet.byteLength) !== 0;
  const [channels = 0, , bits = 0, frames = 0, output = 0, length = 0, error = 0] = results;
  const hasError = error !== 0 && new Uint8Array(wasm.memory)[error] !== 0;
  if (!isDone || hasError || !FLAC_BITS.has(bits) || frames === 0 || length !== channels * frames) {
    return undefined;
  }
  const planes = Array.from({ length: channels }, (_, channel) =>
    exact(new Float32Array(wasm.memory, output + channel * frames * 4, frames), bits),
  );
  wasm.call.free(output);
  return planes;
}

/**
 * The package divides by 2^(bits − 1) − 1. A sample of up to 24 bits is restored exactly: its error in a Float32 is below
 * half.
 */
function exact(samples: Float32Array, bits: number): Float32Array {
  const full = 2 ** (bits - 1);
  const planes = new Float32Array(samples.length);
  if (bits === 32) {
    planes.set(samples);
    return planes;
  }
  for (let i = 0; i < samples.length; i++) {
    // The loop stays within the array.
    planes[i] = Math.round((samples[i] as number) * (full - 1)) / full;
  }
  return planes;
}
