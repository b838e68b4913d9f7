import { CSS_FUNCTIONS, PRESENTATION } from "./svg-allow-list.ts";

/** Nesting limit: rules inside `@media` inside `@media` are enough for a drawing. */
const NESTING_MAX = 4;
/**
 * Conditional groups, which contain rules; every other at-rule is removed (`@import`, `@font-face`,
 * `@keyframes`).
 */
const GROUPS = /^@(?:media|supports)\b/i;
const LOCAL_URL = /^\s*(?:"#[^"'()\\\s]+"|'#[^"'()\\\s]+'|#[^"'()\\\s]+)\s*$/;

/**
 * Returns a style sheet with only the allowed parts (docs/contract/assets.md#svg-files): complete
 * rules, in their order.
 */
export function cleanStyleSheet(css: string): string {
  return cleanRules(withoutComments(css), 0);
}

/** The declarations of a `style` attribute or a rule. */
export function cleanDeclarations(css: string): string {
  return declarations(withoutComments(css));
}

/**
 * Whether a property's value loads nothing and hides nothing: no escapes, only known functions, and
 * `url()` only to this document.
 */
export function isSafeValue(value: string): boolean {
  // Values must not contain markup, which would be read as markup if the text is parsed as HTML.
  if (/[\\<@{}]/.test(value) || /expression|javascript:/i.test(value)) {
    return false;
  }
  for (const match of value.matchAll(/([\w-]*)\s*\(/g)) {
    const name = (match[1] ?? "").toLowerCase();
    if (name !== "" && !CSS_FUNCTIONS.has(name)) {
      return false;
    }
    if (name === "url") {
      const start = match.index + match[0].length;
      const end = value.indexOf(")", start);
      if (end === -1 || !LOCAL_URL.test(value.slice(start, end))) {
        return false;
      }
    }
  }
  return true;
}

function cleanRules(css: string, depth: number): string {
  let cleaned = "";
  for (const { prelude, block } of topLevelRules(css)) {
    const head = prelude.trim().replaceAll(/\s+/g, " ");
    if (block === undefined || head === "" || /[\\<{}]|.@|url\s*\(/i.test(head)) {
      continue;
    }
    if (head.startsWith("@")) {
      const rules = GROUPS.test(head) && depth < NESTING_MAX ? cleanRules(block, depth + 1) : "";
      cleaned += rules === "" ? "" : `${head}{${rules}}`;
      continue;
    }
    const kept = declarations(block);
    cleaned += kept === "" ? "" : `${head}{${kept}}`;
  }
  return cleaned;
}

function declarations(css: string): string {
  const kept: string[] = [];
  for (const declaration of splitOutside(css, ";")) {
    const colon = declaration.indexOf(":");
    const property = declaration.slice(0, Math.max(colon, 0)).trim();
    const value = declaration
      .slice(colon + 1)
      .trim()
      .replaceAll(/\s+/g, " ");
    const isKnown = PRESENTATION.has(property.toLowerCase()) || /^--[\w-]+$/.test(property);
    if (colon !== -1 && isKnown && value !== "" && isSafeValue(value)) {
      kept.push(`${property}:${value}`);
    }
  }
  return kept.join(";");
}

interface Rule {
  readonly prelude: string;
  /** The content of the braces; undefined for a statement that ends with a semicolon. */
  readonly block: string | undefined;
}

/** Rules and statements of one level. An unclosed one is removed with everything after it. */
function* topLevelRules(css: string): Generator<Rule> {
  let start = 0;
  let depth = 0;
  let open = -1;
  for (const { at, character } of outsideStrings(css)) {
    if (character === "{") {
      if (depth === 0) {
        open = at;
      }
      depth++;
    } else if (character === "}" && depth > 0) {
      depth--;
      if (depth === 0) {
        yield { prelude: css.slice(start, open), block: css.slice(open + 1, at) };
        start = at + 1;
      }
    } else if (character === ";" && depth === 0) {
      yield { prelude: css.slice(start, at), block: undefined };
      start = at + 1;
    }
  }
}

function splitOutside(css: string, separator: string): string[] {
  const parts: string[] = [];
  let start = 0;
  let depth = 0;
  for (const { at, character } of outsideStrings(css)) {
    if (character === "(") {
      depth++;
    } else if (character === ")") {
      depth = Math.max(0, depth - 1);
    } else if (character === separator && depth === 0) {
      parts.push(css.slice(start, at));
      start = at + 1;
    }
  }
  parts.push(css.slice(start));
  return parts;
}

/** Significant characters, outside of quotes. An unclosed quote ends the text. */
function* outsideStrings(css: string): Generator<{ at: number; character: string }> {
  for (let at = 0; at < css.length; at++) {
    const character = css[at] ?? "";
    if (character === '"' || character === "'") {
      const end = css.indexOf(character, at + 1);
      if (end === -1) {
        return;
      }
      at = end;
    } else {
      yield { at, character };
    }
  }
}

/** A comment separates the tokens around it, as in CSS. An unclosed one removes the rest. */
function withoutComments(css: string): string {
  return css
    .replaceAll(/\/\*.*?\*\//gs, " ")
    .replace(/\/\*.*$/s, "")
    .replaceAll(/<!--|-->/g, " ");
}
