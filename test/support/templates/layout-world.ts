/** Random documents of regions, lists and growing texts, laid out by the product and by the slow reference. */
import type { JsonValue } from "../../../src/lib/json/exact-json.ts";
import { SeededRandom } from "../../simulation/seeded-random.ts";
import { documentOf, draw, field, render } from "./layout-kit.ts";
import {
  layOutSlowly,
  lineAt,
  type ModelElement,
  type ModelLayout,
  type ModelPage,
} from "./reference-layout.ts";

type Values = Record<string, JsonValue>;

/** An element, and how to make values for the fields in it. */
interface Grown {
  readonly element: ModelElement;
  readonly fill: () => Values;
}

const LISTS_MAX = 2;
const DEPTH_MAX = 4;

export interface ComparedLayout {
  readonly found: ModelLayout;
  readonly expected: ModelLayout;
  /** What the world shows, so that a test knows that all of it is met. */
  readonly shows: {
    readonly pages: number;
    readonly fittedPages: number;
    readonly nestedLists: number;
    readonly regions: number;
  };
}

export function compareLayouts(seed: number, sliceCharacters?: number): ComparedLayout {
  const world = new LayoutWorld(new SeededRandom(seed));
  const { pages, values } = world.make();
  const { pages: printed, facts } = render(documentOf(pages as never), {
    values,
    ...(sliceCharacters !== undefined && { sliceCharacters }),
  });
  const found = {
    pages: printed.map((page) => ({ height: page.height, lines: draw(page).map(readLine) })),
    elementsLeftOut: facts.elements_left_out,
    rowsPrinted: facts.rows_printed,
    rowsLeftOut: facts.rows_left_out,
  };
  return {
    found,
    expected: layOutSlowly(pages, values),
    shows: {
      pages: printed.length,
      fittedPages: pages.filter(({ fitHeight }) => fitHeight).length,
      nestedLists: world.nestedLists,
      regions: world.regions,
    },
  };
}

function readLine(line: string): string {
  const [, text = "", x, y] = /text "(.+)" 10 at (-?[\d.]+),(-?[\d.]+)/.exec(line) ?? [];
  return lineAt(text, Number(x), Number(y));
}

class LayoutWorld {
  nestedLists = 0;
  regions = 0;
  readonly #random: SeededRandom;
  #characters = 0x4e00;
  #codes = 0;

  constructor(random: SeededRandom) {
    this.#random = random;
  }

  make(): { readonly pages: readonly ModelPage[]; readonly values: Values } {
    const random = this.#random;
    let values: Values = {};
    const pages = Array.from({ length: random.int(1, 2) }, (): ModelPage => {
      const grown = Array.from({ length: random.int(1, 4) }, () => this.#element(0, 0));
      if (random.chance(0.5)) {
        grown.splice(random.int(0, grown.length), 0, this.#list(0, 0, "continue"));
      }
      values = { ...values, ...Object.assign({}, ...grown.map(({ fill }) => fill())) };
      return {
        width: 400,
        height: random.int(6, 60) * 10,
        fitHeight: random.chance(0.3),
        bottomMargin: random.pick([0, 0, 15]),
        elements: grown.map(({ element }) => ({
          ...element,
          pageScope: random.pick(["first", "all", "continuation", "last"] as const),
        })),
      };
    });
    return { pages, values };
  }

  #element(depth: number, lists: number): Grown {
    const random = this.#random;
    const kind = depth >= DEPTH_MAX ? 0 : random.int(0, 9);
    if (kind >= 8 && lists < LISTS_MAX) {
      return this.#list(depth, lists, random.pick(["clip", "grow"] as const));
    }
    return kind >= 5
      ? this.#region(depth, lists)
      : kind === 4
        ? this.#group(depth, lists)
        : this.#text(lists);
  }

  #box() {
    const random = this.#random;
    return {
      left: random.int(0, 8) * 5,
      top: random.int(0, 8) * 5,
      width: random.int(2, 20) * 5,
      height: random.int(1, 12) * 5,
      visible: random.chance(0.93),
    };
  }

