import type { AudioBlock } from "../audio-block.ts";
import type { PacketDecoder } from "./codec.ts";
import { OPUS_RATE, type OpusHead, readOpusHead } from "./opus-head.ts";
import { type ExportNames, HOST, WasmInstance } from "./wasm-instance.ts";

type Name = "create" | "decode";

/** Of opus-decoder 0.7.12. */
const NAMES: ExportNames<Name> = {
  memory: "g",
  start: "h",
  malloc: "j",
  functions: { create: "i", decode: "k" },
};
const IMPORTS = {
  a: HOST.cos,
  b: HOST.abort,
  c: HOST.nothing,
  d: HOST.abort,
  e: HOST.nothing,
  f: HOST.noGrowth,
};
/** 120 ms at 48 kHz. */
const PACKET_FRAMES_MAX = 5_760;
/** 1,275 bytes for each of at most 48 frames would be 61,200; libopus writes far less. */
const INPUT_BYTES = 64 * 1024;
const NOTHING: AudioBlock = [];

interface Libopus {
  readonly wasm: WasmInstance<Name>;
  readonly decoder: number;
  readonly input: Uint8Array;
  readonly inputAt: number;
  readonly output: Float32Array;
  readonly outputAt: number;
}

/**
 * Opus by libopus, at 48 kHz, with the output gain of its header and channels in the order of WAV. The pre-skip is not
 * cut.
 */
export class OpusDecoder implements PacketDecoder {
  readonly #module: WebAssembly.Module;
  readonly #head: OpusHead;
  #open: Libopus | undefined;

  /** `config`: OpusHead. `module`: src/media/codec/opus-decoder.wasm. Throws NodeError for a header that is not read. */
  constructor(module: WebAssembly.Module, config: Uint8Array) {
    this.#module = module;
    this.#head = readOpusHead(config);
    this.#open = openLibopus(module, this.#head);
  }

  get memoryBytes(): number {
    return this.#open?.wasm.memoryBytes ?? 0;
  }

  decode(packet: Uint8Array): AudioBlock | null {
    // libopus takes an empty packet for a lost one and makes sound up.
    if (packet.byteLength === 0 || packet.byteLength > INPUT_BYTES) {
      return null;
    }
    try {
      const open = (this.#open ??= openLibopus(this.#module, this.#head));
      open.input.set(packet);
      const frames = open.wasm.call.decode(
        open.decoder,
        open.inputAt,
        packet.byteLength,
        open.outputAt,
      );
      return frames <= 0 ? null : this.#taken(open.output, frames);
    } catch {
      // A trap leaves the instance in an unknown state.
      this.#open = undefined;
      return null;
    }
  }

  flush(): AudioBlock {
    return NOTHING;
  }

  reset(): void {
    this.#open = openLibopus(this.#module, this.#head);
  }

  close(): void {
    this.#open = undefined;
  }

  #taken(output: Float32Array, frames: number): AudioBlock {
    const { channels, gain } = this.#head;
    return Array.from({ length: channels }, (_, channel) => {
      const plane = output.slice(channel * frames, (channel + 1) * frames);
      return gain === 1 ? plane : plane.map((sample) => sample * gain);
    });
  }
}

function openLibopus(module: WebAssembly.Module, head: OpusHead): Libopus {
  const { channels, streams, coupledStreams, mapping } = head;
  const wasm = new WasmInstance<Name>(module, NAMES, IMPORTS);
  const mappingAt = wasm.allocate(channels);
  new Uint8Array(wasm.memory, mappingAt, channels).set(mapping);
  // The last two: samples to cut, and whether to make stereo of other channels.
  const decoder = wasm.call.create(OPUS_RATE, channels, streams, coupledStreams, mappingAt, 0, 0);
  if (decoder === 0) {
    throw new Error("libopus did not start.");
  }
  const inputAt = wasm.allocate(INPUT_BYTES);
  const outputAt = wasm.allocate(PACKET_FRAMES_MAX * channels * 4);
  return {
    wasm,
    decoder,
    input: new Uint8Array(wasm.memory, inputAt, INPUT_BYTES),
    inputAt,
    output: new Float32Array(wasm.memory, outputAt, PACKET_FRAMES_MAX * channels),
    outputAt,
  };
}
