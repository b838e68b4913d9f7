/** The host's theme: which values are accepted, and the custom properties that they become. */
import { luminance } from "../../../lib/hex-color.ts";
import { NAMED_COLORS } from "../../../lib/named-colors.ts";

/** Red, green, blue from 0 to 255, and alpha from 0 to 1. */
export type Rgba = readonly [number, number, number, number];

export type ThemeMode = "light" | "dark" | "auto";

const COLORS = {
  primaryColor: "--svc-primary",
  backgroundColor: "--svc-background",
  surfaceColor: "--svc-surface",
  textColor: "--svc-text",
  mutedColor: "--svc-muted",
  borderColor: "--svc-border",
  successColor: "--svc-success",
  errorColor: "--svc-error",
} as const;

type ColorName = keyof typeof COLORS;
export type ThemeName = ColorName | "borderRadius" | "fontFamily";

export interface Theme {
  readonly mode: ThemeMode;
  /** Accepted values, as the host wrote them. */
  readonly values: Readonly<Partial<Record<ThemeName, string>>>;
}

/**
 * Applies a theme of a message to the one before: members it leaves out stay, null removes one. `wrong` has the names of
 * members that cannot be used; they stay as they were. Null if the message is not an object.
 */
export function applyTheme(
  before: Theme,
  raw: unknown,
): { readonly theme: Theme; readonly wrong: readonly string[] } | null {
  if (typeof raw !== "object" || raw === null || Array.isArray(raw)) {
    return null;
  }
  const values: Partial<Record<ThemeName, string>> = { ...before.values };
  const wrong: string[] = [];
  let { mode } = before;
  for (const [name, value] of Object.entries(raw)) {
    if (name === "mode" && (value === "light" || value === "dark" || value === "auto")) {
      mode = value;
    } else if (!isThemeName(name)) {
      wrong.push(name.slice(0, 40));
    } else if (value === null) {
      delete values[name];
    } else {
      const text = READERS[name](value);
      if (text === null) {
        wrong.push(name);
      } else {
        values[name] = text;
      }
    }
  }
  return { theme: { mode, values }, wrong };
}

function isThemeName(name: string): name is ThemeName {
  return Object.hasOwn(READERS, name);
}

const color = (value: unknown): string | null =>
  typeof value === "string" && parseColor(value) !== null ? value.trim() : null;

const READERS: Readonly<Record<ThemeName, (value: unknown) => string | null>> = {
  primaryColor: color,
  backgroundColor: color,
  surfaceColor: color,
  textColor: color,
  mutedColor: color,
  borderColor: color,
  successColor: color,
  errorColor: color,
  borderRadius: readRadius,
  fontFamily: readFont,
};

/** Pixels of one unit of a radius, for the limit of 64 px. Per cent are of the part's own size. */
const RADIUS_UNITS: Readonly<Record<string, number>> = { px: 1, rem: 16, em: 16, "%": 1 };
const RADIUS_MAX = 64;

function readRadius(value: unknown): string | null {
  if (typeof value === "number") {
    return value >= 0 && value <= RADIUS_MAX ? `${String(value)}px` : null;
  }
  const found =
    typeof value === "string" ? /^(\d{1,4}(?:\.\d{1,4})?)(px|rem|em|%)$/.exec(value.trim()) : null;
  if (found === null) {
    return null;
  }
  const [text, figure = "", unit = ""] = found;
  return Number(figure) * (RADIUS_UNITS[unit] ?? Number.POSITIVE_INFINITY) <= RADIUS_MAX
    ? text
    : null;
}

