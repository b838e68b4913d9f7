import { describe, expect, it } from "vitest";
import { checkDefinition } from "../../../src/domain/workflows/definition/check-definition.ts";
import type { JsonValue } from "../../../src/lib/json/exact-json.ts";
import { audioSplit } from "../../../src/nodes/audio/split.ts";
import { segmentsOf } from "../../../src/nodes/define-segments.ts";
import { NODES_BY_TYPE } from "../../../src/nodes/registry.ts";

const NODES = ["audio/split", "video/split"] as const;

/** Problems of a node that cuts, with the first output of a segment connected. */
function problems(type: string, parameters: object): readonly string[] {
  const kind = type.split("/")[0] as string;
  const definition = {
    nodes: [
      { id: "in", type: `input/${kind}` },
      { id: "cut", type, parameters },
      { id: "out", type: `output/${kind}` },
    ],
    connections: [
      { from: { node: "in", port: kind }, to: { node: "cut", port: kind } },
      { from: { node: "cut", port: "segment_0" }, to: { node: "out", port: kind } },
    ],
  };
  return (
    checkDefinition(definition as unknown as JsonValue)
      // Without valid segments there are no ports, so that the output has no connection either.
      .errors.filter(({ code }) => code !== "PORT_NOT_CONNECTED")
      .map(({ code, path }) => `${code} ${path.replace("nodes[1].parameters.", "")}`)
  );
}

const one = { start: "0", end: "1" };

describe.each(NODES)("segments of %s", (type) => {
  it.each([
    ["no array", "1", "segments"],
    ["empty", [], "segments"],
    ["more than 20", Array.from({ length: 21 }, () => one), "segments"],
    ["with an item that is not an object", [one, "0-1"], "segments[1]"],
    ["with another member", [{ ...one, name: "intro" }], "segments[0].name"],
    ["without an end", [one, { start: "1" }], "segments[1].end"],
    ["with a number", [{ start: 0, end: "1" }], "segments[0].start"],
    ["with a malformed time", [{ start: "1:30", end: "99" }], "segments[0].start"],
    ["with a sign", [{ start: "-1", end: "1" }], "segments[0].start"],
    ["with an exponent", [{ start: "0", end: "1e1" }], "segments[0].end"],
    ["with spaces", [{ start: " 0", end: "1" }], "segments[0].start"],
    ["with 10 decimals", [{ start: "0.1234567891", end: "1" }], "segments[0].start"],
    ["with 60 seconds", [{ start: "00:00:60", end: "99" }], "segments[0].start"],
    ["with an end at the start", [{ start: "1.5", end: "00:00:01.500" }], "segments[0].end"],
    ["with an end before the start", [one, { start: "2", end: "1" }], "segments[1].end"],
  ])("that are %s are refused where the problem is", (_name, segments, path) => {
    expect(problems(type, { segments })).toEqual([`invalid_dynamic_config ${path}`]);
  });

  it("are required", () => {
    expect(problems(type, {})).toEqual(["invalid_dynamic_config segments"]);
  });

  it("may overlap, stand in any order, and have hours of more than two digits", () => {
    const segments = [
      { start: "00:00:10.5", end: "100:00:00" },
      { start: "0.123456789", end: "11" },
    ];
    expect(problems(type, { segments })).toEqual([]);
    expect(segmentsOf(segments)).toEqual([
      { start: 10.5, end: 360_000 },
      { start: 0.123_456_789, end: 11 },
    ]);
    const ports = NODES_BY_TYPE.get(type)?.dynamicPorts?.resolve({ segments }, new Map() as never);
    expect(ports?.outputs?.map(({ name, type: kind }) => [name, kind])).toEqual([
      ["segment_0", type.split("/")[0]],
      ["segment_1", type.split("/")[0]],
    ]);
  });

  it("have one positional descriptor", () => {
    expect(NODES_BY_TYPE.get(type)?.dynamicPorts?.descriptors).toEqual([
      {
        derivation: "positional",
        direction: "output",
        parameter: "segments",
        name_pattern: "segment_{index}",
        index_base: 0,
        port_type: type.split("/")[0],
        min_count: 1,
        max_count: 20,
        mode: "array_length",
      },
    ]);
  });
});

describe("audio/split", () => {
  it.each([
    [{ bitrate_kbps: 128 }, ["INVALID_PARAMETER bitrate_kbps"]],
    [{ format: "wav", bitrate_kbps: 128 }, ["INVALID_PARAMETER bitrate_kbps"]],
    [{ format: "flac", bit_depth: 32 }, ["INVALID_PARAMETER bit_depth"]],
    [{ sample_rate: 48_000 }, ["INVALID_PARAMETER sample_rate"]],
    [{ format: "mp3", bitrate_kbps: 128 }, []],
  ])("with %j has the problems %j", (form, found) => {
    expect(problems("audio/split", { segments: [one], ...form })).toEqual(found);
  });

  it("costs nothing", () => {
    expect(audioSplit).not.toHaveProperty("cost");
  });
});
