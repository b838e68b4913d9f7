import { LIMITS } from "../../lib/limits/limits-table.ts";
import type { DisplayList, DisplayPage } from "../display-list.ts";
import { layOutText as layOutTextWithFonts } from "../text/lay-out-text.ts";
import { LayoutAccount, type LayoutFacts, type LayoutNote } from "./report/account.ts";
import { Pass } from "./context.ts";
import { countOutputPages, layOutputPages, type PageJob } from "./pages/lay-page.ts";
import type { LayoutResources } from "./resources/layout-resources.ts";
import { findMissingFields } from "./fields/missing-fields.ts";
import {
  RenderTooLargeError,
  type LayoutOptions,
  type RenderProblem,
  type Values,
} from "./options.ts";
import { numberPages, type PageNumbers } from "./pages/page-numbers.ts";
import { selectedPages } from "./pages/page-selection.ts";
import type { PreparedDocument } from "./prepare/prepared.ts";
import { Scope } from "./fields/scope.ts";
import { SLICE_CHARACTERS, Slices, withoutPauses } from "./slices.ts";
import { textCacheOf, type LayOutText } from "./elements/text-cache.ts";

/** Output pages of one render. */
export const OUTPUT_PAGES_MAX = LIMITS.render_pages.value;
/** Layouts of rows whose heights depend on page numbers, until the numbers stand. */
const NUMBERING_PASSES_MAX = 4;

/** What a layout found beside the pages. */
export interface LayoutOutcome {
  readonly facts: LayoutFacts;
  readonly notes: readonly LayoutNote[];
  /** Why the render fails nevertheless; empty if it does not. */
  readonly problems: readonly RenderProblem[];
}

/** A layout that has begun: its pages are counted and not yet painted. */
export interface StartedLayout {
  readonly ok: true;
  /** Of the whole output. */
  readonly pageCount: number;
  /** Numbers of the selected pages, ascending. */
  readonly selected: readonly number[];
  /**
   * The selected pages, one after another, and null where the caller may pause; nothing of a page is kept after it. Call
   * once. Returns the outcome, of which the whole output is the subject, whatever was selected. Throws
   * RenderTooLargeError.
   */
  pages(): Generator<DisplayPage | null, LayoutOutcome>;
}

export type LayoutStart =
  | StartedLayout
  | { readonly ok: false; readonly kind: "problems"; readonly problems: readonly RenderProblem[] }
  | { readonly ok: false; readonly kind: "selection"; readonly pageCount: number }
  | { readonly ok: false; readonly kind: "too_large"; readonly message: string };

export interface LayoutInput {
  readonly document: PreparedDocument;
  readonly values: Values;
  readonly options: LayoutOptions;
  readonly resources: LayoutResources;
  /** Instead of that of `text/`, for tests of what is around texts. */
  readonly layOutText?: LayOutText;
  /** Instead of `SLICE_CHARACTERS`, for tests of pauses. */
  readonly sliceCharacters?: number;
}

/**
 * Begins a layout: checks required fields, counts the output pages and reads the selection. Equal inputs give equal
 * pages. Yields where the caller may pause.
 */
export function* startLayout(input: LayoutInput): Generator<null, LayoutStart> {
  const { document, options } = input;
  const scope = Scope.ofDocument(input.values, document.fields);
  if (options.missingPolicy === "fail_required") {
    const problems = findMissingFields(document.fields, scope);
    if (problems.length > 0) {
      return { ok: false, kind: "problems", problems };
    }
  }
  let numbers;
  try {
    numbers = yield* countPages(input, scope);
  } catch (cause) {
    if (cause instanceof RenderTooLargeError) {
      return { ok: false, kind: "too_large", message: cause.message };
    }
    throw cause;
  }
  const { pageCount } = numbers;
  const selected = selectedPages(options.pageSelection, pageCount);
  if (selected === null) {
    return { ok: false, kind: "selection", pageCount };
  }
  return {
    ok: true,
    pageCount,
    selected,
    pages: () => paintPages(input, scope, numbers, selected),
  };
}

