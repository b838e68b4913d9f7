import { defineGraph as define } from "../define-graph.ts";
import {
  BRANCHED,
  BY_ZERO,
  DIVIDE,
  DIVIDED,
  type EngineCase,
  JSON_OUT,
  OPTIONAL,
  ROWS,
  TEXT_OUT,
} from "./case-parts.ts";

/** Cases of a run's end: its status, its error and its warnings. */
export const END_CASES: readonly EngineCase[] = [
  {
    name: "[E16] a run with failed work and a present output is a partial success",
    sentence: "`partial_success`: failed work and at least one output `present`.",
    definition: define(
      [
        ["zero", "input/number"],
        ["bad", "utility/calculate", { expression: "1 / z" }],
        JSON_OUT,
        ["good", "output/json"],
      ],
      ["zero.number > bad.z", "bad.result > out.json", "zero.number > good.json"],
    ),
    inputs: { zero: 0 },
    expected: {
      status: "partial_success",
      error: [BY_ZERO, "bad"],
      outputs: { out: ["missing", [[[], "blocked"]]], good: ["present", [[[], "ok", 0]]] },
    },
  },
  {
    name: "[E16] an output present with no items makes failed work a partial success",
    sentence:
      "`partial_success`: failed work and at least one output `present`. Zero items is `present` with none.",
    definition: define(
      [
        ROWS,
        ["zero", "input/number"],
        ["bad", "utility/calculate", { expression: "1 / z" }],
        ["broken", "output/json"],
        JSON_OUT,
      ],
      ["zero.number > bad.z", "bad.result > broken.json", "rows.item > out.json"],
    ),
    inputs: { zero: 0, rows: [] },
    expected: {
      status: "partial_success",
      error: [BY_ZERO, "bad"],
      outputs: { broken: ["missing", [[[], "blocked"]]], out: ["present", []] },
    },
  },
  {
    name: "[E16] failed work beside an absent output is a failed run",
    sentence: "`failed`: failed work and no output `present`.",
    definition: define(
      [
        ["name", "input/text", OPTIONAL],
        ["zero", "input/number"],
        ["bad", "utility/calculate", { expression: "1 / z" }],
        ["broken", "output/json"],
        TEXT_OUT,
      ],
      ["zero.number > bad.z", "bad.result > broken.json", "name.text > out.text"],
    ),
    inputs: { zero: 0 },
    expected: {
      status: "failed",
      error: [BY_ZERO, "bad"],
      outputs: { broken: ["missing", [[[], "blocked"]]], out: ["absent", [[[], "absent"]]] },
    },
  },
  {
    name: "[E16] an output with failed and absent elements and none present is missing",
    sentence:
      "docs/contract/results.md#groups: `present` if any item is; else `missing` if any failed; else `absent`.",
    definition: define(
      [...BRANCHED, DIVIDE, JSON_OUT],
      ["rows.item > gate.value", "gate.true > divide.row", "divide.result > out.json"],
    ),
    inputs: {
      rows: [
        { on: false, n: 1 },
        { on: true, n: 0 },
      ],
    },
    expected: {
      status: "failed",
      error: [BY_ZERO, "divide"],
      outputs: {
        out: [
          "missing",
          [
            [[0], "absent"],
            [[1], "blocked"],
          ],
        ],
      },
    },
  },
  {
    name: "[E6] [E16] the error code is that of the first failed node in topological order",
    sentence: "`error_code` is that of the first failed node in topological order.",
    definition: define(
      [
        ["late", "utility/calculate", { expression: "1 / g" }],
        ["value", "input/json_value"],
        ["good", "utility/calculate", { expression: "v.zero * 1" }],
        ["early", "utility/calculate", { expression: "v.nothing + 1" }],
        ["a", "output/json"],
        ["b", "output/json"],
      ],
      [
        "value.json > good.v",
        "good.result > late.g",
        "value.json > early.v",
        "late.result > a.json",
        "early.result > b.json",
      ],
    ),
    inputs: { value: { zero: 0 } },
    expected: {
      // value, good, late (lowest in nodes[] of what is ready), early
      status: "failed",
      error: [BY_ZERO, "late"],
      outputs: { a: ["missing", [[[], "blocked"]]], b: ["missing", [[[], "blocked"]]] },
    },
  },
  {
    name: "[E16] among the failures of a node the lowest indices decide",
    sentence:
      "`error_code` is that of the first failed node in topological order, then the lowest indices.",
    definition: define([ROWS, DIVIDE, JSON_OUT], [DIVIDED, "divide.result > out.json"]),
    inputs: { rows: [{ n: 1 }, {}, { n: 0 }] },
    expected: {
      status: "partial_success",
      error: ["CALC_MISSING_FIELD", "divide"],
      outputs: {
        out: [
          "present",
          [
            [[0], "ok", 10],
            [[1], "blocked"],
            [[2], "blocked"],
          ],
        ],
      },
      cells: {
        divide: [
          [[0], "ok"],
          [[1], "failed", "CALC_MISSING_FIELD"],
          [[2], "failed", BY_ZERO],
        ],
      },
    },
  },
];
