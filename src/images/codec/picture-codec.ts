const PAGE_BYTES = 65_536;

/**
 * Why a codec gave up its file: the library refused it, the memory's maximum was reached, the file is of a kind that is
 * not read, or the code trapped.
 */
export type CodecFaultReason = "damaged" | "no_memory" | "unsupported" | "trap";

/** Positions are the numbers of `enum fault` in wasm/pictures/src/host.h. */
const REASONS: readonly CodecFaultReason[] = ["damaged", "no_memory", "unsupported"];

/** A file that a codec does not read or write. The codec's instance must not be used again. */
export class CodecFault extends Error {
  override readonly name = "CodecFault";
  readonly reason: CodecFaultReason;

  constructor(reason: CodecFaultReason, message: string, cause?: unknown) {
    super(message, cause === undefined ? {} : { cause });
    this.reason = reason;
  }
}

/** Shorter pieces may lie on the stack of the module. */
const KEPT_BYTES_MIN = 1_024;

/** Bytes in the memory of a module. */
interface Place {
  readonly at: number;
  readonly length: number;
}

/** The exports that all modules of wasm/pictures have besides their own. */
interface Exports {
  /** Address of room for so many bytes; 0 if there is no memory. */
  room(bytes: number): number;
}

interface PictureCodecOptions {
  /** Memory at the start, as the module states it (wasm/pictures/build.sh). */
  readonly initialBytes: number;
  /** Maximum of the memory, which the caller has taken from the isolate's budget. */
  readonly bytesMax: number;
  /** The file that is read. It is copied into the memory piece by piece, when the module asks for it. */
  readonly file?: Uint8Array;
  /** What the module writes stays where it is until the instance is dropped: longer pieces are not copied. */
  readonly isWrittenKept?: boolean;
  /** Another import of the module: receives a number, usually an address of rows that are ready. */
  readonly onRow?: (at: number) => void;
}

/**
 * One running module of wasm/pictures, for one file. Its memory grows up to a maximum and never shrinks; the instance is
 * dropped with the file. Its functions fail by a throw of the host through them, after which `call` refuses.
 */
export class PictureCodec<E> {
  readonly #exports: E;
  readonly #memory: WebAssembly.Memory;
  #written: (Uint8Array | Place)[] = [];
  #isBroken = false;

  /** Throws CodecFault `no_memory` if the maximum is below the initial memory. */
  constructor(module: WebAssembly.Module, options: PictureCodecOptions) {
    const { initialBytes, bytesMax, file, isWrittenKept = false, onRow } = options;
    const pagesMax = Math.floor(bytesMax / PAGE_BYTES);
    const pages = Math.ceil(initialBytes / PAGE_BYTES);
    if (pagesMax < pages) {
      throw new CodecFault("no_memory", `The codec may have ${bytesMax} bytes only.`);
    }
    this.#memory = new WebAssembly.Memory({ initial: pages, maximum: pagesMax });
    const host = {
      fail: (reason: number, at: number, length: number): never => {
        const text = new TextDecoder().decode(this.#view(at, length));
        throw new CodecFault(REASONS[reason] ?? "damaged", text);
      },
      read: (at: number, to: number, max: number): number => {
        const piece = file?.subarray(at >>> 0, (at >>> 0) + (max >>> 0));
        if (piece === undefined) {
          return 0;
        }
        this.#view(to, piece.length).set(piece);
        return piece.length;
      },
      write: (at: number, length: number): void => {
        const isKept = isWrittenKept && length > KEPT_BYTES_MIN;
        this.#written.push(isKept ? { at, length } : this.#view(at, length).slice());
      },
      row: (at: number): void => onRow?.(at >>> 0),
    };
    const { exports } = new WebAssembly.Instance(module, { env: { memory: this.#memory }, host });
    // The exports of a wasm module are untyped; a test compares the module's bytes with its hash.
    this.#exports = exports as unknown as E;
  }

  get memoryBytes(): number {
    return this.#memory.buffer.byteLength;
  }

  /** Result of `work`. Throws CodecFault, with reason `trap` for errors of the code itself. */
  call<T>(work: (exports: E) => T): T {
    if (this.#isBroken) {
      throw new CodecFault("damaged", "The codec has given this file up.");
    }
    try {
      return work(this.#exports);
    } catch (error) {
      this.#isBroken = true;
      // A stack that is too deep is a RangeError.
      const isTrap = error instanceof WebAssembly.RuntimeError || error instanceof RangeError;
      throw isTrap ? new CodecFault("trap", error.message, error) : error;
    }
  }

  /** Address of new room for so many bytes. Throws CodecFault `no_memory`. */
  room(bytes: number): number {
    const at = (this.#exports as unknown as Exports).room(bytes) >>> 0;
    if (at === 0) {
      this.#isBroken = true;
      throw new CodecFault("no_memory", `The codec has no room for ${bytes} bytes.`);
    }
    return at;
  }

  /** A view of the memory. It ends with the next growth, which any call may cause. */
  bytes(at: number, length: number): Uint8ClampedArray {
    return new Uint8ClampedArray(this.#memory.buffer, at >>> 0, length >>> 0);
  }

  /**
   * The pieces that the module has written since the last call. Those that are kept in its memory end with the next growth,
   * which any call may cause.
   */
  takeWritten(): Uint8Array[] {
    const written = this.#written;
    this.#written = [];
    return written.map((piece) =>
      piece instanceof Uint8Array ? piece : this.#view(piece.at, piece.length),
    );
  }

  #view(at: number, length: number): Uint8Array {
    return new Uint8Array(this.#memory.buffer, at >>> 0, length >>> 0);
  }
}