/** The whole layout at once. Throws RenderTooLargeError. */
export function layOut(
  input: LayoutInput,
):
  | (LayoutOutcome & { readonly ok: true; readonly displayList: DisplayList })
  | Exclude<LayoutStart, { ok: true }> {
  const started = withoutPauses(startLayout(input));
  if (!started.ok) {
    return started;
  }
  const pages: DisplayPage[] = [];
  const generator = started.pages();
  let next = generator.next();
  while (next.done !== true) {
    if (next.value !== null) {
      pages.push(next.value);
    }
    next = generator.next();
  }
  return { ok: true, displayList: { pages }, ...next.value };
}

/** Numbers of all output pages, such that the layout that prints them has as many pages. */
function* countPages(input: LayoutInput, scope: Scope): Generator<null, PageNumbers> {
  const { pages } = input.document;
  const numberings = pages.map(({ numbering }) => numbering);
  const dependsOnNumbers = pages.some(
    ({ flow }) => flow !== null && flow.fitItemHeight && flow.usesPageNumbers,
  );
  let counts = pages.map(() => 1);
  for (let passes = 0; passes < NUMBERING_PASSES_MAX; passes += 1) {
    const found = yield* countOnce(input, scope, numberPages(numberings, counts));
    const isStable = found.every((count, index) => count === counts[index]);
    counts = found;
    if (isStable || !dependsOnNumbers) {
      break;
    }
  }
  return numberPages(numberings, counts);
}

function* countOnce(
  input: LayoutInput,
  scope: Scope,
  numbers: PageNumbers,
): Generator<null, number[]> {
  const account = new LayoutAccount([], []);
  const pass = passOf(input, account, numbers);
  let sum = 0;
  const counts: number[] = [];
  for (const [pageIndex, page] of input.document.pages.entries()) {
    const count = yield* countOutputPages(
      { pass, page, pageIndex, scope, numbers },
      OUTPUT_PAGES_MAX + 1 - sum,
    );
    sum += count;
    if (sum > OUTPUT_PAGES_MAX) {
      throw new RenderTooLargeError(
        `The output has more than ${OUTPUT_PAGES_MAX} pages. Send shorter lists, or split the document.`,
      );
    }
    counts.push(count);
  }
  return counts;
}

function passOf(
  {
    document,
    options,
    resources,
    layOutText = layOutTextWithFonts,
    sliceCharacters = SLICE_CHARACTERS,
  }: LayoutInput,
  account: LayoutAccount,
  numbers: PageNumbers,
): Pass {
  const firstPages = new Map(
    document.pages.map(({ id }, index) => [id.toLowerCase(), numbers.pageNumberOf(index, 0)]),
  );
  const texts = textCacheOf(resources.fonts, layOutText);
  const slices = new Slices(sliceCharacters);
  return new Pass({ options, resources, account, texts, firstPages, slices });
}

function* paintPages(
  input: LayoutInput,
  scope: Scope,
  numbers: PageNumbers,
  selected: readonly number[],
): Generator<DisplayPage | null, LayoutOutcome> {
  const { document, options } = input;
  const account = new LayoutAccount(document.fields.codes(), options.valuesIgnored);
  const pass = passOf(input, account, numbers);
  const isSelected = new Set(selected);
  let pageCount = 0;
  for (const [pageIndex, page] of document.pages.entries()) {
    const job: PageJob = { pass, page, pageIndex, scope, numbers };
    for (const output of layOutputPages(job)) {
      if (output === null) {
        yield null;
        continue;
      }
      pageCount += 1;
      if (isSelected.has(output.pageNumber)) {
        yield withoutDeadLinks(output, isSelected);
      }
    }
  }
  const { notes, problems } = account;
  return { facts: account.facts(pageCount), notes, problems };
}

/** Links to pages that are not in the output lead nowhere. */
function withoutDeadLinks(page: DisplayPage, isSelected: ReadonlySet<number>): DisplayPage {
  const links = page.links.filter(
    ({ target }) => target.kind !== "page" || isSelected.has(target.pageNumber),
  );
  return links.length === page.links.length ? page : { ...page, links };
}
