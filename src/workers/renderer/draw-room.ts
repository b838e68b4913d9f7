import { LIMITS } from "../../lib/limits/limits-table.ts";
import type { Shaper } from "../../render/shaping/shaper.ts";

/** Of all wasm memory while pages are drawn. */
const DRAW_BYTES_MAX = LIMITS.render_drawing.value;
/** PDFium itself with a small page. */
const PDFIUM_BYTES_MIN = 20 * 1024 * 1024;

/**
 * Runs `draw` with the most memory that PDFium may have beside the fonts and so many bytes of others. If that is too little (it then throws
 * WebAssembly.RuntimeError), the fonts are closed, and it runs again.
 */
export async function withRoomToDraw<T>(
  shaper: Pick<Shaper, "memoryBytes" | "drop">,
  draw: (memoryMaxBytes: number) => Promise<T>,
  besideBytes = 0,
): Promise<T> {
  const bytesMax = DRAW_BYTES_MAX - besideBytes;
  if (shaper.memoryBytes > bytesMax - PDFIUM_BYTES_MIN) {
    shaper.drop();
  }
  const fontBytes = shaper.memoryBytes;
  try {
    return await draw(bytesMax - fontBytes);
  } catch (error) {
    if (!(error instanceof WebAssembly.RuntimeError) || fontBytes === 0) {
      throw error;
    }
  }
  shaper.drop();
  return await draw(bytesMax);
}
