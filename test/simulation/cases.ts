/**
 * Hand-made acceptance cases: one or more for every sentence of docs/contract/iteration.md#cells, with results worked
 * out by hand from the text. Data only, so that both the reference and the engine run them.
 */
import { ABSENT_ITEM_CASES } from "./cases/absent-items.ts";
import { AXIS_CASES } from "./cases/axes.ts";
import { COLLAPSE_CASES } from "./cases/collapse.ts";
import { END_CASES } from "./cases/ends.ts";
import { ENUMERATOR_CASES } from "./cases/enumerators.ts";
import { FAILED_ITEM_CASES } from "./cases/failed-items.ts";
import { INPUT_CASES } from "./cases/inputs.ts";
import { LIMIT_CASES } from "./cases/limits.ts";
import { MERGE_CASES } from "./cases/merges.ts";
import { VALUE_CASES } from "./cases/values.ts";
import type { EngineCase } from "./cases/case-parts.ts";

export type { EngineCase } from "./cases/case-parts.ts";

export const ENGINE_CASES: readonly EngineCase[] = [
  ...AXIS_CASES,
  ...COLLAPSE_CASES,
  ...INPUT_CASES,
  ...ENUMERATOR_CASES,
  ...ABSENT_ITEM_CASES,
  ...FAILED_ITEM_CASES,
  ...MERGE_CASES,
  ...END_CASES,
  ...VALUE_CASES,
  ...LIMIT_CASES,
];
