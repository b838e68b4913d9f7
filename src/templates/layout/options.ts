import type { JsonValue } from "../../lib/json/exact-json.ts";
import type { OverflowPolicy } from "../text/text-spec.ts";
import type { PageSelection } from "./pages/page-selection.ts";

/** Values by field code, as checked (`values/`). */
export type Values = Readonly<Record<string, JsonValue | undefined>>;

export interface LayoutOptions {
  readonly missingPolicy: "fail_required" | "use_template_default";
  readonly overflowPolicy: OverflowPolicy;
  /** At most that many items of each list; undefined: as many as the document prints. */
  readonly maxRepeat: number | undefined;
  readonly pageSelection: PageSelection;
  /** PDF/X-4 forbids annotations: every link is left out and counted. */
  readonly hasLinks: boolean;
  /** Keys of the values that are not fields of the document. */
  readonly valuesIgnored: readonly string[];
}

/** Why a render fails (docs/contract/templates.md#rendering). */
export interface RenderProblem {
  readonly code: "MISSING_REQUIRED_FIELD" | "TEXT_OVERFLOW" | "LIST_OVERFLOW" | "IMAGE_FAILED";
  /** The field with its place in the values, such as `rows[2].name`; "" for an element without a field. */
  readonly field: string;
  readonly elementId: string;
  readonly message: string;
}

/** Output beyond a limit of one render: `render_too_large`. */
export class RenderTooLargeError extends Error {
  override readonly name = "RenderTooLargeError";
}
