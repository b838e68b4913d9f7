const PAGE_BYTES = 65_536;

/** The exports that all modules of wasm/ffmpeg have besides their own. */
interface Exports {
  /** Address of room for so many bytes; 0 if there is no memory. */
  room(bytes: number): number;
}

/**
 * One running module of wasm/ffmpeg. Its memory grows up to a maximum, never shrinks, and belongs
 * to one track. A trap leaves the memory in any state, so the instance is dropped after one.
 */
export class CodecInstance<E> {
  readonly exports: E;
  readonly #memory: WebAssembly.Memory;

  /** `initialBytes` is stated by the module (wasm/ffmpeg/build.sh). */
  constructor(module: WebAssembly.Module, initialBytes: number, bytesMax: number) {
    this.#memory = new WebAssembly.Memory({
      initial: initialBytes / PAGE_BYTES,
      maximum: Math.floor(bytesMax / PAGE_BYTES),
    });
    const { exports } = new WebAssembly.Instance(module, { env: { memory: this.#memory } });
    // The exports of a wasm module are untyped; a test compares the module's bytes with its hash.
    this.exports = exports as unknown as E;
  }

  get memoryBytes(): number {
    return this.#memory.buffer.byteLength;
  }

  /** Copies the bytes to where the module expects its input. Returns whether there was memory. */
  put(bytes: Uint8Array): boolean {
    const at = (this.exports as unknown as Exports).room(bytes.length) >>> 0;
    if (at === 0) {
      return false;
    }
    this.bytes(at, bytes.length).set(bytes);
    return true;
  }

  /** Views end with the next growth of the memory, and their content with the next call. */
  bytes(at: number, length: number): Uint8Array {
    return new Uint8Array(this.#memory.buffer, at >>> 0, length);
  }

  floats(at: number, length: number): Float32Array {
    return new Float32Array(this.#memory.buffer, at >>> 0, length);
  }

  integers(at: number, length: number): Int32Array {
    return new Int32Array(this.#memory.buffer, at >>> 0, length);
  }
}

/**
 * Result of a call into a module, or undefined if it trapped: an access beyond the memory, a failed
 * assertion, a stack that is too deep. Other errors are thrown.
 */
export function unlessTrapped<T>(call: () => T): T | undefined {
  try {
    return call();
  } catch (error) {
    if (error instanceof WebAssembly.RuntimeError || error instanceof RangeError) {
      return undefined;
    }
    throw error;
  }
}
