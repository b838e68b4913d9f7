import type { RenderOptions } from "../../../../src/contracts/templates/renderer.ts";
import type { JsonValue } from "../../../../src/lib/json/exact-json.ts";
import { documentOf } from "../../templates/layout-kit.ts";

export type Loose = Readonly<Record<string, unknown>>;

/** A document that shows one thing, and the values that it is rendered with. */
export interface GoldenCase {
  readonly document: JsonValue;
  readonly values: JsonValue;
  readonly options: Partial<RenderOptions>;
}

/** Cases of one area, by name. */
export type GoldenCases = Readonly<Record<string, GoldenCase>>;

interface More {
  /** Of the root: styles, components, masters. */
  readonly root?: Loose;
  readonly values?: Loose;
  readonly options?: Partial<RenderOptions>;
}

const PAGE = { width: 160, height: 100 };

/** One page of 160 × 100 with these elements and properties. */
export function sheet(elements: readonly Loose[], properties: Loose = {}): Loose {
  return { ...PAGE, elements, ...properties };
}

/** A document of these pages; ids are made. */
export function pages(all: readonly Loose[], { root, values, options }: More = {}): GoldenCase {
  return {
    document: documentOf(all, root) as unknown as JsonValue,
    values: (values ?? {}) as JsonValue,
    options: options ?? {},
  };
}

/** A document of one page with these elements. */
export function elements(all: readonly Loose[], more: More = {}): GoldenCase {
  return pages([sheet(all)], more);
}

/** One case for each change of the element; a property that is undefined is left out. */
export function variants(element: Loose, changes: Readonly<Record<string, Loose>>): GoldenCases {
  return Object.fromEntries(
    Object.entries(changes).map(([name, change]) => {
      const changed = Object.entries({ ...element, ...change });
      const kept = changed.filter(([, value]) => value !== undefined);
      return [name, elements([Object.fromEntries(kept)])];
    }),
  );
}
