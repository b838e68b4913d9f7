import type { Shaper } from "../../render/shaping/shaper.ts";

/** Of all wasm memory while pages are drawn. */
const DRAW_BYTES_MAX = 56 * 1024 * 1024;

/**
 * Runs `draw` with the most memory that PDFium may have beside the fonts. If that is too little (it then throws
 * WebAssembly.RuntimeError), the fonts are closed, and it runs again.
 */
export async function withRoomToDraw<T>(
  shaper: Pick<Shaper, "memoryBytes" | "drop">,
  draw: (memoryMaxBytes: number) => Promise<T>,
): Promise<T> {
  const fontBytes = shaper.memoryBytes;
  try {
    return await draw(DRAW_BYTES_MAX - fontBytes);
  } catch (error) {
    if (!(error instanceof WebAssembly.RuntimeError) || fontBytes === 0) {
      throw error;
    }
  }
  shaper.drop();
  return await draw(DRAW_BYTES_MAX);
}
