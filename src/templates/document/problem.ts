/** Every code of `errors[]` of `content_invalid` (docs/contract/templates.md#documents). */
export const PROBLEM_CODES = [
  "unknown_property",
  "missing_property",
  "invalid_value",
  "out_of_range",
  "limit_exceeded",
  "duplicate_id",
  "duplicate_name",
  "invalid_field_code",
  "field_conflict",
  "unknown_field",
  "list_key_outside_list",
  "unknown_reference",
  "component_cycle",
  "master_not_static",
  "master_size_mismatch",
  "field_type_mismatch",
  "stroke_gradient_not_opaque",
  "invalid_path_data",
  "DESIGN_LINK_INVALID",
  "DESIGN_CONDITION_INVALID",
] as const;
export type ProblemCode = (typeof PROBLEM_CODES)[number];

/** One rule that a document breaks, at one place. */
export interface DocumentProblem {
  /** JSON path of the place: `pages[0].elements[3].fontSize`; of a property that is missing, where it belongs. */
  readonly field: string;
  /** The rule and how to keep it, for people. */
  readonly message: string;
  readonly code: ProblemCode;
}
