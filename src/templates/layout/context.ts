import { LIMITS } from "../../lib/limits/limits-table.ts";
import type { LayoutAccount, Place } from "./report/account.ts";
import type { Laid } from "./drawing/laid.ts";
import type { LayoutResources } from "./resources/layout-resources.ts";
import { RenderTooLargeError, type LayoutOptions } from "./options.ts";
import type { PageTexts } from "./pages/page-numbers.ts";
import type { PreparedBase, PreparedElement } from "./prepare/prepared.ts";
import type { Scope } from "./fields/scope.ts";
import type { Slices } from "./slices.ts";
import type { TextCache } from "./elements/text-cache.ts";

/** Elements of one render, repeated and counted ones included (docs/contract/templates.md#rendering). */
const ELEMENTS_MAX = LIMITS.render_elements.value;

/** One pass over the document: either pages are counted, or they are painted. */
export class Pass {
  readonly options: LayoutOptions;
  readonly resources: LayoutResources;
  readonly account: LayoutAccount;
  readonly texts: TextCache;
  /** Number of the first output page of a page of the document, by its id in lower case. */
  readonly firstPages: ReadonlyMap<string, number>;
  readonly slices: Slices;
  #elements = 0;

  constructor(parts: {
    readonly options: LayoutOptions;
    readonly resources: LayoutResources;
    readonly account: LayoutAccount;
    readonly texts: TextCache;
    readonly firstPages: ReadonlyMap<string, number>;
    readonly slices: Slices;
  }) {
    this.options = parts.options;
    this.resources = parts.resources;
    this.account = parts.account;
    this.texts = parts.texts;
    this.firstPages = parts.firstPages;
    this.slices = parts.slices;
  }

  /** Returns a function that forgets the elements that are counted from now on. */
  mark(): () => void {
    const elements = this.#elements;
    return () => {
      this.#elements = elements;
    };
  }

  /** Throws RenderTooLargeError beyond the limit of a render. */
  countElement(): void {
    this.#elements += 1;
    if (this.#elements > ELEMENTS_MAX) {
      throw new RenderTooLargeError(
        `The render has more than ${ELEMENTS_MAX} elements, rows and components included. Send shorter lists, or split the document.`,
      );
    }
  }
}

/** Where an element is laid out. */
export interface Context {
  readonly pass: Pass;
  readonly scope: Scope;
  readonly numbers: PageTexts;
  /** Lays out an element of any kind; null if it does not show. `room` is the height from its top that growth may fill. */
  layOut(element: PreparedElement, context: Context, room: number): Laid | null;
}

/** Where an element stands, for the report. */
export function placeOf({ id, field }: PreparedBase, scope: Scope): Place {
  return {
    elementId: id,
    field: field === undefined ? null : scope.codeOf(field),
    valuePath: field === undefined ? "" : scope.pathOf(field),
    item: scope.item,
  };
}
