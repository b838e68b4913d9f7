import { ArtworkError } from "./artwork-error.ts";
import { fontProperties, resolveFont } from "./svg-fonts.ts";
import { parseSelector, type Selector, selects } from "./css-selectors.ts";
import type { SvgNode } from "./svg-node.ts";

/** Properties that children take from their parent (SVG 1.1, appendix M). */
const INHERITED = new Set(
  (
    "clip-rule color fill fill-opacity fill-rule stroke stroke-dasharray stroke-dashoffset stroke-linecap " +
    "stroke-linejoin stroke-miterlimit stroke-opacity stroke-width visibility paint-order marker-start marker-mid " +
    "marker-end marker direction font-family font-size font-style font-weight font-variant letter-spacing " +
    "word-spacing text-anchor text-decoration text-transform white-space writing-mode dominant-baseline xml:space"
  ).split(" "),
);

export type Style = ReadonlyMap<string, string>;

interface CssRule {
  readonly selector: Selector;
  /** Its place in the style sheets. */
  readonly order: number;
  readonly declarations: readonly (readonly [string, string, boolean])[];
}

/** Rules of all style sheets, and how often all elements may be compared with them: both multiply. */
const RULES_MAX = 10_000;
const COMPARISONS_MAX = 1_000_000;

/** Resolves properties of elements: attributes, rules of `style` elements, `style` attributes. */
export class SvgStyles {
  /** By the id, a class or the name of what they select. */
  readonly #rules = new Map<string, CssRule[]>();
  #comparisons = 0;

  /** Throws ArtworkError for too many rules. */
  constructor(css: string) {
    for (const rule of rulesOf(css)) {
      const { ids, classes, name } = rule.selector.last;
      const [id, one] = [ids[0], classes[0]];
      const key = id !== undefined ? `#${id}` : one !== undefined ? `.${one}` : (name ?? "*");
      const same = this.#rules.get(key);
      if (same === undefined) {
        this.#rules.set(key, [rule]);
      } else {
        same.push(rule);
      }
    }
  }

  /** The rules that select an element, the strongest last. */
  #rulesFor(node: SvgNode): CssRule[] {
    if (this.#rules.size === 0) {
      return [];
    }
    const id = node.attributes.get("id");
    const classes = new Set(node.attributes.get("class")?.split(/\s+/) ?? []);
    const keys = [
      "*",
      node.name,
      ...[...classes].map((one) => `.${one}`),
      ...(id === undefined ? [] : [`#${id}`]),
    ];
    const found = keys.flatMap((key) => this.#rules.get(key) ?? []);
    this.#comparisons += found.length;
    if (this.#comparisons > COMPARISONS_MAX) {
      throw new ArtworkError("too_large", "Its style sheets have too many rules.", node);
    }
    return found
      .filter(({ selector }) => selects(selector, node))
      .toSorted((a, b) => a.selector.weight - b.selector.weight || a.order - b.order);
  }

  /** The element's properties, with those that it takes from `parent`. */
  of(node: SvgNode, parent: Style): Style {
    const shorthand = node.attributes.get("font");
    const own = new Map([
      ...(shorthand === undefined ? [] : fontProperties(shorthand)),
      ...node.attributes,
    ]);
    const important = new Map<string, string>();
    const set = (declarations: CssRule["declarations"]): void => {
      for (const [name, value, isImportant] of declarations) {
        (isImportant ? important : own).set(name, value);
      }
    };
    for (const { declarations } of this.#rulesFor(node)) {
      set(declarations);
    }
    set(declarationsOf(node.attributes.get("style") ?? ""));
    const style = new Map<string, string>();
    for (const [name, value] of parent) {
      if (INHERITED.has(name)) {
        style.set(name, value);
      }
    }
    for (const [name, value] of [...own, ...important]) {
      if (value === "inherit") {
        const inherited = parent.get(name);
        if (inherited !== undefined) {
          style.set(name, inherited);
        }
      } else {
        style.set(name, value);
      }
    }
    resolveFont(style, parent);
    return style;
  }
}

/** Rules inside of at-rules do not apply. */
function rulesOf(css: string): CssRule[] {
  const rules: CssRule[] = [];
  const plain = css
    .replace(/\/\*[^]*?\*\//g, "")
    .replace(/@[^{};]*(?:;|\{(?:[^{}]*\{[^{}]*\})*[^{}]*\})/g, "");
  for (const [, selectors = "", body = ""] of plain.matchAll(/([^{}]+)\{([^{}]*)\}/g)) {
    const declarations = declarationsOf(body);
    for (const text of selectors.split(",")) {
      const selector = parseSelector(text.trim());
      if (selector !== undefined) {
        rules.push({ selector, order: rules.length, declarations });
      }
      if (rules.length > RULES_MAX) {
        throw new ArtworkError("too_large", `Its style sheets have more than ${RULES_MAX} rules.`);
      }
    }
  }
  return rules;
}

function declarationsOf(css: string): [string, string, boolean][] {
  return css.split(";").flatMap((declaration): [string, string, boolean][] => {
    const at = declaration.indexOf(":");
    if (at === -1) {
      return [];
    }
    const value = declaration.slice(at + 1).trim();
    const isImportant = /\s*!important$/i.test(value);
    const name = declaration.slice(0, at).trim().toLowerCase();
    const plain = value.replace(/\s*!important$/i, "");
    return (name === "font" ? fontProperties(plain) : [[name, plain] as const]).map(
      ([property, one]) => [property, one, isImportant],
    );
  });
}
