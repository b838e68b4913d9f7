import type { Limits } from "./limit.ts";

/** Design templates: a part of the table of limits. */
export const TEMPLATE_LIMITS = {
  template_pages: {
    name: "Pages of a design document",
    value: 100,
    unit: "count",
    reason: "Every page is laid out in each render.",
  },
  template_masters: {
    name: "Master pages of a design document",
    value: 32,
    unit: "count",
    reason: "Brochures and reports need a handful.",
  },
  template_page_elements: {
    name: "Elements of a page, a master page",
    value: 1_000,
    unit: "count",
    reason: "Drawings of more objects are one artwork.",
  },
  template_elements: {
    name: "Elements of a design document",
    value: 10_000,
    unit: "count",
    reason: "A document is validated whole at each edit, within the time of a request.",
  },
  template_groups: {
    name: "Nesting of groups in a design document",
    value: 16,
    unit: "count",
    reason: "Code that walks elements calls itself at each level, and the stack is limited.",
  },
  template_layouts: {
    name: "Nesting of layout regions in a design document",
    value: 8,
    unit: "count",
    reason: "The time of a layout grows with the regions that it measures inside of each other.",
  },
  template_repeats: {
    name: "Nesting of repeated lists in a design document",
    value: 2,
    unit: "count",
    reason: "Rows multiply at each level: two of 100 items each make 10,000.",
  },
  svg_import: {
    name: "SVG drawing that is imported into a template",
    value: 10_000_000,
    unit: "bytes",
    reason: "It is parsed whole in memory, and becomes part of the document.",
  },
  svg_import_elements: {
    name: "Elements of an imported SVG drawing",
    value: 50_000,
    unit: "count",
    reason: "Each of them is held in memory while the drawing is converted.",
  },
  svg_import_depth: {
    name: "Nesting of an imported SVG drawing",
    value: 100,
    unit: "count",
    reason: "Code that walks elements calls itself at each level, and the stack is limited.",
  },
  svg_editable_objects: {
    name: "Objects of a drawing that is imported as editable elements",
    value: 500,
    unit: "count",
    reason: "They count among the elements of their page.",
  },
  svg_preserved_objects: {
    name: "Objects of a drawing that is imported as one artwork",
    value: 2_000,
    unit: "count",
    reason: "All of them are drawn in each render.",
  },
  template_components: {
    name: "Components of a design document",
    value: 200,
    unit: "count",
    reason: "Every component is validated at each edit.",
  },
  template_component_elements: {
    name: "Elements of a component",
    value: 500,
    unit: "count",
    reason: "An instance counts all of them among the elements of its page.",
  },
  template_paragraphs: {
    name: "Paragraphs of a rich text",
    value: 1_000,
    unit: "count",
    reason: "Longer texts are divided among elements.",
  },
  template_runs: {
    name: "Runs of a rich text",
    value: 10_000,
    unit: "count",
    reason: "Every run is shaped on its own.",
  },
  template_text: {
    name: "Text of an element of a design document",
    value: 10_000,
    unit: "characters",
    reason: "Longer texts are divided among elements.",
  },
  template_path_data: {
    name: "Path data of an element or a mask",
    value: 100_000,
    unit: "characters",
    reason: "Larger drawings are one artwork.",
  },
} as const satisfies Limits;
