import { createDecipheriv } from "node:crypto";

/** How the bytes of one object are encrypted. An AES key has 16 or 32 bytes. */
export type PdfCipher =
  | { readonly kind: "none" }
  | { readonly kind: "rc4" | "aes"; readonly key: Uint8Array };

/** Of AES. The first block of a string or stream is the initialization vector. */
const BLOCK_BYTES = 16;
/** The last bytes of encrypted data that `plainSize` needs: with a rest that is not a block, which is left out. */
export const END_BYTES = 3 * BLOCK_BYTES - 1;

/** Decrypts a string, or a stream that is in memory (ISO 32000-1 §7.6.2). Damaged padding is part of the result. */
export function decrypted(cipher: PdfCipher, bytes: Uint8Array): Uint8Array {
  switch (cipher.kind) {
    case "none":
      return bytes;
    case "rc4":
      return new Rc4(cipher.key).apply(bytes);
    case "aes": {
      const size = plainSize(cipher, bytes.length, bytes.subarray(-END_BYTES));
      return size === 0
        ? new Uint8Array(0)
        : decipherOf(cipher.key, bytes.subarray(0, BLOCK_BYTES))
            .update(bytes.subarray(BLOCK_BYTES))
            .subarray(0, size);
    }
  }
}

/** The same for a stream in pieces, whose decrypted size `plainSize` has returned. */
export async function* decryptedPieces(
  cipher: PdfCipher,
  pieces: AsyncIterable<Uint8Array>,
  size: number,
): AsyncGenerator<Uint8Array> {
  const decrypt = decrypterOf(cipher);
  let left = size;
  for await (const piece of pieces) {
    const plain = decrypt(piece).subarray(0, left);
    left -= plain.length;
    if (plain.length > 0) {
      yield plain;
    }
  }
}

/** The size of decrypted data. `size` is that of the encrypted data, and `end` its last `END_BYTES`, or all of fewer. */
export function plainSize(cipher: PdfCipher, size: number, end: Uint8Array): number {
  if (cipher.kind !== "aes") {
    return size;
  }
  const whole = size - (size % BLOCK_BYTES);
  if (whole < 2 * BLOCK_BYTES) {
    return 0;
  }
  const at = end.length - (size - whole) - BLOCK_BYTES;
  // In this mode a block needs nothing but the one before it.
  const last = decipherOf(cipher.key, end.subarray(at - BLOCK_BYTES, at)).update(
    end.subarray(at, at + BLOCK_BYTES),
  );
  const padding = last.at(-1) ?? 0;
  const isPadded =
    padding >= 1 &&
    padding <= BLOCK_BYTES &&
    last.subarray(-padding).every((byte) => byte === padding);
  return whole - BLOCK_BYTES - (isPadded ? padding : 0);
}

/** A function that decrypts one piece after the other. */
function decrypterOf(cipher: PdfCipher): (piece: Uint8Array) => Uint8Array {
  if (cipher.kind === "none") {
    return (piece) => piece;
  }
  if (cipher.kind === "rc4") {
    const rc4 = new Rc4(cipher.key);
    return (piece) => rc4.apply(piece);
  }
  const vector = new Uint8Array(BLOCK_BYTES);
  let filled = 0;
  let decipher: ReturnType<typeof decipherOf> | undefined;
  return (piece) => {
    const head = piece.subarray(0, BLOCK_BYTES - filled);
    vector.set(head, filled);
    filled += head.length;
    if (filled < BLOCK_BYTES) {
      return new Uint8Array(0);
    }
    decipher ??= decipherOf(cipher.key, vector);
    return decipher.update(piece.subarray(head.length));
  };
}

/** A key that is encrypted with another one, of 32 bytes: without a vector and without padding. */
export function decryptedKey(key: Uint8Array, bytes: Uint8Array): Uint8Array {
  return decipherOf(key, new Uint8Array(BLOCK_BYTES)).update(bytes);
}

/** Without padding: that of damaged files would throw. */
function decipherOf(key: Uint8Array, vector: Uint8Array) {
  const decipher = createDecipheriv(`aes-${key.length === 32 ? 256 : 128}-cbc`, key, vector);
  decipher.setAutoPadding(false);
  return decipher;
}

/** ARCFOUR, which neither Node nor the platform's `node:crypto` has any more. */
export class Rc4 {
  readonly #state = Uint8Array.from({ length: 256 }, (_, i) => i);
  #i = 0;
  #j = 0;

  constructor(key: Uint8Array) {
    const state = this.#state;
    for (let i = 0, j = 0; i < 256; i++) {
      const value = state[i] ?? 0;
      j = (j + value + (key[i % key.length] ?? 0)) & 255;
      state[i] = state[j] ?? 0;
      state[j] = value;
    }
  }

  /** Encrypts or decrypts the next bytes. */
  apply(bytes: Uint8Array): Uint8Array {
    const state = this.#state;
    const out = new Uint8Array(bytes.length);
    let [i, j] = [this.#i, this.#j];
    for (let at = 0; at < bytes.length; at++) {
      i = (i + 1) & 255;
      const a = state[i] ?? 0;
      j = (j + a) & 255;
      const b = state[j] ?? 0;
      state[i] = b;
      state[j] = a;
      out[at] = (bytes[at] ?? 0) ^ (state[(a + b) & 255] ?? 0);
    }
    this.#i = i;
    this.#j = j;
    return out;
  }
}
