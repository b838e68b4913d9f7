import type { TemplatePin } from "../../contracts/templates/template-pins.ts";
import type { CallerContext } from "../../platform/context.ts";

/** A caller; references are looked up in its workspace. */
export type ReferenceContext = Pick<CallerContext, "env" | "principal" | "nowMs" | "waitUntil"> & {
  /** Of the workflow whose definition refers; undefined for a definition that belongs to none. */
  readonly pins?: WorkflowPins | undefined;
};

/** What a workflow has frozen of the templates that its definition names (docs/contract/templates.md#pins). */
export type WorkflowPins =
  | {
      readonly of: "working";
      readonly list: readonly TemplatePin[];
      /** Whether a version of the workflow has pinned this revision. */
      hadPinned(templateId: string, revision: number): Promise<boolean>;
    }
  /** A version is used even if a template is not as it was: its runs fail then. */
  | { readonly of: "version"; readonly list: readonly TemplatePin[] };
