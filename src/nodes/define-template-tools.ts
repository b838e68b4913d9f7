/** The tools of a node that print design templates and join PDFs. */
import type { LayoutReport } from "../contracts/templates/layout-report.ts";
import type { RenderOptions } from "../contracts/templates/renderer.ts";
import type { ReferencedTemplate } from "../contracts/templates/template-reference.ts";
import type { JsonValue } from "../lib/json/exact-json.ts";
import type { FileRef } from "../lib/files/file-ref.ts";

/** Values by field code. A file is the picture of an image field. */
export type FieldValues = ReadonlyMap<string, JsonValue | FileRef>;

/** The document that a template node prints, and how. */
export interface TemplateRender {
  readonly template: ReferencedTemplate;
  readonly options: RenderOptions;
  /** Of the PDF; page images have the same name with their number. */
  readonly fileName: string;
}

export interface OneRender extends TemplateRender {
  readonly values: FieldValues;
  readonly output: "pdf" | "image" | "pages" | "both";
  /** Whether the files' keys become part of a value: they are then stored by themselves at once. */
  readonly isReferred: boolean;
}

export interface StoredPage {
  readonly page_number: number;
  readonly page_id: string;
  readonly label: string;
  /** In points. */
  readonly width: number;
  readonly height: number;
  /** A PNG with its size in pixels; null if none was drawn. */
  readonly image: {
    readonly file: FileRef;
    readonly width: number;
    readonly height: number;
  } | null;
}

export interface StoredRender {
  /** Pages of the whole output. */
  readonly pageCount: number;
  readonly report: LayoutReport;
  /** The selected pages. */
  readonly pages: readonly StoredPage[];
  readonly pdf: FileRef | null;
}

export interface CollectedRender extends TemplateRender {
  /** The values of each document, in order. They are asked for one after another, as they are printed. */
  readonly documents: AsyncIterable<FieldValues>;
  /** PDFs that come before and after the documents. */
  readonly intro: FileRef | undefined;
  readonly outro: FileRef | undefined;
}

/**
 * Renders design templates and stores what it made (docs/contract/templates.md#nodes). Equal documents, values, fonts and
 * pictures give equal bytes. Values without a field are reported and ignored. Throws NodeError
 * `TEMPLATE_NOT_AVAILABLE`, `INVALID_FIELD_VALUE`, `MISSING_REQUIRED_FIELD`, `TEXT_OVERFLOW`, `LIST_OVERFLOW`,
 * `IMAGE_FAILED` (can be retried if an address did not respond), `PAGE_SELECTION_INVALID`, `RENDER_TOO_LARGE`,
 * `COLOR_PROFILE_INVALID`, `NODE_TIMEOUT`. Implemented by the renderer.
 */
export interface TemplateTools {
  render(request: OneRender): Promise<StoredRender>;
  /**
   * Lays out every document by itself, numbers its pages by itself, and joins all in one PDF, in which each font and
   * picture is embedded once. `document` is undefined if there are neither documents nor an intro or outro. Throws
   * also `PDF_TOO_LARGE`, and the codes of `DocumentTools.merge`.
   */
  collect(
    request: CollectedRender,
  ): Promise<{ readonly document: FileRef | undefined; readonly count: number }>;
}

/** Joins stored PDFs. Implemented by the renderer. */
export interface DocumentTools {
  /**
   * Joins the pages of PDFs in order and stores the result (docs/contract/templates.md#nodes). The same PDFs give the same
   * bytes. Throws NodeError `PDF_UNREADABLE`, `PDF_ENCRYPTED`, `PDF_TOO_LARGE`, and those of reading a file.
   */
  merge(documents: readonly FileRef[], fileName: string): Promise<FileRef>;
}
