import { ExactNumber } from "../../../src/lib/json/exact-json.ts";
import { defineGraph as define } from "../define-graph.ts";
import { type EngineCase, JSON_OUT, ROWS, TEXT_OUT, range } from "./case-parts.ts";

/** Cases of values that arrive at a port. */
export const VALUE_CASES: readonly EngineCase[] = [
  {
    name: "[E9] a value of any is checked when it runs",
    sentence:
      "nodes (4): `any` feeds every port and is checked when it runs (`TYPE_MISMATCH` fails that item).",
    definition: define([ROWS, TEXT_OUT], ["rows.item > out.text"]),
    inputs: { rows: ["a", { b: 1 }, null, ["c"], "d"] },
    expected: {
      status: "partial_success",
      error: ["TYPE_MISMATCH", "out"],
      outputs: {
        out: [
          "present",
          [
            [[0], "ok", "a"],
            [[1], "failed"],
            [[2], "failed"],
            [[3], "failed"],
            [[4], "ok", "d"],
          ],
        ],
      },
      cells: {
        out: [
          [[0], "ok"],
          [[1], "failed", "TYPE_MISMATCH"],
          [[2], "failed", "TYPE_MISMATCH"],
          [[3], "failed", "TYPE_MISMATCH"],
          [[4], "ok"],
        ],
      },
    },
  },
  {
    name: "[E9] any JSON value fits a json port",
    sentence: "nodes (4): `any` feeds every port; `number` and `boolean` feed a `json` port.",
    definition: define([ROWS, JSON_OUT], ["rows.item > out.json"]),
    inputs: { rows: [null, true, 1, "text", [], {}] },
    expected: {
      status: "completed",
      error: null,
      outputs: {
        out: [
          "present",
          [
            [[0], "ok", null],
            [[1], "ok", true],
            [[2], "ok", 1],
            [[3], "ok", "text"],
            [[4], "ok", []],
            [[5], "ok", {}],
          ],
        ],
      },
    },
  },
  {
    name: "[E9] numbers and booleans become canonical text where a text port accepts them",
    sentence:
      "nodes (4): `number` and `boolean` feed a `text` port that `accepts` them (canonical decimal, `true`/`false`).",
    definition: define(
      [ROWS, ["all", "aggregate/text", { separator: " " }], TEXT_OUT],
      ["rows.item > all.text", "all.text > out.text"],
    ),
    inputs: { rows: [7, true, false, new ExactNumber("1e3"), 0.000_000_1, "x"] },
    expected: {
      status: "completed",
      error: null,
      outputs: { out: ["present", [[[], "ok", "7 true false 1000 0.0000001 x"]]] },
    },
  },
  {
    name: "a range counts both ways in exact decimals",
    sentence:
      "details (5) B: `enumerate/range` counts down with a negative step and steps in exact decimals.",
    definition: define(
      [
        ["up", "enumerate/range", { start: 0.1, end: 0.3, step: 0.1 }],
        range("down", 2, 0, -1),
        range("none", 2, 1),
        ["a", "output/text"],
        ["b", "output/text"],
        ["c", "output/text"],
      ],
      ["up.value > a.text", "down.value > b.text", "none.value > c.text"],
    ),
    inputs: {},
    expected: {
      status: "completed",
      error: null,
      outputs: {
        a: [
          "present",
          [
            [[0], "ok", "0.1"],
            [[1], "ok", "0.2"],
            [[2], "ok", "0.3"],
          ],
        ],
        b: [
          "present",
          [
            [[0], "ok", "2"],
            [[1], "ok", "1"],
            [[2], "ok", "0"],
          ],
        ],
        c: ["present", []],
      },
    },
  },
];