function readFont(value: unknown): string | null {
  if (typeof value !== "string" || !/^[\p{L}\p{M}\p{Nd} ,'"-]{1,200}$/u.test(value)) {
    return null;
  }
  // Quotes must close, else the rest of the style would be part of the name.
  const rest = value.replaceAll(/"[^"]*"|'[^']*'/g, "x");
  return /["']/.test(rest) || !/^\s*[\p{L}\p{M}\p{Nd} -]+(?:,[\p{L}\p{M}\p{Nd} -]+)*$/u.test(rest)
    ? null
    : value.trim();
}

/** Reads `#RGB`, `#RRGGBB`, `#RRGGBBAA`, `rgb()`, `rgba()`, `hsl()`, `hsla()` and the names of CSS; null for anything else. */
export function parseColor(raw: string): Rgba | null {
  const text = raw.trim();
  if (text.length > 64) {
    return null;
  }
  const named = NAMED_COLORS.get(text.toLowerCase());
  const hex = named ?? /^#([0-9a-f]{3}|[0-9a-f]{6}|[0-9a-f]{8})$/i.exec(text)?.[1];
  if (hex !== undefined) {
    const digits = hex.length === 3 ? hex.replaceAll(/./g, "$&$&") : hex;
    const part = (at: number) => Number.parseInt(digits.slice(at, at + 2), 16);
    return [part(0), part(2), part(4), digits.length === 8 ? part(6) / 255 : 1];
  }
  if (text.toLowerCase() === "transparent") {
    return [0, 0, 0, 0];
  }
  return parseFunction(text);
}

/** Both notations: with commas throughout, or with spaces and a slash before alpha. */
function parseFunction(text: string): Rgba | null {
  const [, name, inner = ""] = /^(rgb|hsl)a?\(([^()]*)\)$/i.exec(text) ?? [];
  if (name === undefined) {
    return null;
  }
  const [main = "", slashed, ...more] = inner.split("/");
  const isComma = inner.includes(",");
  const colors = isComma ? main.split(",") : main.trim().split(/\s+/);
  const alpha = isComma ? colors[3] : slashed;
  const isWhole = more.length === 0 && (isComma ? slashed === undefined : colors.length === 3);
  const [a, b, c] = colors.slice(0, 3).map(parsePart);
  const opacity = alpha === undefined ? { figure: 1, unit: "" } : parsePart(alpha);
  if (
    !isWhole ||
    colors.length > 4 ||
    !a ||
    !b ||
    !c ||
    opacity === null ||
    opacity.unit === "deg"
  ) {
    return null;
  }
  const shown = clamp(opacity.figure / (opacity.unit === "%" ? 100 : 1), 1);
  const parts = name.toLowerCase() === "hsl" ? readHsl(a, b, c) : readRgb(a, b, c);
  return parts === null ? null : [...parts, shown];
}

interface Part {
  readonly figure: number;
  readonly unit: string;
}

function parsePart(text: string): Part | null {
  const found = /^\s*([+-]?(?:\d{1,6}(?:\.\d{1,6})?|\.\d{1,6}))(%|deg)?\s*$/i.exec(text);
  return found === null ? null : { figure: Number(found[1]), unit: found[2]?.toLowerCase() ?? "" };
}

type Parts = [number, number, number];

function readRgb(a: Part, b: Part, c: Part): Parts | null {
  const scale = a.unit === "%" ? 2.55 : 1;
  return a.unit === "deg" || a.unit !== b.unit || a.unit !== c.unit
    ? null
    : [clamp(a.figure * scale, 255), clamp(b.figure * scale, 255), clamp(c.figure * scale, 255)];
}

function readHsl(a: Part, b: Part, c: Part): Parts | null {
  return a.unit === "%" || b.unit !== "%" || c.unit !== "%"
    ? null
    : fromHsl(a.figure, clamp(b.figure / 100, 1), clamp(c.figure / 100, 1));
}

function clamp(value: number, max: number): number {
  return Math.min(Math.max(value, 0), max);
}

/** CSS Color 4 §7.1. */
function fromHsl(hue: number, saturation: number, light: number): Parts {
  const part = (n: number): number => {
    const k = (((n + hue / 30) % 12) + 12) % 12;
    const a = saturation * Math.min(light, 1 - light);
    return 255 * (light - a * Math.max(-1, Math.min(k - 3, 9 - k, 1)));
  };
  return [part(0), part(8), part(4)];
}

/** Lays a color with alpha over an opaque one. */
export function over([r, g, b, a]: Rgba, [br, bg, bb]: Rgba): Rgba {
  const mix = (top: number, below: number) => top * a + below * (1 - a);
  return [mix(r, br), mix(g, bg), mix(b, bb), 1];
}

/** Contrast of two opaque colors, 1 to 21 (WCAG 2.2, "contrast ratio"). */
export function contrast([r, g, b]: Rgba, [r2, g2, b2]: Rgba): number {
  const [high = 0, low = 0] = [luminance([r, g, b]), luminance([r2, g2, b2])].sort((x, y) => y - x);
  return (high + 0.05) / (low + 0.05);
}

const BLACK: Rgba = [0, 0, 0, 1];
const WHITE: Rgba = [255, 255, 255, 1];
const READABLE = 4.5;

/** The widget's own grounds, texts and inks in each scheme (tokens.css), for the contrast of what the host left out. */
const OWN = {
  light: { bg: "#f8f9fa", surface: "#ffffff", text: "#191c22", muted: "#616974" },
  dark: { bg: "#0d0f12", surface: "#15181c", text: "#eceef2", muted: "#98a1ad" },
} as const;

export interface ResolvedTheme {
  /** `data-theme` of the root. */
  readonly mode: "light" | "dark";
  /** `color-scheme` of the root: that of the surface, so that colors the host left out fit the host's ground. */
  readonly scheme: "light" | "dark";
  /** Custom properties of the root. */
  readonly properties: Readonly<Record<string, string>>;
  /** Names whose color could not be read on its ground and was replaced. */
  readonly replaced: readonly ThemeName[];
}

/** Resolves a theme to the custom properties of the root. `prefersDark` is the system's choice, for `auto`. */
export function resolveTheme({ mode, values }: Theme, prefersDark: boolean): ResolvedTheme {
  const shown = mode === "auto" ? (prefersDark ? "dark" : "light") : mode;
  const given = (name: ColorName): Rgba | null => {
    const text = values[name];
    return text === undefined ? null : parseColor(text);
  };
  const own = (name: keyof (typeof OWN)["light"]): Rgba => parseColor(OWN[shown][name]) ?? BLACK;
  const background = over(given("backgroundColor") ?? own("bg"), own("bg"));
  const surface = over(given("surfaceColor") ?? own("surface"), background);
  const isGround = values.surfaceColor !== undefined || values.backgroundColor !== undefined;
  const scheme = isGround ? (lighter(surface) ? "light" : "dark") : shown;
  const properties: Record<string, string> = {};
  for (const [name, text] of Object.entries(values)) {
    properties[PROPERTIES[name as ThemeName]] = text;
  }
  const grounds = [background, surface];
  const replaced: ThemeName[] = [];
  const settle = (name: "textColor" | "mutedColor", ownColor: Rgba): void => {
    const color = given(name);
    if (!grounds.every((ground) => contrast(over(color ?? ownColor, ground), ground) >= READABLE)) {
      properties[PROPERTIES[name]] = bestOn(grounds);
      if (color !== null) {
        replaced.push(name);
      }
    }
  };
  if (isGround || values.textColor !== undefined || values.mutedColor !== undefined) {
    settle("textColor", parseColor(OWN[scheme].text) ?? BLACK);
    settle("mutedColor", parseColor(OWN[scheme].muted) ?? BLACK);
  }
  if (isGround) {
    // The outline of a control must stand out 3:1 from the ground; the muted text does (4.5:1).
    properties["--svc-control"] = properties["--svc-muted"] ?? OWN[scheme].muted;
  }
  if (values.backgroundColor !== undefined) {
    properties["--svc-on-background"] = bestOn([background]);
  }
  const primary = given("primaryColor");
  if (primary !== null) {
    const shownPrimary = over(primary, surface);
    properties["--svc-on-primary"] = bestOn([shownPrimary]);
    properties["--svc-primary-ink"] = inkOf(primary, surface, values.primaryColor);
  }
  for (const [name, property] of [
    ["successColor", "--svc-success-ink"],
    ["errorColor", "--svc-error-ink"],
  ] as const) {
    const color = given(name);
    if (color !== null) {
      properties[property] = inkOf(color, surface, values[name]);
    }
  }
  return { mode: shown, scheme, properties, replaced };
}

const PROPERTIES: Readonly<Record<ThemeName, string>> = {
  ...COLORS,
  borderRadius: "--svc-radius",
  fontFamily: "--svc-font",
};

function lighter(color: Rgba): boolean {
  return contrast(color, BLACK) >= contrast(color, WHITE);
}

/** Black or white: the one whose least contrast over the grounds is higher. */
function bestOn(grounds: readonly Rgba[]): "#000000" | "#ffffff" {
  const least = (color: Rgba) => Math.min(...grounds.map((ground) => contrast(color, ground)));
  return least(BLACK) >= least(WHITE) ? "#000000" : "#ffffff";
}

/** Share of a color in the wash under its own words (tokens.css has 8 to 10 %). */
const WASH = 0.1;

/** The color as words: itself if readable on the surface and on its own wash, otherwise the text's color. */
function inkOf([r, g, b, a]: Rgba, surface: Rgba, text: string | undefined): string {
  const ink = over([r, g, b, a], surface);
  const wash = over([ink[0], ink[1], ink[2], WASH], surface);
  return Math.min(contrast(ink, surface), contrast(ink, wash)) >= READABLE && text !== undefined
    ? text
    : "var(--text)";
}
