import type { SvgNode } from "./svg-node.ts";

/** Properties that children take from their parent (SVG 1.1, appendix M). */
const INHERITED = new Set(
  (
    "clip-rule color fill fill-opacity fill-rule stroke stroke-dasharray stroke-dashoffset stroke-linecap " +
    "stroke-linejoin stroke-miterlimit stroke-opacity stroke-width visibility paint-order marker-start marker-mid " +
    "marker-end marker"
  ).split(" "),
);

export type Style = ReadonlyMap<string, string>;

interface Selector {
  readonly name: string | undefined;
  readonly id: string | undefined;
  readonly classes: readonly string[];
}

interface CssRule {
  readonly selector: Selector;
  readonly weight: number;
  readonly declarations: readonly (readonly [string, string, boolean])[];
}

/** Resolves properties of elements: attributes, rules of `style` elements with simple selectors, `style` attributes. */
export class SvgStyles {
  readonly #rules: readonly CssRule[];

  constructor(css: string) {
    this.#rules = rulesOf(css).toSorted((a, b) => a.weight - b.weight);
  }

  /** The element's properties, with those that it takes from `parent`. */
  of(node: SvgNode, parent: Style): Style {
    const own = new Map(node.attributes);
    const important = new Map<string, string>();
    const set = (declarations: CssRule["declarations"]): void => {
      for (const [name, value, isImportant] of declarations) {
        (isImportant ? important : own).set(name, value);
      }
    };
    for (const { selector, declarations } of this.#rules) {
      if (matches(selector, node)) {
        set(declarations);
      }
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
    return style;
  }
}

function matches({ name, id, classes }: Selector, node: SvgNode): boolean {
  const own = node.attributes.get("class")?.split(/\s+/) ?? [];
  return (
    (name === undefined || name === node.name) &&
    (id === undefined || id === node.attributes.get("id")) &&
    classes.every((one) => own.includes(one))
  );
}

/** Rules with selectors of one element; others, and rules inside of at-rules, do not apply. */
function rulesOf(css: string): CssRule[] {
  const rules: CssRule[] = [];
  const plain = css
    .replace(/\/\*[^]*?\*\//g, "")
    .replace(/@[^{};]*(?:;|\{(?:[^{}]*\{[^{}]*\})*[^{}]*\})/g, "");
  for (const [, selectors = "", body = ""] of plain.matchAll(/([^{}]+)\{([^{}]*)\}/g)) {
    const declarations = declarationsOf(body);
    for (const text of selectors.split(",")) {
      const selector = selectorOf(text.trim());
      if (selector !== undefined) {
        const weight =
          (selector.id === undefined ? 0 : 10_000) +
          selector.classes.length * 100 +
          (selector.name === undefined ? 0 : 1);
        rules.push({ selector, weight, declarations });
      }
    }
  }
  return rules;
}

function selectorOf(text: string): Selector | undefined {
  const found = /^(\*|[A-Za-z][\w-]*)?((?:[.#][\w-]+)*)$/.exec(text);
  if (found === null || text === "") {
    return undefined;
  }
  const marks = found[2]?.match(/[.#][\w-]+/g) ?? [];
  const ids = marks.filter((mark) => mark.startsWith("#"));
  return {
    name: found[1] === "*" ? undefined : found[1],
    id: ids[0]?.slice(1),
    classes: marks.filter((mark) => mark.startsWith(".")).map((mark) => mark.slice(1)),
  };
}

function declarationsOf(css: string): [string, string, boolean][] {
  return css.split(";").flatMap((declaration): [string, string, boolean][] => {
    const at = declaration.indexOf(":");
    if (at === -1) {
      return [];
    }
    const value = declaration.slice(at + 1).trim();
    const isImportant = /\s*!important$/i.test(value);
    return [
      [
        declaration.slice(0, at).trim().toLowerCase(),
        value.replace(/\s*!important$/i, ""),
        isImportant,
      ],
    ];
  });
}
