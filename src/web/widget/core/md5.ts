/** MD5 (RFC 1321), which binds the address of an upload's part to its bytes. Web Crypto has no MD5. */

const SHIFTS = [7, 12, 17, 22, 5, 9, 14, 20, 4, 11, 16, 23, 6, 10, 15, 21] as const;
const SINES = Int32Array.from({ length: 64 }, (_none, i) =>
  Math.floor(Math.abs(Math.sin(i + 1)) * 2 ** 32),
);

/** Returns the 16 bytes of the digest in base64. */
export function md5Base64(bytes: Uint8Array): string {
  const state = Int32Array.of(0x67_45_23_01, 0xef_cd_ab_89, 0x98_ba_dc_fe, 0x10_32_54_76);
  const whole = bytes.length - (bytes.length % 64);
  addBlocks(state, new DataView(bytes.buffer, bytes.byteOffset, whole), whole);
  const left = bytes.length - whole;
  const tail = new Uint8Array(left < 56 ? 64 : 128);
  tail.set(bytes.subarray(whole));
  tail[left] = 0x80;
  const view = new DataView(tail.buffer);
  view.setUint32(tail.length - 8, (bytes.length * 8) >>> 0, true);
  view.setUint32(tail.length - 4, Math.floor(bytes.length / 2 ** 29), true);
  addBlocks(state, view, tail.length);
  const digest = new DataView(new ArrayBuffer(16));
  state.forEach((word, i) => {
    digest.setInt32(i * 4, word, true);
  });
  return btoa(String.fromCharCode(...new Uint8Array(digest.buffer)));
}

function addBlocks(state: Int32Array, view: DataView, length: number): void {
  const words = new Int32Array(16);
  for (let at = 0; at < length; at += 64) {
    for (let i = 0; i < 16; i += 1) {
      words[i] = view.getInt32(at + i * 4, true);
    }
    addBlock(state, words);
  }
}

/** Without temporary arrays: a part has 131,072 blocks. */
function addBlock(state: Int32Array, words: Int32Array): void {
  let a = state[0] ?? 0;
  let b = state[1] ?? 0;
  let c = state[2] ?? 0;
  let d = state[3] ?? 0;
  for (let i = 0; i < 64; i += 1) {
    let mixed: number;
    let word: number;
    if (i < 16) {
      mixed = (b & c) | (~b & d);
      word = i;
    } else if (i < 32) {
      mixed = (d & b) | (~d & c);
      word = 5 * i + 1;
    } else if (i < 48) {
      mixed = b ^ c ^ d;
      word = 3 * i + 5;
    } else {
      mixed = c ^ (b | ~d);
      word = 7 * i;
    }
    const sum = (a + mixed + (SINES[i] ?? 0) + (words[word & 15] ?? 0)) | 0;
    const shift = SHIFTS[(i >> 4) * 4 + (i & 3)] ?? 0;
    a = d;
    d = c;
    c = b;
    b = (b + ((sum << shift) | (sum >>> (32 - shift)))) | 0;
  }
  state[0] = ((state[0] ?? 0) + a) | 0;
  state[1] = ((state[1] ?? 0) + b) | 0;
  state[2] = ((state[2] ?? 0) + c) | 0;
  state[3] = ((state[3] ?? 0) + d) | 0;
}
