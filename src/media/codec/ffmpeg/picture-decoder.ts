import { CodecInstance, unlessTrapped } from "./codec-instance.ts";

/** Functions of pictures.wasm (wasm/ffmpeg/src/pictures.c). */
interface PictureExports {
  open(codec: number, configBytes: number, pixelsMax: number): number;
  send(bytes: number, time: number, skip: number): number;
  receive(): number;
  fields(): number;
  time(): number;
  reset(): void;
}

/** Positions are the numbers that the module has for its codecs. */
const CODECS = ["h264", "hevc", "vp8", "vp9"] as const;
const FIELD_COUNT = 19;
const INITIAL_BYTES = 2 * 1024 * 1024;
/** Pixels of the largest picture that is decoded (docs/decisions/media.md). */
export const PICTURE_PIXELS_MAX = 16_777_216;
/** A key frame of 8 bits without any compression has 1.5 bytes a pixel. */
const PACKET_BYTES_MAX = 16 * 1024 * 1024;
const CONFIG_BYTES_MAX = 256 * 1024;
/** Instances for one track: a file that traps again and again is given up. */
const STARTS_MAX = 4;

/**
 * Why a packet or a picture does not decode: its bytes are wrong; it has more pixels than
 * PICTURE_PIXELS_MAX; the decoder needs more memory than it was given; its kind (of colors or bits)
 * is not decoded.
 */
export type PictureProblem = "damaged" | "too_large" | "no_memory" | "unsupported";

const PROBLEMS: Readonly<Record<number, PictureProblem>> = {
  [-2]: "damaged",
  [-3]: "too_large",
  [-4]: "no_memory",
  [-5]: "unsupported",
};
const NOTHING = -1;

export interface PictureTrackConfig {
  readonly codec: (typeof CODECS)[number];
  /** avcC or hvcC; null for VP8 and VP9, and for streams with start codes. */
  readonly config: Uint8Array | null;
  /** Maximum of the decoder's memory, in bytes. */
  readonly memoryBytesMax: number;
}

/** One picture, cropped as its stream says. The planes are valid until the next call. */
export interface Picture {
  /** Of the first plane, in pixels. */
  readonly width: number;
  readonly height: number;
  /** More than 8 bits: samples have two bytes each, little endian. */
  readonly bitDepth: number;
  /** The second and third plane have 2 to the power of this fewer columns and rows, rounded up. */
  readonly chromaShift: { readonly x: number; readonly y: number };
  readonly planes: readonly [Uint8Array, Uint8Array, Uint8Array];
  /** Bytes from a row to the next, for each plane. */
  readonly strides: readonly [number, number, number];
  /** As given with its packet. */
  readonly pts: number;
  readonly isFullRange: boolean;
  /** Code points of ITU-T H.273; 2 where the stream states none, matrix 0 is RGB (in the order G, B, R). */
  readonly matrix: number;
  readonly primaries: number;
  readonly transfer: number;
  /** Shape of a pixel, as the stream states it; 0 over 1 where it states none. */
  readonly pixelAspect: { readonly x: number; readonly y: number };
  readonly isKey: boolean;
  /** Parts are missing, or pictures that it is predicted from. */
  readonly isDamaged: boolean;
}

/**
 * Decodes H.264 and HEVC (4:2:0, 8 and 10 bits), VP8 and VP9 with FFmpeg. Give one packet with
 * `send`, take pictures with `receive` until it returns null, and repeat; pictures come in the order
 * in which they are presented, later than their packets. Never throws on bad bytes.
 */
export class PictureDecoder {
  readonly #module: WebAssembly.Module;
  readonly #track: PictureTrackConfig;
  #instance: CodecInstance<PictureExports> | undefined;
  #startCount = 0;
  #problem: PictureProblem | null = null;

  constructor(module: WebAssembly.Module, track: PictureTrackConfig) {
    this.#module = module;
    this.#track = track;
  }

  get memoryBytes(): number {
    return this.#instance?.memoryBytes ?? 0;
  }

  /** Why the latest packet, or a picture after it, does not decode; null if all did. */
  get problem(): PictureProblem | null {
    return this.#problem;
  }

