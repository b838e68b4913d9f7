/** Noise reduction by RNNoise's recurrent network, at 48 kHz. */
import type { AudioBlock, SoundShape } from "../audio-block.ts";
import { FrameQueue } from "./frame-queue.ts";
import { inBlocks, type SoundStage } from "./sound-stage.ts";

type Pointer = number;

/** The functions of simple-rnnoise-wasm, which imports nothing. */
interface RnnoiseExports {
  readonly memory: WebAssembly.Memory;
  _initialize(): void;
  newState(): Pointer;
  /** Where the next samples are to be written. */
  getInput(state: Pointer): Pointer;
  /** Takes `frames` samples and returns as many; 0 while there are too few. */
  pipe(state: Pointer, frames: number): Pointer;
}

/** Frames of a step of the network, and how much its output is behind. */
const STEP = 480;
const RATE = 48_000;

/** Converts between two rates without delay: round(frames × to / from) frames in all. */
export interface RateConverter {
  process(block: AudioBlock): AudioBlock;
  end(): AudioBlock;
}
export type CreateRateConverter = (from: number, to: number, channels: number) => RateConverter;

/** The network of one channel. Its memory has a fixed size and room for one state. */
class Network {
  readonly #wasm: RnnoiseExports;
  readonly #state: Pointer;

  constructor(module: WebAssembly.Module) {
    // The exports of this module, as its package describes them.
    this.#wasm = new WebAssembly.Instance(module).exports as unknown as RnnoiseExports;
    this.#wasm._initialize();
    this.#state = this.#wasm.newState();
  }

  get memoryBytes(): number {
    return this.#wasm.memory.buffer.byteLength;
  }

  /** Takes the samples of a step and returns those of the step before. Valid until the next call. */
  step(samples: Float32Array): Float32Array {
    const input = this.#wasm.getInput(this.#state);
    new Float32Array(this.#wasm.memory.buffer, input, STEP).set(samples);
    const output = this.#wasm.pipe(this.#state, STEP);
    if (output === 0) {
      throw new Error("The network returned no samples for a whole step.");
    }
    return new Float32Array(this.#wasm.memory.buffer, output, STEP);
  }
}

/** Cleans each channel with a network of its own. Another rate than 48 kHz is converted and given back. */
export class NeuralDenoise implements SoundStage {
  readonly #networks: readonly Network[];
  readonly #up: RateConverter | undefined;
  readonly #down: RateConverter | undefined;
  readonly #waiting: FrameQueue;
  readonly #ready: FrameQueue;
  readonly #made: readonly Float32Array[];
  #early = STEP;
  /** Frames at 48 kHz that came and were not returned yet. */
  #inside = 0;
  #owed = 0;

  constructor(
    module: WebAssembly.Module,
    { sampleRate, channels }: SoundShape,
    createConverter: CreateRateConverter,
  ) {
    const all = Array.from({ length: channels });
    this.#networks = all.map(() => new Network(module));
    if (sampleRate !== RATE) {
      this.#up = createConverter(sampleRate, RATE, channels);
      this.#down = createConverter(RATE, sampleRate, channels);
    }
    this.#waiting = new FrameQueue(channels);
    this.#ready = new FrameQueue(channels);
    this.#made = all.map(() => new Float32Array(STEP));
  }

  /** Memory of the networks, in bytes. */
  get memoryBytes(): number {
    return this.#networks.reduce((sum, { memoryBytes }) => sum + memoryBytes, 0);
  }

  process(block: AudioBlock): AudioBlock {
    const frames = block[0]?.length ?? 0;
    this.#owed += frames;
    this.#clean(this.#up?.process(block) ?? block);
    return this.#take(frames);
  }

  end(): AudioBlock {
    if (this.#up !== undefined) {
      this.#clean(this.#up.end());
    }
    const frames = this.#inside;
    this.#waiting.pushSilence(STEP * Math.ceil((frames + STEP) / STEP));
    this.#advance();
    if (this.#down !== undefined) {
      this.#ready.push(this.#down.end());
    }
    // A rate that 48 kHz does not divide loses or gains a frame on the way there and back.
    this.#ready.pushSilence(Math.max(0, this.#owed - this.#ready.length));
    return this.#take(this.#owed);
  }

  #take(frames: number): AudioBlock {
    const taken = this.#ready.take(Math.min(frames, this.#owed));
    this.#owed -= taken[0]?.length ?? 0;
    return taken;
  }

  #clean(block: AudioBlock): void {
    for (const part of inBlocks(block)) {
      this.#inside += part[0]?.length ?? 0;
      this.#waiting.push(part);
      this.#advance();
    }
  }

  #advance(): void {
    while (this.#waiting.length >= STEP) {
      const frames = this.#waiting.take(STEP);
      for (const [channel, network] of this.#networks.entries()) {
        const samples = frames[channel] ?? new Float32Array(STEP);
        this.#made[channel]?.set(network.step(samples));
      }
      const from = Math.min(this.#early, STEP);
      this.#early -= from;
      const count = Math.min(STEP - from, this.#inside);
      if (count > 0) {
        this.#inside -= count;
        const cleaned = this.#made.map((samples) => samples.subarray(from, from + count));
        this.#ready.push(this.#down?.process(cleaned) ?? cleaned);
      }
    }
  }
}

/** Mixes a stage's result with its input, which waits for it. */
export class WetDry implements SoundStage {
  readonly #stage: SoundStage;
  readonly #wet: number;
  readonly #dry: FrameQueue;

  /** @param wet share of the stage's result, 0 to 1. */
  constructor(stage: SoundStage, channels: number, wet: number) {
    this.#stage = stage;
    this.#wet = wet;
    this.#dry = new FrameQueue(channels);
  }

  process(block: AudioBlock): AudioBlock {
    this.#dry.push(block);
    return this.#mix(this.#stage.process(block));
  }

  end(): AudioBlock {
    return this.#mix(this.#stage.end());
  }

  #mix(cleaned: AudioBlock): AudioBlock {
    const dry = this.#dry.take(cleaned[0]?.length ?? 0);
    for (const [channel, samples] of dry.entries()) {
      const wet = cleaned[channel] ?? new Float32Array(samples.length);
      for (let i = 0; i < samples.length; i++) {
        samples[i] = this.#wet * (wet[i] ?? 0) + (1 - this.#wet) * (samples[i] ?? 0);
      }
    }
    return dry;
  }
}
