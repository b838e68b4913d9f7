/** Commands that edit and check the draft of a design template. */
import type * as z from "zod";
import type {
  PaletteReplacementBody,
  SvgImportBody,
} from "../../src/contracts/templates/design-template.ts";
import { type Command, fieldsOf } from "./command.ts";
import { get, PAGE_QUERY } from "./route-commands.ts";

export const TEMPLATES = "/api/v1/design-templates";
export const IF_MATCH = { "if-match": "if-match" } as const;

export const TEMPLATE_DRAFT_COMMANDS: readonly Command[] = [
  edit(
    "templates add-page",
    "ID FILE",
    "Add a page to the draft",
    "createDesignPage",
    "POST",
    "pages",
  ),
  edit(
    "templates change-page",
    "ID PAGE_ID FILE",
    "Change a page of the draft",
    "patchDesignPage",
    "PATCH",
    "pages/{page_id}",
  ),
  edit(
    "templates remove-page",
    "ID PAGE_ID",
    "Remove a page from the draft",
    "deleteDesignPage",
    "DELETE",
    "pages/{page_id}",
  ),
  edit(
    "templates add-master",
    "ID FILE",
    "Add a master page to the draft",
    "createDesignMaster",
    "POST",
    "masters",
  ),
  edit(
    "templates change-master",
    "ID MASTER_ID FILE",
    "Change a master page of the draft",
    "patchDesignMaster",
    "PATCH",
    "masters/{master_id}",
  ),
  edit(
    "templates remove-master",
    "ID MASTER_ID",
    "Remove a master page from the draft",
    "deleteDesignMaster",
    "DELETE",
    "masters/{master_id}",
  ),
  edit(
    "templates add-element",
    "ID FILE",
    "Add an element to the draft",
    "createDesignElement",
    "POST",
    "elements",
  ),
  edit(
    "templates change-element",
    "ID ELEMENT_ID FILE",
    "Change an element of the draft",
    "patchDesignElement",
    "PATCH",
    "elements/{element_id}",
  ),
  edit(
    "templates remove-element",
    "ID ELEMENT_ID",
    "Remove an element from the draft",
    "deleteDesignElement",
    "DELETE",
    "elements/{element_id}",
  ),
  {
    words: "templates import-svg",
    args: "ID FILE",
    about: "Import an SVG drawing into the draft",
    route: {
      operation: "importDesignSvg",
      method: "POST",
      path: `${TEMPLATES}/{id}/draft/svg-imports`,
      needsKey: true,
      headers: IF_MATCH,
      file: { field: "svg", isText: true },
      fields: fieldsOf<z.input<typeof SvgImportBody>>()({
        page: ["page_id", "text"],
        parent: ["parent_id", "text"],
        name: ["name", "text"],
        mode: ["mode", "text"],
        left: ["left", "number"],
        top: ["top", "number"],
        width: ["width", "number"],
        height: ["height", "number"],
      }),
    },
  },
  get(
    "templates palette",
    "ID ELEMENT_ID",
    "Show the colors of a drawing of the draft",
    "getDesignPalette",
    `${TEMPLATES}/{id}/draft/elements/{element_id}/palette`,
  ),
  {
    words: "templates replace-color",
    args: "ID ELEMENT_ID",
    about: "Replace a color of a drawing of the draft, reset it (--to null), or reset all",
    route: {
      operation: "replaceDesignPaletteColor",
      method: "POST",
      path: `${TEMPLATES}/{id}/draft/elements/{element_id}/palette-replacements`,
      needsKey: true,
      headers: IF_MATCH,
      fields: fieldsOf<z.input<typeof PaletteReplacementBody>>()({
        from: ["source_color", "text"],
        to: ["target_color", "nullable"],
        "reset-all": ["reset_all", "boolean"],
      }),
    },
  },
  edit(
    "templates add-sample-set",
    "ID FILE",
    "Add a sample set to the draft",
    "createDesignSampleSet",
    "POST",
    "sample-sets",
  ),
  edit(
    "templates change-sample-set",
    "ID SAMPLE_SET_ID FILE",
    "Change a sample set of the draft",
    "patchDesignSampleSet",
    "PATCH",
    "sample-sets/{sample_set_id}",
  ),
  edit(
    "templates remove-sample-set",
    "ID SAMPLE_SET_ID",
    "Remove a sample set from the draft",
    "deleteDesignSampleSet",
    "DELETE",
    "sample-sets/{sample_set_id}",
  ),
  {
    words: "templates sample-sets",
    args: "ID",
    about: "List the sample sets of the draft",
    columns: ["id", "name"],
    route: {
      operation: "listDesignSampleSets",
      method: "GET",
      path: `${TEMPLATES}/{id}/draft/sample-sets`,
      query: PAGE_QUERY,
    },
  },
  get(
    "templates sample-set",
    "ID SAMPLE_SET_ID",
    "Show a sample set of the draft",
    "getDesignSampleSet",
    `${TEMPLATES}/{id}/draft/sample-sets/{sample_set_id}`,
  ),
  {
    words: "templates preview",
    args: "ID SAMPLE_SET_ID",
    about: "Preview the draft with a sample set: addresses of page images, and what does not fit",
    route: {
      operation: "getDesignTemplatePreview",
      method: "GET",
      path: `${TEMPLATES}/{id}/draft/sample-sets/{sample_set_id}/exact-preview`,
      query: ["max_page_dimension"],
    },
  },
  get(
    "templates check",
    "ID",
    "List what prevents publishing the draft, and what should be looked at before",
    "getDesignTemplatePublishReadiness",
    `${TEMPLATES}/{id}/draft/publish-readiness`,
  ),
];

/** An edit command of the draft; `FILE` has its body. */
function edit(
  words: string,
  args: string,
  about: string,
  operation: string,
  method: "POST" | "PATCH" | "DELETE",
  path: string,
): Command {
  return {
    words,
    args,
    about,
    route: {
      operation,
      method,
      path: `${TEMPLATES}/{id}/draft/${path}`,
      needsKey: true,
      headers: IF_MATCH,
      ...(method !== "DELETE" && { file: "body" as const }),
    },
  };
}
