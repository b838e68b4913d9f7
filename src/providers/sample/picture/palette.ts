import type { Rgb } from "../../../contracts/code-symbol.ts";

export const ACCENTS = ["auto", "blue", "green", "red", "violet"] as const;
export type Accent = (typeof ACCENTS)[number];

/** Hues of OKLCH in degrees. */
const ACCENT_HUES: Readonly<Record<Exclude<Accent, "auto">, number>> = {
  blue: 255,
  green: 152,
  red: 27,
  violet: 298,
};

/** Lightness, chroma and hue of the colors of one picture, darkest text to lightest paper. */
export interface Palette {
  readonly isDark: boolean;
  readonly paper: Rgb;
  readonly paperEnd: Rgb;
  readonly ink: Rgb;
  readonly soft: Rgb;
  readonly main: Rgb;
  readonly deep: Rgb;
  readonly warm: Rgb;
  readonly light: Rgb;
}

/** How a preset shifts a palette: multiplies chroma, and may fix whether the paper is dark. */
export interface PaletteMood {
  readonly chroma: number;
  readonly isDark?: boolean;
  readonly hue?: number;
}

/**
 * A palette of two related hues and one opposite, in OKLCH (B. Ottosson, 2020), so that colors of
 * one lightness look equally light: text on paper always has a contrast above 7 to 1.
 */
export function makePalette(next: () => number, accent: Accent, mood: PaletteMood): Palette {
  const [hueShare, turn, darkness, side] = [next(), next(), next(), next()];
  // Dark yellows look dirty: free hues leave them out.
  const free = (130 + hueShare * 290) % 360;
  const hue = accent === "auto" ? (mood.hue ?? free) + (turn - 0.5) * 16 : ACCENT_HUES[accent];
  const isDark = mood.isDark ?? darkness < 0.22;
  const near = hue + (side < 0.5 ? 30 : -30);
  // Beside orange and yellow a neighbor is calmer than the opposite.
  const far = hue > 30 && hue < 110 ? hue - 30 : hue + 150 + turn * 50;
  const color = (l: number, c: number, h: number) => oklch(l, c * mood.chroma, h);
  if (isDark) {
    return {
      isDark,
      paper: color(0.25, 0.045, hue),
      paperEnd: color(0.19, 0.05, near),
      ink: color(0.96, 0.015, hue),
      soft: color(0.8, 0.035, hue),
      main: color(0.66, 0.16, hue),
      deep: color(0.4, 0.11, near),
      warm: color(0.8, 0.13, far),
      light: color(0.88, 0.055, hue),
    };
  }
  return {
    isDark,
    paper: color(0.962, 0.014, near),
    paperEnd: color(0.92, 0.03, hue),
    ink: color(0.26, 0.05, hue),
    soft: color(0.45, 0.045, hue),
    main: color(0.63, 0.165, hue),
    deep: color(0.42, 0.12, near),
    warm: color(0.81, 0.125, far),
    light: color(0.86, 0.07, hue),
  };
}

/** OKLCH to sRGB; chroma is lowered until the color exists in sRGB. */
export function oklch(lightness: number, chroma: number, hue: number): Rgb {
  const angle = (hue * Math.PI) / 180;
  for (let c = chroma; ; c -= 0.004) {
    const [a, b] = [Math.max(0, c) * Math.cos(angle), Math.max(0, c) * Math.sin(angle)];
    const long = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3;
    const middle = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3;
    const short = (lightness - 0.0894841775 * a - 1.291485548 * b) ** 3;
    const linear = [
      4.0767416621 * long - 3.3077115913 * middle + 0.2309699292 * short,
      -1.2684380046 * long + 2.6097574011 * middle - 0.3413193965 * short,
      -0.0041960863 * long - 0.7034186147 * middle + 1.707614701 * short,
    ];
    if (c <= 0 || linear.every((part) => part >= -0.0005 && part <= 1.0005)) {
      const [r = 0, g = 0, blue = 0] = linear.map(encoded);
      return [r, g, blue];
    }
  }
}

function encoded(linear: number): number {
  const value = Math.min(1, Math.max(0, linear));
  const gamma = value <= 0.0031308 ? value * 12.92 : 1.055 * value ** (1 / 2.4) - 0.055;
  return Math.round(gamma * 255);
}

/** 256 colors from the first to the second. */
export function gradientColors(from: Rgb, to: Rgb): Rgb[] {
  return Array.from({ length: 256 }, (_, i) => {
    const share = i / 255;
    const part = (channel: 0 | 1 | 2) =>
      Math.round(from[channel] + (to[channel] - from[channel]) * share);
    return [part(0), part(1), part(2)] as const;
  });
}
