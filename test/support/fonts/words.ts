/** 16-bit numbers, big-endian; negative ones as two's complement. */
export function words(...values: readonly number[]): Uint8Array<ArrayBuffer> {
  const view = new DataView(new ArrayBuffer(values.length * 2));
  values.forEach((value, i) => view.setUint16(i * 2, value & 0xffff));
  return new Uint8Array(view.buffer);
}