  /**
   * Gives the decoder one packet. `skip` leaves out its picture if no other picture is predicted
   * from it. Returns false if the packet does not decode, with the reason in `problem`.
   */
  send(packet: Uint8Array, pts: number, options: { readonly skip?: boolean } = {}): boolean {
    this.#problem = null;
    if (packet.length === 0 || packet.length > PACKET_BYTES_MAX) {
      this.#problem = "damaged";
      return false;
    }
    return (
      this.#call((instance) => {
        if (!instance.put(packet)) {
          return -4;
        }
        return instance.exports.send(packet.length, pts, options.skip === true ? 1 : 0);
      }) === 0
    );
  }

  /** The next picture, or null if there is none before the next packet. */
  receive(): Picture | null {
    if (this.#instance === undefined) {
      return null;
    }
    let picture: Picture | null = null;
    this.#call((instance) => {
      const result = instance.exports.receive();
      picture = result === 0 ? readPicture(instance) : null;
      return result;
    });
    return picture;
  }

  /** The end of the stream: pictures that were delayed can be received. `reset` must follow. */
  flush(): void {
    this.#problem = null;
    if (this.#instance !== undefined) {
      this.#call((instance) => instance.exports.send(0, 0, 0));
    }
  }

  /** Forgets all pictures, before a jump to a key frame. */
  reset(): void {
    this.#problem = null;
    if (this.#instance !== undefined) {
      this.#call((instance) => {
        instance.exports.reset();
        return 0;
      });
    }
  }

  close(): void {
    this.#instance = undefined;
    this.#startCount = STARTS_MAX;
  }

  #call(work: (instance: CodecInstance<PictureExports>) => number): number {
    const result = unlessTrapped(() => {
      this.#instance ??= this.#start();
      return this.#instance === undefined ? -2 : work(this.#instance);
    });
    if (result === undefined) {
      this.#instance = undefined;
    }
    const code = result ?? -2;
    if (code !== NOTHING && code < 0) {
      this.#problem = PROBLEMS[code] ?? "damaged";
    }
    return code;
  }

  #start(): CodecInstance<PictureExports> | undefined {
    const { codec, memoryBytesMax } = this.#track;
    const config = this.#track.config ?? new Uint8Array(0);
    if (this.#startCount >= STARTS_MAX || config.length > CONFIG_BYTES_MAX) {
      return undefined;
    }
    this.#startCount++;
    const instance = new CodecInstance<PictureExports>(this.#module, INITIAL_BYTES, memoryBytesMax);
    const isOpen =
      instance.put(config) &&
      instance.exports.open(CODECS.indexOf(codec), config.length, PICTURE_PIXELS_MAX) === 0;
    return isOpen ? instance : undefined;
  }
}

/** Reads the fields of the picture that the module has just returned. */
function readPicture(instance: CodecInstance<PictureExports>): Picture {
  const fields = instance.integers(instance.exports.fields(), FIELD_COUNT);
  const field = (at: number): number => fields[at] ?? 0;
  const [width, height, bitDepth] = [field(0), field(1), field(2)];
  const chromaShift = { x: field(3), y: field(4) };
  const plane = (index: number): Uint8Array => {
    const rows = index === 0 ? height : -(-height >> chromaShift.y);
    const columns = index === 0 ? width : -(-width >> chromaShift.x);
    // The last row ends with its last sample, not with its stride.
    const length = field(8 + index) * (rows - 1) + columns * (bitDepth > 8 ? 2 : 1);
    return instance.bytes(field(5 + index), length);
  };
  return {
    width,
    height,
    bitDepth,
    chromaShift,
    planes: [plane(0), plane(1), plane(2)],
    strides: [field(8), field(9), field(10)],
    pts: instance.exports.time(),
    isFullRange: field(11) !== 0,
    matrix: field(12),
    primaries: field(13),
    transfer: field(14),
    pixelAspect: { x: field(15), y: field(16) },
    isKey: field(17) !== 0,
    isDamaged: field(18) !== 0,
  };
}
