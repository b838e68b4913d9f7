import { defineGraph as define } from "../define-graph.ts";
import {
  EACH_LIST,
  type EngineCase,
  JSON_OUT,
  ROWS,
  TEXT_OUT,
  gather,
  write,
} from "./case-parts.ts";

/** Cases of the limit of iterations. */
export const LIMIT_CASES: readonly EngineCase[] = [
  {
    name: "[E15] a node with more elements than the limit fails as one, and other branches finish",
    sentence:
      "docs/contract/credits.md#plans-known-in-the-run: none of its items starts and the node fails with `ITERATION_LIMIT_EXCEEDED`, other branches finish.",
    definition: define(
      [
        ["as", "input/json"],
        ["bs", "input/json"],
        ["join", "text/template", write("[a][b]", "a", "b")],
        TEXT_OUT,
        ["good", "output/json"],
      ],
      ["as.item > join.a", "bs.item > join.b", "join.text > out.text", "as.item > good.json"],
    ),
    inputs: { as: ["p", "q"], bs: ["r", "s"] },
    iterationLimit: 3,
    expected: {
      status: "partial_success",
      error: ["ITERATION_LIMIT_EXCEEDED", "join"],
      outputs: {
        out: ["missing", [[[], "blocked"]]],
        good: [
          "present",
          [
            [[0], "ok", "p"],
            [[1], "ok", "q"],
          ],
        ],
      },
      cells: { join: [[[], "failed", "ITERATION_LIMIT_EXCEEDED"]], out: [[[], "blocked"]] },
    },
  },
  {
    name: "[E15] a node with exactly as many elements as the limit runs",
    sentence:
      "docs/contract/credits.md#plans-known-in-the-run: if it exceeds `max_iterations_per_node`.",
    definition: define([ROWS, JSON_OUT], ["rows.item > out.json"]),
    inputs: { rows: [1, 2, 3] },
    iterationLimit: 3,
    expected: {
      status: "completed",
      error: null,
      outputs: {
        out: [
          "present",
          [
            [[0], "ok", 1],
            [[1], "ok", 2],
            [[2], "ok", 3],
          ],
        ],
      },
    },
  },
  {
    name: "[E15] an aggregate counts what it reads, not what it gives",
    sentence:
      "docs/contract/credits.md#plans-known-in-the-run: counts are per node over all its axes and parents.",
    definition: define(
      [
        ["as", "input/json"],
        ["bs", "input/json"],
        ["all", "aggregate/json", gather(["a", "b"])],
        JSON_OUT,
        ["good", "output/json"],
      ],
      ["as.item > all.a", "bs.item > all.b", "all.count > out.json", "as.item > good.json"],
    ),
    inputs: { as: [1, 2], bs: [3, 4] },
    iterationLimit: 3,
    expected: {
      status: "partial_success",
      error: ["ITERATION_LIMIT_EXCEEDED", "all"],
      outputs: {
        out: ["missing", [[[], "blocked"]]],
        good: [
          "present",
          [
            [[0], "ok", 1],
            [[1], "ok", 2],
          ],
        ],
      },
      cells: { all: [[[], "failed", "ITERATION_LIMIT_EXCEEDED"]] },
    },
  },
  {
    name: "[E15] the limit counts a nested enumerator over all its parents",
    sentence:
      "docs/contract/credits.md#plans-known-in-the-run: counts are per node over all its axes and parents.",
    definition: define(
      [
        ROWS,
        EACH_LIST,
        ["all", "aggregate/json", gather(["x"])],
        JSON_OUT,
        ["good", "output/json"],
      ],
      [
        "rows.item > each.json",
        "each.item > all.x",
        "all.count > out.json",
        "rows.item > good.json",
      ],
    ),
    inputs: { rows: [{ list: [1, 2] }, { list: [3, 4] }] },
    iterationLimit: 3,
    expected: {
      status: "partial_success",
      error: ["ITERATION_LIMIT_EXCEEDED", "each"],
      outputs: {
        out: ["missing", [[[], "blocked"]]],
        good: [
          "present",
          [
            [[0], "ok", { list: [1, 2] }],
            [[1], "ok", { list: [3, 4] }],
          ],
        ],
      },
      cells: { each: [[[], "failed", "ITERATION_LIMIT_EXCEEDED"]], all: [[[], "blocked"]] },
    },
  },
];
