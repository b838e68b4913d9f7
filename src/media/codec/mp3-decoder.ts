import type { AudioBlock } from "../audio-block.ts";
import type { PacketDecoder } from "./codec.ts";
import { type ExportNames, HOST, WasmInstance } from "./wasm-instance.ts";

type Name = "create" | "destroy" | "feed" | "read";

/** Of mpg123-decoder 1.0.3. */
const NAMES: ExportNames<Name> = {
  memory: "k",
  start: "l",
  malloc: "m",
  functions: { create: "p", feed: "q", read: "r", destroy: "s" },
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
  j: HOST.abort,
};
const NEED_MORE = -10;
const NEW_FORMAT = -11;
/** The longest frame has 2,881 bytes. */
const INPUT_BYTES = 4_096;
const FRAME_SAMPLES_MAX = 1_152;
const READS_MAX = 8;
const NOTHING: AudioBlock = [];

interface Mpg123 {
  readonly wasm: WasmInstance<Name>;
  readonly decoder: number;
  readonly input: Uint8Array;
  readonly inputAt: number;
  readonly output: Float32Array;
  readonly outputAt: number;
  /** Samples of the latest read, the rate and an error's text. */
  readonly results: Uint32Array;
  readonly resultsAt: number;
}

/** MPEG 1, 2 and 2.5 layer III by mpg123. A packet is one frame. The encoder's delay is not cut. */
export class Mp3Decoder implements PacketDecoder {
  readonly #module: WebAssembly.Module;
  readonly #channels: number;
  #open: Mpg123 | undefined;
  /** Frames of samples that were fed and did not come out, for each packet one. */
  #owed = 0;

  /** `channels`: 1 or 2. `module`: src/media/codec/mp3-decoder.wasm. */
  constructor(module: WebAssembly.Module, channels: number) {
    this.#module = module;
    this.#channels = channels;
    this.#open = openMpg123(module);
  }

  get memoryBytes(): number {
    return this.#open?.wasm.memoryBytes ?? 0;
  }

  decode(packet: Uint8Array): AudioBlock | null {
    if (packet.byteLength === 0 || packet.byteLength > INPUT_BYTES) {
      return null;
    }
    try {
      const open = (this.#open ??= openMpg123(this.#module));
      open.input.set(packet);
      const { call } = open.wasm;
      const fed = call.feed(open.decoder, open.inputAt, packet.byteLength);
      if (fed !== 0 && fed !== NEED_MORE) {
        return null;
      }
      this.#owed++;
      return this.#take(open);
    } catch {
      // A trap leaves the instance in an unknown state.
      this.#open = undefined;
      this.#owed = 0;
      return null;
    }
  }

  flush(): AudioBlock {
    try {
      return this.#open === undefined ? NOTHING : (this.#take(this.#open) ?? NOTHING);
    } catch {
      this.#open = undefined;
      return NOTHING;
    }
  }

  reset(): void {
    this.#open = openMpg123(this.#module);
    this.#owed = 0;
  }

  close(): void {
    this.#open = undefined;
  }

  /** Reads the frames that are complete. Null if a frame that was fed is lost. */
  #take(open: Mpg123): AudioBlock | null {
    const { call } = open.wasm;
    const blocks: Float32Array[][] = [];
    for (let read = 0; read < READS_MAX; read++) {
      open.results[0] = 0;
      const status = call.read(
        open.decoder,
        open.outputAt,
        open.output.length,
        open.resultsAt,
        open.resultsAt + 4,
        open.resultsAt + 8,
      );
      const samples = open.results[0] ?? 0;
      if (samples > 0) {
        this.#owed--;
        blocks.push(
          Array.from({ length: this.#channels }, (_, channel) =>
            open.output.slice(channel * samples, (channel + 1) * samples),
          ),
        );
      }
      if (status !== NEW_FORMAT && (status !== 0 || samples === 0)) {
        break;
      }
    }
    // The first frame waits for the header of the second one; no other waits.
    if (this.#owed > 1) {
      this.#owed--;
      return blocks.length === 0 ? null : joined(blocks);
    }
    return blocks.length === 0 ? NOTHING : joined(blocks);
  }
}

function openMpg123(module: WebAssembly.Module): Mpg123 {
  const wasm = new WasmInstance<Name>(module, NAMES, IMPORTS);
  const resultsAt = wasm.allocate(16);
  const results = new Uint32Array(wasm.memory, resultsAt, 4);
  // The second value: whether mpg123 itself cuts the delay.
  const status = wasm.call.create(resultsAt, 0);
  const decoder = results[0] ?? 0;
  if (status !== 0 || decoder === 0) {
    throw new Error(`mpg123 did not start: ${status}.`);
  }
  const inputAt = wasm.allocate(INPUT_BYTES);
  const outputAt = wasm.allocate(FRAME_SAMPLES_MAX * 2 * 4);
  return {
    wasm,
    decoder,
    input: new Uint8Array(wasm.memory, inputAt, INPUT_BYTES),
    inputAt,
    output: new Float32Array(wasm.memory, outputAt, FRAME_SAMPLES_MAX * 2),
    outputAt,
    results,
    resultsAt,
  };
}

function joined(blocks: readonly Float32Array[][]): AudioBlock {
  const [first = []] = blocks;
  if (blocks.length === 1) {
    return first;
  }
  return first.map((_, channel) => {
    const length = blocks.reduce((sum, block) => sum + (block[channel]?.length ?? 0), 0);
    const plane = new Float32Array(length);
    let at = 0;
    for (const block of blocks) {
      const part = block[channel] ?? new Float32Array(0);
      plane.set(part, at);
      at += part.length;
    }
    return plane;
  });
}
