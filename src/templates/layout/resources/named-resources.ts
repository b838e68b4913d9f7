import type { FontReference } from "../../../contracts/files/font.ts";
import { mastersOf } from "./collect-resources.ts";
import type { PreparedDocument, PreparedElement, PreparedSheet } from "../prepare/prepared.ts";

/** A font or a picture that a document names by itself, at one of its elements. */
export interface NamedResource {
  readonly resource:
    | { readonly kind: "family"; readonly name: string }
    | { readonly kind: "font"; readonly name: string; readonly font: FontReference }
    | { readonly kind: "picture"; readonly source: string };
  /** Null for a master page. */
  readonly pageId: string | null;
  /** Null for a background. */
  readonly elementId: string | null;
}

/** Every font and picture that the document may print by itself, under any values, in the order of its elements. */
export function* namedResources(document: PreparedDocument): Generator<NamedResource> {
  for (const page of document.pages) {
    yield* ofSheet(page, page.id);
  }
  for (const master of mastersOf(document)) {
    yield* ofSheet(master, null);
  }
}

function* ofSheet(
  { background, elements }: PreparedSheet,
  pageId: string | null,
): Generator<NamedResource> {
  yield* picture(background.image?.src, pageId, null);
  yield* ofElements(elements, pageId);
}

function* ofElements(
  elements: readonly PreparedElement[],
  pageId: string | null,
): Generator<NamedResource> {
  for (const element of elements) {
    const { id: elementId } = element;
    switch (element.kind) {
      case "text":
        for (const { fontFamily: name, font } of runsOf(element)) {
          const resource =
            font === undefined
              ? ({ kind: "family", name } as const)
              : ({ kind: "font", name, font } as const);
          yield { resource, pageId, elementId };
        }
        for (const name of element.spec.fallbackFonts) {
          yield { resource: { kind: "family", name }, pageId, elementId };
        }
        break;
      case "image": {
        const { field, src } = element;
        yield* picture(src, pageId, elementId);
        if (field?.placeholderType === "image" && typeof field.defaultValue === "string") {
          yield* picture(field.defaultValue, pageId, elementId);
        }
        break;
      }
      case "group":
      case "layout":
        yield* ofElements(element.children, pageId);
        break;
      case "repeat":
        yield* ofElements(element.header, pageId);
        yield* ofElements(element.children, pageId);
        break;
      case "shape":
      case "artwork":
    }
  }
}

function runsOf({ spec, plain }: Extract<PreparedElement, { kind: "text" }>) {
  return [...spec.paragraphs, ...plain.paragraphs].flatMap(({ runs }) => runs);
}

function* picture(
  source: string | null | undefined,
  pageId: string | null,
  elementId: string | null,
): Generator<NamedResource> {
  if (source !== undefined && source !== null && source !== "") {
    yield { resource: { kind: "picture", source }, pageId, elementId };
  }
}
