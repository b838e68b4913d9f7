import { constants, deflateRawSync } from "node:zlib";
import { adler32 } from "./adler32.ts";

/**
 * One zlib stream (RFC 1950) out of stripes that come one after the other. Each is deflated by itself,
 * so none but the one at hand is held: the rows of a large photograph are as large as itself.
 */
export class ZlibPieces {
  readonly #level: number;
  readonly #strategy: number;
  #checksum = 1;
  #isBegun = false;

  constructor(level: number, strategy: number) {
    this.#level = level;
    this.#strategy = strategy;
  }

  add(stripe: Uint8Array, isLast: boolean): Uint8Array {
    const head = this.#isBegun ? [] : [0x78, 0x5e];
    this.#isBegun = true;
    this.#checksum = adler32(stripe, this.#checksum);
    const deflated = deflateRawSync(stripe, {
      level: this.#level,
      strategy: this.#strategy,
      finishFlush: isLast ? constants.Z_FINISH : constants.Z_SYNC_FLUSH,
    });
    const bytes = new Uint8Array(head.length + deflated.length + (isLast ? 4 : 0));
    // Deflate with a window of 32 KiB, no dictionary.
    bytes.set(head);
    bytes.set(deflated, head.length);
    if (isLast) {
      new DataView(bytes.buffer).setUint32(bytes.length - 4, this.#checksum);
    }
    return bytes;
  }
}
