/** The columns of an aggregator that describe the same elements, and those that do not. */
import { describe, expect, it } from "vitest";
import { compile } from "../../../../src/engine/compile/compile.ts";
import { findNodeType } from "../../../../src/nodes/registry.ts";
import { defineGraph, type GraphNode } from "../../../simulation/define-graph.ts";

const LINE = ["line", "aggregate/audio_timeline"] as const;
const INNER = ["line", "aggregate/audio_timeline", { collapse: "innermost" }] as const;
const ROWS = ["rows", "input/json"] as const;
const OTHERS = ["others", "input/json"] as const;
const EACH = ["each", "enumerate/json"] as const;
const VALUE = ["value", "input/json_value"] as const;

/** Number and text of both its inputs. */
const BOTH = ["both", "utility/calculate", { expression: "count(a) + count(b)" }] as const;

const columns = (clips: string, id: string, start: string, end: string) => [
  `${clips} > line.clips`,
  `${id} > line.cue_id`,
  `${start} > line.start`,
  `${end} > line.end`,
];

/** Codes and paths of a graph's problems. */
function problems(nodes: readonly GraphNode[], links: readonly string[]) {
  const graph = defineGraph(
    [...nodes, ["audio", "output/audio"]],
    [...links, "line.audio > audio.audio"],
  );
  return compile(graph, findNodeType).issues.map(({ code, path }) => [code, path]);
}

const same = (port: string) => columns(port, port, port, port);
const MISMATCH = "TIMELINE_SCOPE_MISMATCH";

describe("[E35] the columns of a timeline", () => {
  it("vary over one axis, over none, or over axes below one", () => {
    expect(problems([ROWS, LINE], same("rows.item"))).toEqual([]);
    expect(problems([ROWS, EACH, LINE], ["rows.item > each.json", ...same("each.item")])).toEqual(
      [],
    );
    expect(problems([ROWS, EACH, INNER], ["rows.item > each.json", ...same("each.item")])).toEqual(
      [],
    );
    const second = ["second", "enumerate/json"] as const;
    // Two axes below one, which are independent of each other there.
    expect(
      problems(
        [ROWS, EACH, second, BOTH, ["clip", "utility/merge"], LINE],
        [
          "rows.item > each.json",
          "rows.item > second.json",
          "each.item > both.a",
          "second.item > both.b",
          ...columns("both.result", "both.result", "both.result", "both.result").slice(1),
          "both.result > clip.inputs",
          "clip.value > line.clips",
        ],
      ).filter(([code]) => code === MISMATCH),
    ).toEqual([]);
  });

  it("do not vary over different axes, whichever of them does", () => {
    const others = [
      columns("rows.item", "others.item", "rows.item", "rows.item"),
      columns("rows.item", "rows.item", "others.item", "rows.item"),
      columns("rows.item", "rows.item", "rows.item", "others.item"),
    ];
    for (const [at, links] of others.entries()) {
      expect(problems([ROWS, OTHERS, LINE], links)).toEqual([[MISMATCH, `connections[${at + 1}]`]]);
    }
    const speaker = [...same("rows.item"), "others.item > line.speaker"];
    expect(problems([ROWS, OTHERS, LINE], speaker)).toEqual([[MISMATCH, "connections[4]"]]);
    // More axes, or fewer, are other axes.
    expect(
      problems(
        [ROWS, EACH, LINE],
        ["rows.item > each.json", ...columns("rows.item", "each.item", "rows.item", "rows.item")],
      ),
    ).toEqual([[MISMATCH, "connections[2]"]]);
    expect(
      problems(
        [ROWS, EACH, LINE],
        ["rows.item > each.json", ...columns("each.item", "rows.item", "each.item", "each.item")],
      ),
    ).toEqual([[MISMATCH, "connections[2]"]]);
    expect(
      problems(
        [ROWS, ["id", "input/text"], LINE],
        columns("rows.item", "id.text", "rows.item", "rows.item"),
      ),
    ).toEqual([[MISMATCH, "connections[1]"]]);
  });

  it("do not vary over the axes of two enumerators that are independent of each other", () => {
    expect(
      problems(
        [ROWS, OTHERS, ["pair", "utility/json_path", { path: "$" }], BOTH, LINE],
        [
          "rows.item > both.a",
          "others.item > both.b",
          "both.result > pair.json",
          ...same("pair.value"),
        ],
      ).filter(([code]) => code === MISMATCH),
    ).toEqual([[MISMATCH, "connections[3]"]]);
  });

  it("do not vary with the duration", () => {
    const links = [...same("rows.item"), "others.item > line.timeline_duration"];
    expect(problems([ROWS, OTHERS, LINE], links)).toEqual([[MISMATCH, "connections[4]"]]);
    // With groups, it may differ from one to the other.
    const inner = [
      "rows.item > each.json",
      ...same("each.item"),
      "rows.item > line.timeline_duration",
    ];
    expect(problems([ROWS, EACH, INNER], inner)).toEqual([]);
    expect(problems([ROWS, EACH, LINE], inner)).toEqual([[MISMATCH, "connections[5]"]]);
    expect(
      problems([ROWS, VALUE, LINE], [...same("rows.item"), "value.json > line.timeline_duration"]),
    ).toEqual([["CONNECTION_TYPE_MISMATCH", "connections[4]"]]);
  });
});
