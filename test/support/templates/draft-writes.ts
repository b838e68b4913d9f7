/** The writes to a draft, each with a valid request, one that breaks a rule, and one to an entry that is not there. */
import { LIMITS } from "../../../src/lib/limits/limits-table.ts";
import { artworkElement, documentOf, fieldElement, guid, SMALL_DRAWING } from "./template-api.ts";

/** The id of nothing. */
export const ABSENT = guid(0xfff);

export interface EditRequest {
  readonly method: "POST" | "PUT" | "PATCH" | "DELETE";
  /** Below the draft. */
  readonly path: string;
  readonly json?: object;
}

export const [PAGE, MASTER, TEXT, SET, ART] = [guid(1), guid(3), guid(2), guid(4), guid(6)];
/** Properties that PATCH of an element does not take. */
const WRONG_NAMES = { type: "image", fontSize: 9 };
const REFUSED_DRAWING = SMALL_DRAWING.replace("<path", "<script/><path");
/** Beyond the bytes of a drawing. */
const HUGE_DRAWING = "x".repeat(LIMITS.svg_import.value + 1);

/** One of each, where the page depends on its master page, and the condition on the field. */
export const CONTENT = {
  ...documentOf(fieldElement("a", 2), artworkElement(6), {
    ...fieldElement("b", 5),
    condition: { field: "a", operator: "is_not_empty" },
  }),
  masterPages: [{ id: MASTER, width: 200, height: 100 }],
  sampleSets: [{ id: SET, name: "One", values: {} }],
};
const WITH_MASTER = {
  ...CONTENT,
  pages: CONTENT.pages.map((page) => ({
    ...page,
    masterAssignment: "manual",
    masterPageId: MASTER,
  })),
};
/** As many elements as a page may have. */
const FULL = {
  ...CONTENT,
  pages: CONTENT.pages.map((page) => ({
    ...page,
    elements: [
      ...page.elements,
      ...Array.from({ length: 997 }, (_, i) => ({
        $type: "rectangle",
        id: guid(0x2000 + i),
        width: 1,
        height: 1,
      })),
    ],
  })),
};

interface MissingEntry {
  readonly path?: string;
  readonly json?: object;
  readonly status?: number;
  readonly code: string;
}

export interface EditCase {
  readonly operation: string;
  readonly valid: EditRequest;
  /** A request that breaks a rule of documents, or another that is found after the ETag. */
  readonly invalid?: EditRequest;
  /** Status and code of `invalid`; 422 `content_invalid` if left out. */
  readonly refusal?: readonly [number, string];
  /** What makes `invalid` name an entry that is not there, the rest of it as wrong as it is. */
  readonly missing?: readonly MissingEntry[];
  /** A body whose envelope is wrong. */
  readonly envelope?: object;
  /** The document that `invalid` breaks; `CONTENT` if left out. */
  readonly content?: typeof CONTENT;
  /** Another body for the same key; the same with another name if left out. */
  readonly another?: object;
}

