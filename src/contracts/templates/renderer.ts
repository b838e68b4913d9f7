/** The calls that the renderer accepts from other Workers, through the API Worker's binding RENDERER. */
import type { SvgImportCode } from "../../lib/errors/svg-import-codes.ts";
import type { ReferencedColorProfile } from "./color-profile.ts";
import type { LayoutReport } from "./layout-report.ts";

export interface DescribeRequest {
  readonly v: 1;
}

/** The isolate that answered. */
export interface RendererState {
  /** Newest version of requests that it accepts. */
  readonly version: number;
  /** Whether a render or a merge is under way; there is at most one. */
  readonly is_rendering: boolean;
  /** Renders and merges that wait for their turn. */
  readonly waiting: number;
  /** Bytes of its memory budget that work holds. */
  readonly taken_bytes: number;
  /** Bytes that are kept for later use and dropped when their room is needed. */
  readonly kept_bytes: number;
}

/** What is rendered, and what its PDF and report say about the origin. */
export interface RenderedTemplate {
  readonly template_id: string;
  /** Null for a draft, as the next. */
  readonly revision: number | null;
  readonly version_id: string | null;
  /** `sha256:` and 64 hex digits, of the document's canonical JSON. Equal hashes name equal documents. */
  readonly content_hash: string;
  /** The revision's publication, or the draft's last change; dates of a PDF/X-4. */
  readonly changed_at_ms: number;
  /**
   * The revisions of font families that the template was published with, or of the workspace's families that a run's draft
   * named at its submit; none for any other draft, and from callers before pins.
   */
  readonly font_pins?: readonly FontPin[] | undefined;
  /** The document's JSON: its text, or the key of a file of the workspace. */
  readonly document: { readonly text: string } | { readonly key: string };
}

/** A font family as a document names it, and the revision that prints it. */
export interface FontPin {
  /** Empty for a family of which the document names a file. */
  readonly name: string;
  readonly family_guid: string;
  readonly version_guid: string;
  /** The system family that stands in for characters that the family does not have; null for none. */
  readonly fallback_guid: string | null;
}

export interface RenderOptions {
  readonly missing_policy: "fail_required" | "use_template_default";
  readonly overflow_policy: "template" | "fail" | "fit" | "clip";
  /** 1 to 100; null leaves the limit to the document. */
  readonly max_repeat: number | null;
  /** `all`, or `n` and `a-b` with commas. */
  readonly page_selection: string;
  readonly pdf_export_mode: "standard" | "pdfx4";
  readonly color_profile_guid: string | null;
  /** The profile of that GUID, which a PDF/X-4 needs. */
  readonly color_profile?: ReferencedColorProfile | undefined;
  /** Longest side of page images in pixels, 64 to 4,096. */
  readonly max_page_dimension: number;
}

export interface RenderRequest {
  readonly v: 1;
  readonly workspace_id: string;
  readonly template: RenderedTemplate;
  /** JSON of an object by field code; numbers keep their digits. */
  readonly values: string;
  /** Keys of values without a field are refused, or ignored and reported. */
  readonly unknown_values: "refuse" | "ignore";
  readonly options: RenderOptions;
  /** Whether to return the PDF of the selected pages. */
  readonly has_pdf: boolean;
  /** The selected pages of which to return an image: none, the only or first one, or all. */
  readonly images: "none" | "first" | "all";
  /** False is refused with `busy` if 32 renders of the workspace wait already. */
  readonly may_queue: boolean;
}

/** A problem that a render found in the document; a preview and readiness show them. */
export interface RenderCheck {
  readonly code:
    | "text_cut"
    | "text_shrunk"
    | "text_overflowed"
    | "list_overflowed"
    | "image_failed"
    | "missing_glyphs"
    | "font_substituted"
    | "text_small"
    | "outside_page";
  readonly severity: "error" | "warning" | "info";
  readonly message: string;
  readonly element_id?: string;
  readonly page_number?: number;
}

export interface RenderedPage {
  readonly page_number: number;
  readonly page_id: string;
  readonly label: string;
  /** In points. */
  readonly width: number;
  readonly height: number;
  readonly image: RenderedImage | null;
}

/** A PNG in the body of the response. */
export interface RenderedImage {
  /** In pixels. */
  readonly width: number;
  readonly height: number;
  readonly size_bytes: number;
  /** Lower-case hex digits. */
  readonly sha256: string;
}

