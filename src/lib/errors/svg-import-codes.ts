/** Why a drawing is not imported into a template; `errors[].code` of such a refusal. */
export const SVG_IMPORT_CODES = [
  "svg_import_invalid",
  "svg_import_script",
  "svg_import_external_reference",
  "svg_import_embedded_image",
  "svg_import_filter",
  "svg_import_text_path",
  "svg_import_foreign_object",
  "svg_import_animation",
  "svg_import_unsupported",
  "svg_import_too_many_objects",
  "svg_import_too_large",
] as const;
export type SvgImportCode = (typeof SVG_IMPORT_CODES)[number];
