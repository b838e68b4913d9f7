/** The part of `ERROR_GUIDES` about design templates. */
export const TEMPLATE_ERROR_GUIDES = {
  invalid_revision: {
    cause: "The revision of a design template is not a whole number of at least 1.",
    remedy: "Send a revision that `GET /api/v1/design-templates/{id}/versions` lists.",
  },
  invalid_sample_set_id: {
    cause: "The id of a sample set is not a GUID.",
    remedy: "Send an id that `GET /api/v1/design-templates/{id}/draft/sample-sets` lists.",
  },
  invalid_argument: {
    cause:
      "An option of a render is unknown or out of range, a value does not fit the field that it is for, or a color is not in the palette of a drawing.",
    remedy:
      "`errors` names each of them. The contract of the revision lists the fields with their types.",
  },
  design_page_selection_invalid: {
    cause:
      "The page selection is malformed, names a page that the output does not have, or names more than one page for an image.",
    remedy:
      "Send `all`, or page numbers and ranges such as `1,3-5`; for an image exactly one page.",
  },
  page_not_found: {
    cause: "The draft has no page with this id.",
    remedy: "Read the draft's content, and use the id of one of its pages.",
  },
  master_not_found: {
    cause: "The draft has no master page with this id.",
    remedy: "Read the draft's content, and use the id of one of its master pages.",
  },
  sample_set_not_found: {
    cause: "The draft has no sample set with this id.",
    remedy: "Use an id that `GET /api/v1/design-templates/{id}/draft/sample-sets` lists.",
  },
  archived: {
    cause: "The design template is archived and cannot be changed.",
    remedy:
      "Duplicate it with `POST /api/v1/design-templates/{id}/duplicate`, and change the copy.",
  },
  share_link_closed: {
    cause:
      "The share link is revoked, expired or used up, or the template that it shares is archived.",
    remedy: "Ask the owner of the template for a new link.",
  },
  render_too_large: {
    cause: "The output would have too many pages or elements, or its pictures are too large.",
    remedy: "Send fewer list items, or smaller pictures. `detail` names the limit.",
  },
  content_invalid: {
    cause: "The design document, as the change would leave it, breaks a rule of its format.",
    remedy:
      "`errors` names every problem with its path and a code. Nothing was changed; send the corrected document or edit.",
  },
  svg_import_invalid: {
    cause:
      "The drawing is not well-formed SVG, declares entities, refers to itself, or has malformed path data.",
    remedy:
      "`errors` names the elements. Save the drawing again from the program that created it, as plain SVG.",
  },
  svg_import_script: {
    cause: "The drawing has a script, an event handler, or a reference that runs one.",
    remedy: "Remove the elements and attributes that `errors` names.",
  },
  svg_import_external_reference: {
    cause: "The drawing refers to another file: a picture, a style sheet, a font, or a part of it.",
    remedy: "Copy what it needs into the drawing. `errors` names the elements.",
  },
  svg_import_embedded_image: {
    cause: "The drawing contains a picture of pixels.",
    remedy: "Trace the picture to paths, or place it in the template as an image element.",
  },
  svg_import_filter: {
    cause: "The drawing uses a filter, such as a blur or a shadow, which has no vectors.",
    remedy: "Remove the filters from the elements that `errors` names.",
  },
  svg_import_text_path: {
    cause: "The drawing has text on a path.",
    remedy: "Convert the text to outlines in the program that created the drawing.",
  },
  svg_import_foreign_object: {
    cause: "The drawing has content that is not SVG, such as HTML.",
    remedy: "Remove the elements that `errors` names, or draw them as SVG.",
  },
  svg_import_animation: {
    cause: "The drawing is animated.",
    remedy: "Save one state of the drawing without its animation.",
  },
  svg_import_unsupported: {
    cause:
      "The drawing has a part that cannot be imported in this mode. Elements of a template have no masks, patterns and clip paths of their own.",
    remedy: "Import the drawing with `mode` `preserved`, or remove what `errors` names.",
  },
  svg_import_too_many_objects: {
    cause: "The drawing draws more objects than the mode allows, each use of one counted.",
    remedy:
      "Import it with `mode` `preserved`, which allows more, or merge and simplify its paths.",
  },
  svg_import_too_large: {
    cause: "The drawing has more than 10 MB.",
    remedy: "Simplify its paths, and remove what the program that created it has added.",
  },
  publish_not_ready: {
    cause: "The draft of the design template fails a check that blocks its publication.",
    remedy: "`checks` names each problem and what to do. Change the draft, then publish again.",
  },
  preview_failed: {
    cause: "The preview of the sample set could not be rendered.",
    remedy: "`detail` names the reason. Change the draft or the sample set, then try again.",
  },
  render_failed: {
    cause:
      "The template could not be rendered with these values: a required value is missing, a text or list does not fit, or an image failed.",
    remedy: "`errors` names each field. Correct the values, or use a more lenient policy.",
  },
  design_render_busy: {
    cause: "Too many renders of the workspace are waiting.",
    remedy: "Try again after the seconds in `Retry-After`.",
  },
} as const;