export interface Rendered {
  readonly ok: true;
  readonly page_count: number;
  readonly report: LayoutReport;
  readonly checks: readonly RenderCheck[];
  /** The selected pages. */
  readonly pages: readonly RenderedPage[];
  readonly pdf: { readonly size_bytes: number; readonly sha256: string } | null;
  /**
   * The PDF and then the images in the order of `pages`, one after the other without separators; null if there are
   * none. It must be read or cancelled.
   */
  readonly body: ReadableStream<Uint8Array> | null;
}

export type RenderFailureCode =
  | "busy"
  /** A file that the request names is gone, its document is not valid, or one of its fonts cannot be used. */
  | "unavailable"
  | "invalid_values"
  | "page_selection"
  | "too_large"
  | "color_profile"
  | "timeout"
  | "failed";

export type RenderErrorCode =
  | "INVALID_FIELD_VALUE"
  | "UNKNOWN_FIELD"
  | "MISSING_REQUIRED_FIELD"
  | "TEXT_OVERFLOW"
  | "LIST_OVERFLOW"
  | "IMAGE_FAILED";

export interface RenderFailure {
  readonly ok: false;
  readonly code: RenderFailureCode;
  readonly message: string;
  /** `field` is below the request: `values.rows[2].k`. */
  readonly errors: readonly {
    readonly field: string;
    readonly code: RenderErrorCode;
    readonly message: string;
  }[];
  /** Whether the same request may succeed later: the store or an address did not respond. */
  readonly may_retry: boolean;
}

export interface InspectRequest {
  readonly v: 1;
  readonly workspace_id: string;
  readonly template: RenderedTemplate;
}

/** An element, or a page's background, that needs something that is not there. */
export interface MissingResource {
  /** The family's name, or the picture's source. */
  readonly name: string;
  /** Null for a master page. */
  readonly page_id: string | null;
  /** Null for a background. */
  readonly element_id: string | null;
}

/** What a document takes from outside by itself, whatever its values and conditions are. */
export interface Inspected {
  readonly ok: true;
  /** The families that it names and that are there, each once. */
  readonly font_pins: readonly FontPin[];
  /** At most 100, as the next. */
  readonly missing_fonts: readonly MissingResource[];
  /** Stored pictures only: addresses are not fetched. */
  readonly missing_pictures: readonly MissingResource[];
}

export interface ImportSvgRequest {
  readonly v: 1;
  readonly workspace_id: string;
  readonly svg: string;
  readonly mode: "editable" | "preserved";
  /** Null takes the drawing's own name. */
  readonly name: string | null;
  /** The box in points. A null size is the drawing's own, or follows from the other. */
  readonly left: number;
  readonly top: number;
  readonly width: number | null;
  readonly height: number | null;
}

/** `field` is the way to an element, such as `svg/g[2]/image[1]`: its name and its number among those of its name. */
export interface SvgProblem {
  readonly field: string;
  readonly code: SvgImportCode;
  readonly message: string;
}

/** A part of a drawing that was imported only approximately. */
export interface SvgNote {
  readonly field: string;
  readonly message: string;
}

export interface ImportedSvg {
  readonly ok: true;
  /** JSON of an element of a design document, without ids. */
  readonly element: string;
  /** Objects that the drawing draws. */
  readonly objects: number;
  readonly notes: readonly SvgNote[];
}

/** In the order of the drawing, at least one. */
export interface RefusedSvg {
  readonly ok: false;
  readonly errors: readonly SvgProblem[];
}

export interface SvgPaletteRequest {
  readonly v: 1;
  readonly workspace_id: string;
  readonly svg: string;
}

/** The colors of a drawing, `#rrggbb`, the most used first, then by color; null if it cannot be drawn. */
export interface SvgPalette {
  readonly colors: readonly { readonly color: string; readonly use_count: number }[] | null;
}

export interface RendererApi {
  /** Converts a drawing to an element of a design document. */
  importSvg(request: ImportSvgRequest): Promise<ImportedSvg | RefusedSvg>;

  /** Counts the colors of a drawing as a render paints them. */
  readSvgPalette(request: SvgPaletteRequest): Promise<SvgPalette>;

  /** Returns the state of one of the renderer's isolates, for health checks and tests. */
  describe(request: DescribeRequest): Promise<RendererState>;

  /** Renders a document with values, in at most 60 s. */
  render(request: RenderRequest): Promise<Rendered | RenderFailure>;

  /** Looks up the fonts and the stored pictures that a document names. Nothing is rendered. */
  inspect(request: InspectRequest): Promise<Inspected | RenderFailure>;
}