  /** A text of one character of its own, so that its lines tell whose they are. */
  #text(lists: number, isStatic = false): Grown {
    const random = this.#random;
    const size = { ...this.#box(), fontSize: 10, lineHeight: 1, fixedHeight: random.chance(0.5) };
    if (isStatic || random.chance(0.3)) {
      const element = { $type: "text" as const, ...size, text: this.#ownText() };
      return { element, fill: () => ({}) };
    }
    const code = this.#code(lists === 0 ? "t" : "k");
    return {
      element: { $type: "text", ...size, ...placeholderOf(code, "text") },
      fill: () => ({ [code]: this.#ownText() }),
    };
  }

  #ownText(): string {
    this.#characters += 1;
    return String.fromCharCode(this.#characters).repeat(this.#random.int(1, 40));
  }

  #code(prefix: string): string {
    this.#codes += 1;
    return `${prefix}${this.#codes}`;
  }

  #children(depth: number, lists: number, most: number) {
    const grown = Array.from({ length: this.#random.int(0, most) }, () =>
      this.#element(depth + 1, lists),
    );
    return {
      children: grown.map(({ element }) => element),
      fill: (): Values => Object.assign({}, ...grown.map((one) => one.fill())),
    };
  }

  #group(depth: number, lists: number): Grown {
    const { children, fill } = this.#children(depth, lists, 3);
    return { element: { $type: "group", ...this.#box(), children }, fill };
  }

  #region(depth: number, lists: number): Grown {
    const random = this.#random;
    const { children, fill } = this.#children(depth, lists, 6);
    this.regions += 1;
    return {
      element: {
        $type: "layout_region",
        ...this.#box(),
        width: random.int(8, 60) * 5,
        height: random.int(4, 40) * 5,
        children,
        direction: random.pick(["vertical", "horizontal", "grid"] as const),
        gap: random.pick([0, 5, 12]),
        rowGap: random.pick([0, 5, 20]),
        padding: random.pick([0, 0, 5]),
        columns: random.int(1, 4),
        alignItems: random.pick(["start", "center", "end", "stretch"] as const),
        justifyContent: random.pick(["start", "center", "end", "space_between"] as const),
        fitHeight: random.chance(0.4),
      },
      fill,
    };
  }

  #list(depth: number, lists: number, overflowMode: "clip" | "grow" | "continue"): Grown {
    const random = this.#random;
    const code = this.#code("l");
    const { children, fill } = this.#children(depth, lists + 1, 3);
    const headers = Array.from({ length: random.int(0, 1) }, () => this.#text(lists, true));
    const direction = random.pick(["vertical", "vertical", "grid", "horizontal"] as const);
    const box = this.#box();
    this.nestedLists += lists === 1 && box.visible ? 1 : 0;
    return {
      element: {
        $type: "repeat_region",
        ...box,
        // The list that goes on is always there, so that the page has output pages.
        visible: box.visible || overflowMode === "continue",
        width: random.int(4, 40) * 5,
        height: random.int(4, 30) * 5,
        ...placeholderOf(code, "list"),
        children,
        direction,
        columns: random.int(1, 3),
        gap: random.pick([0, 0, 5]),
        rowGap: random.pick([0, 5]),
        itemHeight: random.int(2, 8) * 5,
        itemWidth: random.int(2, 14) * 5,
        fitItemHeight: random.chance(0.6),
        header: headers.map(({ element }) => element),
        headerHeight: random.pick([0, 10, 25]),
        // Across, rows are as high as the box below the header, which is the same in each box then.
        repeatHeader: direction === "horizontal" || random.chance(0.6),
        maxItems: random.pick([100, 100, 5]),
        overflowMode,
      },
      fill: () => ({
        [code]: Array.from({ length: random.int(0, lists === 0 ? 9 : 4) }, () => fill()),
      }),
    };
  }
}

function placeholderOf(code: string, type: string) {
  return { placeholder: field(code, type) as { readonly code: string } };
}
