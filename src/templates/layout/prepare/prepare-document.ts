import type { DesignDocumentInput } from "../../document/design-document.ts";
import { DesignPage, MasterPage } from "../../document/design-document.ts";
import { FieldTable } from "../fields/field-table.ts";
import {
  ElementPreparer,
  type References,
  type StoredComponent,
  type StoredElement,
} from "./prepare-element.ts";
import type {
  PreparedDocument,
  PreparedElement,
  PreparedMaster,
  PreparedPage,
  PreparedRepeat,
  PreparedSheet,
} from "./prepared.ts";

/** Pages and masters of equal size differ by less. */
const SIZE_TOLERANCE = 0.01;

/**
 * Makes a valid document ready for renders. Nothing in the result depends on values: keep it as long as the revision is
 * rendered.
 */
export function prepareDocument(document: DesignDocumentInput): PreparedDocument {
  const fields = new FieldTable();
  const preparer = new ElementPreparer(referencesOf(document), fields);
  const masters = (document.masterPages ?? []).map(({ elements = [], ...stored }) => {
    const master = MasterPage.parse({ ...stored, elements: [] });
    return { ...sheetOf(master, elements, preparer), rule: master.automaticRule };
  });
  const pages = document.pages.map(({ elements = [], ...stored }) =>
    preparePage(DesignPage.parse({ ...stored, elements: [] }), elements, masters, preparer),
  );
  return { pages, masters, fields };
}

function referencesOf(document: DesignDocumentInput): References {
  const styles = document.styles ?? [];
  return {
    styles: new Map(styles.map(({ id, properties }) => [id.toLowerCase(), properties])),
    styleKinds: new Map(styles.map(({ id, kind }) => [id.toLowerCase(), kind])),
    components: new Map(
      (document.components ?? []).map((component): [string, StoredComponent] => [
        component.id.toLowerCase(),
        { ...component, elements: component.elements as readonly object[] as StoredElement[] },
      ]),
    ),
  };
}

function sheetOf(
  sheet: DesignPage | MasterPage,
  elements: readonly object[],
  preparer: ElementPreparer,
): PreparedSheet {
  return {
    id: sheet.id,
    width: sheet.width,
    height: sheet.height,
    background: {
      color: sheet.backgroundColor,
      paint: sheet.backgroundPaint,
      image: sheet.backgroundImage,
    },
    elements: preparer.prepareAll(elements as readonly StoredElement[]),
  };
}

function preparePage(
  page: DesignPage,
  elements: readonly object[],
  masters: readonly PreparedMaster[],
  preparer: ElementPreparer,
): PreparedPage {
  const sheet = sheetOf(page, elements, preparer);
  return {
    ...sheet,
    fitHeight: page.fitHeight,
    bottomMargin: page.bottomMargin,
    masters: mastersOf(page, masters),
    masterLayer: page.masterLayer,
    useMasterBackground: page.useMasterBackground,
    numbering: {
      start: page.numberingStart ?? null,
      style: page.numberingStyle,
      isHidden: page.hidePageNumber,
    },
    flow: sheet.elements.find(isFlow) ?? null,
  };
}

function isFlow(element: PreparedElement): element is PreparedRepeat {
  return element.kind === "repeat" && element.overflowMode === "continue";
}

function mastersOf(page: DesignPage, masters: readonly PreparedMaster[]): PreparedMaster[] {
  switch (page.masterAssignment) {
    case "none":
      return [];
    case "manual": {
      const id = page.masterPageId?.toLowerCase();
      // A master that was chosen by hand applies to every page, whatever its rule.
      return masters
        .filter((master) => master.id.toLowerCase() === id)
        .map((master) => ({ ...master, rule: "all" }));
    }
    case "automatic":
      return masters.filter(
        ({ width, height }) =>
          Math.abs(width - page.width) <= SIZE_TOLERANCE &&
          Math.abs(height - page.height) <= SIZE_TOLERANCE,
      );
  }
}
