/** Rewrites the memory section of a WebAssembly module; nothing else of it changes. */

const HEADER_BYTES = 8;
const MEMORY_SECTION = 5;
const PAGE_BYTES = 65_536;

/** Returns the module with a maximum for its one memory. Throws if it has none, several, or a maximum already. */
export function withMemoryMax(module: Uint8Array, bytesMax: number): Uint8Array {
  return withLimits(module, (min, max) => {
    if (max !== undefined) {
      throw new Error("The module's memory already has a maximum.");
    }
    return [min, pagesOf(bytesMax)];
  });
}

/** Returns the module with another range of sizes for its one memory. Throws if it has none or several. */
export function withMemoryRange(
  module: Uint8Array,
  minBytes: number,
  maxBytes: number,
): Uint8Array {
  return withLimits(module, () => [pagesOf(minBytes), pagesOf(maxBytes)]);
}

/** Returns the module with another size of its one memory, which must be fixed. Throws if it can grow. */
export function withMemorySize(module: Uint8Array, bytes: number): Uint8Array {
  return withLimits(module, (min, max) => {
    if (max !== min) {
      throw new Error("The module's memory can grow.");
    }
    return [pagesOf(bytes), pagesOf(bytes)];
  });
}

function pagesOf(bytes: number): number {
  return Math.floor(bytes / PAGE_BYTES);
}

function withLimits(
  module: Uint8Array,
  limitsOf: (min: number, max: number | undefined) => [min: number, max: number],
): Uint8Array {
  for (let from = HEADER_BYTES; from < module.length;) {
    const [length, body] = readLeb(module, from + 1);
    const end = body + length;
    if (module[from] === MEMORY_SECTION) {
      const [count, flagsAt] = readLeb(module, body);
      const [min, minEnd] = readLeb(module, flagsAt + 1);
      const max = module[flagsAt] === 1 ? readLeb(module, minEnd)[0] : undefined;
      if (count !== 1 || (module[flagsAt] ?? 2) > 1) {
        throw new Error("The module has several memories, or one that is shared or of 64 bits.");
      }
      const limits = [1, 1, ...limitsOf(min, max).flatMap(leb)];
      return Buffer.concat([
        module.subarray(0, from),
        Buffer.from([MEMORY_SECTION, ...leb(limits.length), ...limits]),
        module.subarray(end),
      ]);
    }
    from = end;
  }
  throw new Error("The module has no memory.");
}

/** An unsigned number and the offset after it. */
function readLeb(bytes: Uint8Array, from: number): [value: number, end: number] {
  let value = 0;
  for (let i = from, shift = 0; ; i++, shift += 7) {
    const byte = bytes[i] ?? 0;
    value |= (byte & 127) << shift;
    if ((byte & 128) === 0) {
      return [value >>> 0, i + 1];
    }
  }
}

function leb(value: number): number[] {
  return value < 128 ? [value] : [(value & 127) | 128, ...leb(value >>> 7)];
}
