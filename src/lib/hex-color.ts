/** `#RRGGBB`, the notation of colors in parameters. */
export const HEX_COLOR = /^#[0-9A-Fa-f]{6}$/;

/** Red, green and blue, 0 to 255 each, of a color that matches `HEX_COLOR`. */
export function parseHexColor(text: string): readonly [number, number, number] {
  const value = Number.parseInt(text.slice(1), 16);
  return [value >> 16, (value >> 8) & 255, value & 255];
}

/** Relative luminance of a color, 0 to 1 (sRGB, IEC 61966-2-1 and ITU-R BT.709). */
export function luminance([r, g, b]: readonly [number, number, number]): number {
  return 0.2126 * linear(r) + 0.7152 * linear(g) + 0.0722 * linear(b);
}

/** The same under the red light of a laser scanner: only the red component counts. */
export function redLuminance([r]: readonly [number, number, number]): number {
  return linear(r);
}

function linear(part: number): number {
  const value = part / 255;
  return value <= 0.040_45 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
}
