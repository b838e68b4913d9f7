/**
 * The host's style sheet, reduced to what may style the widget. A browser parses the text; the walk over its rules keeps
 * style rules, `@media`, `@supports` and `@keyframes` with allowed declarations, and writes a new sheet below the root.
 */
import { holdsForbidden, isSuspect, replaceOutsideStrings, splitTop } from "./css-text.ts";

/** Maximum size of a style sheet, in bytes of UTF-8. */
export const CSS_MAX_BYTES = 32_768;
const ROOT = "[data-svc-root]";
/** Deepest nesting of rules that is kept. */
const DEPTH_MAX = 8;

/** The part of a browser's rules that the walk reads. */
export interface ParsedRule {
  readonly cssRules?: ArrayLike<ParsedRule>;
  readonly selectorText?: string;
  readonly style?: { readonly cssText: string };
  readonly conditionText?: string;
  readonly media?: { readonly mediaText: string };
  /** Of a keyframe. */
  readonly keyText?: string;
  /** Of `@keyframes` and other named rules. */
  readonly name?: string;
  /** The name of the rule's class, such as `CSSStyleRule`. */
  readonly constructor: { readonly name: string };
}

/** What the walk needs of the browser. */
export interface CssTools {
  /** Parses a sheet; its faults are left out as in any page. */
  parse(css: string): ArrayLike<ParsedRule>;
  escapeName(name: string): string;
}

export interface CleanCss {
  /** The text that may be applied. */
  readonly css: string;
  /** Whether something was left out, or the text holds a word that could have been an attack. */
  readonly isChanged: boolean;
}

/** Returns the allowed part of a style sheet; null if it is larger than `CSS_MAX_BYTES`. */
export function cleanCss(css: string, tools: CssTools): CleanCss | null {
  // UTF-8 has at least one byte for each UTF-16 unit.
  if (css.length > CSS_MAX_BYTES || new TextEncoder().encode(css).length > CSS_MAX_BYTES) {
    return null;
  }
  const walk: Walk = { tools, hasDropped: false };
  const kept = rulesOf(walk, tools.parse(css), [], 0);
  return { css: kept, isChanged: walk.hasDropped || isSuspect(css) };
}

interface Walk {
  readonly tools: CssTools;
  hasDropped: boolean;
}

/** `parents` are the selectors of the rules around, from the outside, before they are put below the root. */
function rulesOf(
  walk: Walk,
  rules: ArrayLike<ParsedRule>,
  parents: readonly string[],
  depth: number,
): string {
  return Array.from(rules, (rule) => ruleOf(walk, rule, parents, depth)).join("");
}

function ruleOf(walk: Walk, rule: ParsedRule, parents: readonly string[], depth: number): string {
  if (depth < DEPTH_MAX) {
    switch (rule.constructor.name) {
      case "CSSStyleRule":
        return styleRule(walk, rule, parents, depth);
      case "CSSNestedDeclarations":
        return block(scope(parents), declarations(walk, rule));
      case "CSSMediaRule":
        return group(walk, "@media", rule.media?.mediaText, rule, parents, depth);
      case "CSSSupportsRule":
        return group(walk, "@supports", rule.conditionText, rule, parents, depth);
      case "CSSKeyframesRule":
        return keyframes(walk, rule);
    }
  }
  walk.hasDropped = true;
  return "";
}

function styleRule(
  walk: Walk,
  rule: ParsedRule,
  parents: readonly string[],
  depth: number,
): string {
  const selector = rule.selectorText ?? "";
  if (holdsForbidden(selector)) {
    walk.hasDropped = true;
    return "";
  }
  const chain = nest(parents, selector);
  return (
    block(scope(chain), declarations(walk, rule)) +
    rulesOf(walk, rule.cssRules ?? [], chain, depth + 1)
  );
}

function group(
  walk: Walk,
  at: string,
  condition: string | undefined,
  rule: ParsedRule,
  parents: readonly string[],
  depth: number,
): string {
  if (
    condition === undefined ||
    condition === "" ||
    holdsForbidden(condition) ||
    /[{};]/.test(condition)
  ) {
    walk.hasDropped = true;
    return "";
  }
  return block(`${at} ${condition}`, rulesOf(walk, rule.cssRules ?? [], parents, depth + 1));
}

function keyframes(walk: Walk, rule: ParsedRule): string {
  const frames = Array.from(rule.cssRules ?? [], (frame) =>
    block(frame.keyText ?? "", declarations(walk, frame)),
  );
  return block(`@keyframes ${walk.tools.escapeName(rule.name ?? "")}`, frames.join(""));
}

function block(head: string, body: string): string {
  return body === "" || head === "" ? "" : `${head} {${body}}\n`;
}

/** Properties that never stay, by name. */
const NEVER = new Set(["behavior", "-moz-binding", "-ms-behavior"]);
/** Values that `position` may have; a variable could hold `fixed`. */
const POSITIONS = new Set([
  "static",
  "relative",
  "absolute",
  "initial",
  "inherit",
  "unset",
  "revert",
  "revert-layer",
]);

function declarations(walk: Walk, rule: ParsedRule): string {
  const kept = splitTop(rule.style?.cssText ?? "", ";").filter((declaration) => {
    const colon = declaration.indexOf(":");
    const name = declaration.slice(0, colon).trim().toLowerCase();
    const value = declaration.slice(colon + 1).trim();
    const isAllowed =
      colon > 0 &&
      !NEVER.has(name) &&
      !holdsForbidden(value) &&
      (name !== "position" || POSITIONS.has(value.replace(/\s*!\s*important$/i, "").toLowerCase()));
    walk.hasDropped ||= !isAllowed;
    return isAllowed;
  });
  return kept.map((declaration) => `${declaration};`).join("");
}

/** Adds a nested selector to its parents: `&` is the parent, and a selector without one is below it. */
function nest(parents: readonly string[], selector: string): string[] {
  if (parents.length === 0) {
    return splitTop(selector, ",");
  }
  const parent = `:is(${parents.join(", ")})`;
  return splitTop(selector, ",").map((part) => {
    const inner = replaceOutsideStrings(part, "&", parent);
    return inner === part ? `${parent} ${part}` : inner;
  });
}

/** Puts a list of selectors below the root. */
function scope(selectors: readonly string[]): string {
  return selectors.map(scopeOne).join(", ");
}

const ROOTS = String.raw`(?::root|html|body|\[data-svc-root(?:=""\s*)?\])(?![\w\\\-]|\P{ASCII})`;
const ROOT_FIRST = new RegExp(`^${ROOTS}`, "iu");
/** `html body` and `:root > body` are one root. */
const ROOT_NEXT = new RegExp(String.raw`^\s*(?:>\s*|\s)(?=${ROOTS})`, "iu");

/** `:root`, `html` and `body` at the beginning become the root; other selectors are put below it. */
export function scopeOne(selector: string): string {
  let rest = selector.trim();
  let isRoot = false;
  for (;;) {
    const found = ROOT_FIRST.exec(rest);
    if (found === null) {
      break;
    }
    isRoot = true;
    rest = rest.slice(found[0].length);
    const next = ROOT_NEXT.exec(rest);
    if (next === null) {
      break;
    }
    rest = rest.slice(next[0].length);
  }
  // A sibling of the root is not below it.
  return isRoot && !/^[^\s>]*\s*[+~|]/.test(rest) ? ROOT + rest : `${ROOT} ${selector.trim()}`;
}
