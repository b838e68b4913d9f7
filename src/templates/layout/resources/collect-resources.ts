import type { FontReference } from "../../../contracts/files/font.ts";
import type { TextSpec } from "../../text/text-spec.ts";
import { isShown } from "../elements/lay-element.ts";
import type { NeededResources } from "./layout-resources.ts";
import type { LayoutOptions, Values } from "../options.ts";
import type { PreparedDocument, PreparedElement, PreparedSheet } from "../prepare/prepared.ts";
import { itemsOf, Scope } from "../fields/scope.ts";

/** What a render of these values needs. Elements that do not show and rows beyond the limits need nothing. */
export function collectResources(
  document: PreparedDocument,
  values: Values,
  { maxRepeat }: Pick<LayoutOptions, "maxRepeat">,
): NeededResources {
  const collector = new Collector(maxRepeat ?? Infinity);
  const scope = Scope.ofDocument(values, document.fields);
  for (const sheet of [...document.pages, ...mastersOf(document)]) {
    collector.sheet(sheet, scope);
  }
  return collector.result();
}

/** Masters that no page may take need nothing. */
export function mastersOf({ pages }: PreparedDocument): PreparedSheet[] {
  return [...new Map(pages.flatMap(({ masters }) => masters.map((m) => [m.id, m]))).values()];
}

/** Equal for references to one file of one family: families may have the same file, and choose different fallbacks. */
export function fontKey({ familyGuid, versionGuid, sha256 }: FontReference): string {
  return `${familyGuid} ${versionGuid} ${sha256}`;
}

class Collector {
  readonly #maxRepeat: number;
  readonly #pictures = new Set<string>();
  readonly #artworks = new Set<string>();
  readonly #families = new Set<string>();
  readonly #fonts = new Map<string, FontReference>();

  constructor(maxRepeat: number) {
    this.#maxRepeat = maxRepeat;
  }

  result(): NeededResources {
    return {
      pictures: [...this.#pictures],
      artworks: [...this.#artworks],
      families: [...this.#families],
      fonts: [...this.#fonts.values()],
    };
  }

  sheet({ background, elements }: PreparedSheet, scope: Scope): void {
    this.#picture(background.image?.src);
    this.#elements(elements, scope);
  }

  #elements(elements: readonly PreparedElement[], scope: Scope): void {
    for (const element of elements) {
      if (isShown(element, { scope })) {
        this.#element(element, scope);
      }
    }
  }

  #element(element: PreparedElement, scope: Scope): void {
    switch (element.kind) {
      case "shape":
        return;
      case "text":
        this.#text(element.spec);
        this.#text(element.plain);
        return;
      case "image": {
        const { field, src } = element;
        const value = field?.placeholderType === "image" ? scope.read(field) : undefined;
        this.#picture(typeof value === "string" ? value : src);
        return;
      }
      case "artwork":
        this.#artworks.add(element.svg);
        return;
      case "group":
      case "layout":
        this.#elements(element.children, scope);
        return;
      case "repeat": {
        const { field, maxItems, header, children } = element;
        this.#elements(header, scope);
        const fields = scope.fieldsOf(field.code);
        const items = itemsOf(scope.read(field)).slice(0, Math.min(maxItems, this.#maxRepeat));
        for (const [index, item] of items.entries()) {
          if (fields !== undefined) {
            this.#elements(children, scope.ofItem(field.code, index, fields, item));
          }
        }
      }
    }
  }

  #picture(src: string | null | undefined): void {
    if (src !== undefined && src !== null && src !== "") {
      this.#pictures.add(src);
    }
  }

  #text({ fallbackFonts, paragraphs }: TextSpec): void {
    for (const { fontFamily, font } of paragraphs.flatMap(({ runs }) => runs)) {
      if (font === undefined) {
        this.#families.add(fontFamily);
      } else {
        this.#fonts.set(fontKey(font), font);
      }
    }
    for (const family of fallbackFonts) {
      this.#families.add(family);
    }
  }
}
