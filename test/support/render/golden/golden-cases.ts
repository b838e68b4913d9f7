import { CONDITION_CASES } from "./condition-cases.ts";
import { CONTAINER_CASES } from "./container-cases.ts";
import { ELEMENT_CASES } from "./element-cases.ts";
import { FIELD_CASES } from "./field-cases.ts";
import type { GoldenCases } from "./golden-case.ts";
import { IMAGE_CASES } from "./image-cases.ts";
import { PAGE_CASES } from "./page-cases.ts";
import { SHAPE_CASES } from "./shape-cases.ts";
import { TEXT_CASES } from "./text-cases.ts";

/** Small documents that show each property of a design document, by area. */
export const GOLDEN_CASES: Readonly<Record<string, GoldenCases>> = {
  conditions: CONDITION_CASES,
  containers: CONTAINER_CASES,
  elements: ELEMENT_CASES,
  fields: FIELD_CASES,
  images: IMAGE_CASES,
  pages: PAGE_CASES,
  shapes: SHAPE_CASES,
  texts: TEXT_CASES,
};