export const EDITS: readonly EditCase[] = [
  {
    operation: "createDesignPage",
    valid: { method: "POST", path: "pages", json: { width: 99, height: 99 } },
    invalid: { method: "POST", path: "pages", json: { width: 1, height: 99 } },
    envelope: { width: 1, index: -1 },
  },
  {
    operation: "patchDesignPage",
    valid: { method: "PATCH", path: `pages/${PAGE}`, json: { name: "x" } },
    invalid: { method: "PATCH", path: `pages/${PAGE}`, json: { width: 1 } },
    envelope: { width: 1, index: 0.5 },
    missing: [{ path: `pages/${ABSENT}`, code: "page_not_found" }],
  },
  {
    operation: "deleteDesignPage",
    valid: { method: "DELETE", path: `pages/${PAGE}` },
    invalid: { method: "DELETE", path: `pages/${PAGE}` },
    missing: [{ path: `pages/${ABSENT}`, code: "page_not_found" }],
  },
  {
    operation: "createDesignMaster",
    valid: { method: "POST", path: "masters", json: { width: 99, height: 99 } },
    invalid: { method: "POST", path: "masters", json: { width: 1, height: 99 } },
    envelope: { width: 1, index: "0" },
  },
  {
    operation: "patchDesignMaster",
    valid: { method: "PATCH", path: `masters/${MASTER}`, json: { name: "x" } },
    invalid: { method: "PATCH", path: `masters/${MASTER}`, json: { width: 1 } },
    envelope: { width: 1, index: [] },
    missing: [{ path: `masters/${ABSENT}`, code: "master_not_found" }],
  },
  {
    operation: "deleteDesignMaster",
    valid: { method: "DELETE", path: `masters/${MASTER}` },
    invalid: { method: "DELETE", path: `masters/${MASTER}` },
    content: WITH_MASTER,
    missing: [{ path: `masters/${ABSENT}`, code: "master_not_found" }],
  },
  {
    operation: "createDesignElement",
    valid: {
      method: "POST",
      path: "elements",
      json: { page_id: PAGE, type: "text", width: 9, height: 9 },
    },
    invalid: { method: "POST", path: "elements", json: { page_id: PAGE, type: "text", width: 9 } },
    envelope: { type: "text", width: 9 },
    missing: [{ json: { page_id: ABSENT, type: "text", width: 9 }, code: "page_not_found" }],
  },
  {
    operation: "patchDesignElement",
    valid: { method: "PATCH", path: `elements/${TEXT}`, json: { left: 11 } },
    invalid: { method: "PATCH", path: `elements/${TEXT}`, json: { font_size: 0 } },
    envelope: { font_size: 0, index: -1 },
    missing: [
      { path: `elements/${ABSENT}`, code: "not_found" },
      { json: { page_id: ABSENT, ...WRONG_NAMES }, code: "page_not_found" },
      { json: { parent_id: ABSENT, ...WRONG_NAMES }, code: "not_found" },
      { json: { parent_id: ART, ...WRONG_NAMES }, status: 400, code: "validation_error" },
    ],
  },
  {
    operation: "deleteDesignElement",
    valid: { method: "DELETE", path: `elements/${guid(5)}` },
    invalid: { method: "DELETE", path: `elements/${TEXT}` },
    missing: [{ path: `elements/${ABSENT}`, code: "not_found" }],
  },
  {
    operation: "importDesignSvg",
    valid: {
      method: "POST",
      path: "svg-imports",
      json: { page_id: PAGE, svg: SMALL_DRAWING, mode: "preserved" },
    },
    invalid: {
      method: "POST",
      path: "svg-imports",
      json: { page_id: PAGE, svg: SMALL_DRAWING, mode: "preserved" },
    },
    content: FULL,
    envelope: { svg: "<svg/>" },
    missing: [
      { json: { page_id: ABSENT, svg: REFUSED_DRAWING }, code: "page_not_found" },
      { json: { page_id: ABSENT, svg: HUGE_DRAWING }, code: "page_not_found" },
      { json: { page_id: PAGE, parent_id: ABSENT, svg: REFUSED_DRAWING }, code: "not_found" },
      {
        json: { page_id: PAGE, parent_id: TEXT, svg: REFUSED_DRAWING },
        status: 400,
        code: "validation_error",
      },
    ],
  },
  {
    operation: "replaceDesignPaletteColor",
    valid: {
      method: "POST",
      path: `elements/${ART}/palette-replacements`,
      json: { source_color: "#FF0000", target_color: "#00ff00" },
    },
    another: { reset_all: true },
    invalid: {
      method: "POST",
      path: `elements/${ART}/palette-replacements`,
      json: { source_color: "#123456", target_color: "#00ff00" },
    },
    refusal: [400, "invalid_argument"],
    missing: [{ path: `elements/${ABSENT}/palette-replacements`, code: "not_found" }],
  },
  {
    operation: "createDesignSampleSet",
    valid: { method: "POST", path: "sample-sets", json: { name: "Two", values: {} } },
    invalid: { method: "POST", path: "sample-sets", json: { name: "One", values: {} } },
    envelope: { name: "One" },
  },
  {
    operation: "patchDesignSampleSet",
    valid: { method: "PATCH", path: `sample-sets/${SET}`, json: { name: "x" } },
    invalid: { method: "PATCH", path: `sample-sets/${SET}`, json: { name: "" } },
    envelope: { name: "", values: 1 },
    missing: [{ path: `sample-sets/${ABSENT}`, code: "sample_set_not_found" }],
  },
  {
    operation: "deleteDesignSampleSet",
    valid: { method: "DELETE", path: `sample-sets/${SET}` },
    missing: [{ path: `sample-sets/${ABSENT}`, code: "sample_set_not_found" }],
  },
];
