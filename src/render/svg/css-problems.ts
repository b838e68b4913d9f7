import type { SvgImportCode } from "../../lib/errors/svg-import-codes.ts";

export interface FoundProblem {
  readonly code: SvgImportCode;
  readonly message: string;
}

const EFFECTLESS = "(?:none|initial|inherit|unset)";
const SCRIPTED = /expression\s*\(|-moz-binding\s*:|behavior\s*:|(?:java|vb)script\s*:/i;
const ANIMATED = new RegExp(
  `@(?:-[a-z]+-)?keyframes\\b|(?:^|[;{\\s])(?:-[a-z]+-)?animation(?:-name)?\\s*:\\s*(?!${EFFECTLESS}\\b)`,
  "i",
);
const FILTERED = new RegExp(
  `(?:^|[;{\\s])(?:-[a-z]+-)?(?:backdrop-)?filter\\s*:\\s*(?!${EFFECTLESS}\\b)`,
  "i",
);
const LOADING = /@import\b|(?:^|[^\w-])(?:-[a-z]+-)?(?:image|image-set|src|cross-fade)\s*\(/i;

/** What of a style sheet, or of a list of declarations, is refused. Escapes and comments hide nothing. */
export function cssProblems(css: string): FoundProblem[] {
  const plain = withoutComments(unescaped(css));
  const found = urlProblems(plain);
  const add = (code: SvgImportCode, message: string): void => {
    found.push({ code, message });
  };
  if (SCRIPTED.test(plain)) {
    add("svg_import_script", "Its style runs a script. Remove it.");
  }
  if (LOADING.test(plain)) {
    add("svg_import_external_reference", "Its style loads another file. Copy what it needs here.");
  }
  if (ANIMATED.test(plain)) {
    add("svg_import_animation", "Its style is animated. Keep one state of the drawing.");
  }
  if (FILTERED.test(plain)) {
    add("svg_import_filter", "Its style applies a filter, which has no vectors. Remove it.");
  }
  const codes = new Set<SvgImportCode>();
  return found.filter(({ code }) => !codes.has(code) && codes.add(code));
}

/** The addresses of `url()` that are not parts of the drawing. */
export function urlProblems(value: string): FoundProblem[] {
  const found: FoundProblem[] = [];
  if (!/[(\\]/.test(value)) {
    return found;
  }
  const plain = withoutComments(unescaped(value));
  for (const match of plain.matchAll(/url\s*\(/gi)) {
    const start = match.index + match[0].length;
    const end = plain.indexOf(")", start);
    const target = plain.slice(start, end === -1 ? undefined : end).replaceAll(/["'\s]/g, "");
    const problem = addressProblem(target);
    if (problem !== undefined) {
      found.push(problem);
    }
  }
  return found;
}

/** Why an address is refused; undefined for a part of the drawing. */
export function addressProblem(address: string): FoundProblem | undefined {
  // Browsers ignore control characters and spaces in the scheme.
  // oxlint-disable-next-line no-control-regex
  const plain = address.replaceAll(/[\u0000-\u0020\u007f-\u00a0\u200b-\u200f\ufeff]/g, "");
  if (plain === "" || plain.startsWith("#")) {
    return undefined;
  }
  if (/^(?:java|vb|live)script:|^data:(?:text\/html|[^,;]*script)/i.test(plain)) {
    return {
      code: "svg_import_script",
      message: "It refers to a script. Remove the reference.",
    };
  }
  if (/^data:image\//i.test(plain)) {
    return {
      code: "svg_import_embedded_image",
      message: "It embeds a picture. Trace it to paths, or place it as an image element.",
    };
  }
  return {
    code: "svg_import_external_reference",
    message: `It refers to another file, ${JSON.stringify(plain.slice(0, 80))}. Copy what it needs into the drawing.`,
  };
}

function unescaped(css: string): string {
  return css.includes("\\")
    ? css
        .replaceAll(/\\([0-9a-fA-F]{1,6})\s?/g, (_, hex: string) => {
          const code = Number.parseInt(hex, 16);
          return code > 0 && code <= 0x10_ffff ? String.fromCodePoint(code) : "\ufffd";
        })
        .replaceAll(/\\([^])/g, "$1")
    : css;
}

function withoutComments(css: string): string {
  let plain = "";
  for (let at = 0; ;) {
    const start = css.indexOf("/*", at);
    if (start === -1) {
      return plain + css.slice(at);
    }
    plain += css.slice(at, start);
    const end = css.indexOf("*/", start + 2);
    if (end === -1) {
      return plain;
    }
    at = end + 2;
  }
}
