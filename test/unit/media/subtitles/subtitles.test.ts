import { describe, expect, test } from "vitest";
import type { JsonValue } from "../../../../src/lib/json/exact-json.ts";
import {
  decodeSubtitles,
  parseSubtitleJson,
  parseSubtitleText,
} from "../../../../src/media/subtitles/parse-subtitles.ts";
import { consecutiveSamples, placeCues } from "../../../../src/media/subtitles/place-cues.ts";
import type { SubtitleCue } from "../../../../src/media/subtitles/subtitle-cue.ts";
import { writeSidecar } from "../../../../src/media/subtitles/write-sidecar.ts";

const cue = (startMs: number, endMs: number, text: string): SubtitleCue => ({
  startMs,
  endMs,
  text,
});

describe("SRT", () => {
  test("is read with and without numbers, with comma or point, one digit of hours, and any line end", () => {
    const text =
      "\ufeff1\r\n00:00:01,000 --> 00:00:02,500\r\nHello\r\n<i>world</i>\r\n\r\n0:00:03.5 --> 0:00:04.25 X1:10 Y1:5\r{\\an8}Again\r\r";
    expect(parseSubtitleText(text)).toEqual([
      cue(1000, 2500, "Hello\nworld"),
      cue(3500, 4250, "Again"),
    ]);
  });

  test("without blank lines keeps the numbers of cues out of their texts", () => {
    const text = "1\n00:00:01,000 --> 00:00:02,000\nOne\n2\n00:00:02,000 --> 00:00:03,000\nTwo 2\n";
    expect(parseSubtitleText(text).map((one) => one.text)).toEqual(["One", "Two 2"]);
  });

  test("loses its tags, and of tags within tags the inner ones", () => {
    const textOf = (line: string) =>
      parseSubtitleText(`1\n00:00:01,000 --> 00:00:02,000\n${line}\n`)[0]?.text;
    expect(textOf("<b><i>x</i></b>{\\an8}{\\b1}y")).toBe("xy");
    expect(textOf("a<b<i>>c")).toBe("a<b>c");
    expect(textOf("{\\a{\\b}}c")).toBe("{\\a}c");
    // As many as fit a cue.
    const deep = 1_300;
    expect(textOf(`${"<b".repeat(deep)}x${">".repeat(deep)}`)).toContain("<b");
  });

  test("has arrows in its texts, also where it was written here", () => {
    const given = [cue(1000, 2000, "A --> B\nC --> D"), cue(3000, 4000, "--> 7")];
    expect(parseSubtitleText(writeSidecar(given, "srt"))).toEqual(given);
    const text = "1\n00:00:01,000 --> 00:00:02,000\na\n\nsoon --> 00:00:03,000\nb";
    expect(() => parseSubtitleText(text)).toThrow("cue 2, line 5");
  });

  test("with 100,000 cues without blank lines is refused at the first one too many", () => {
    const text = "00:00:01,000 --> 00:00:02,000\na\n".repeat(100_000);
    expect(() => parseSubtitleText(text)).toThrow("more than 10000 cues");
  });

  test.each([
    ["minutes of 99", "1\n99:99:99,000 --> 99:99:99,999\na", "cue 1, line 2", "is not a time"],
    ["no end", "1\n00:00:01,000 -->\na", "cue 1, line 2", "is not a time"],
    ["an end at the start", "00:00:01,000 --> 00:00:01,000\na", "cue 1, line 1", "not after"],
    [
      "a malformed second cue",
      "1\n00:00:01,000 --> 00:00:02,000\na\n\n2\n00:00:0x,000 --> 00:00:02,000\nb",
      "cue 2, line 6",
      "is not a time",
    ],
    ["prose", "Dear reader\n", "cue 1, line 1", "Neither"],
    ["nothing", "\n\n", "cue 1, line 1", "no cue"],
    [
      "a text above 4,000 bytes",
      `00:00:01,000 --> 00:00:02,000\n${"ä".repeat(2001)}`,
      "cue 1, line 1",
      "4002 bytes",
    ],
  ])("with %s is refused with the place", (_what, text, place, problem) => {
    expect(() => parseSubtitleText(text)).toThrow(place);
    expect(() => parseSubtitleText(text)).toThrow(problem);
    expect(() => parseSubtitleText(text)).toThrow(
      expect.objectContaining({ code: "SUBTITLES_INVALID", retryable: false }),
    );
  });
});

describe("WebVTT", () => {
  test("is read without its notes, styles, regions, ids and settings, and with its entities", () => {
    const text = [
      "WEBVTT - a title",
      "Kind: captions",
      "",
      "NOTE",
      "nobody sees this",
      "",
      "STYLE",
      "::cue { color: red }",
      "",
      "REGION",
      "id:fred",
      "",
      "intro",
      "00:01.000 --> 00:02.000 line:0 align:start",
      "<v Anna>Fish &amp; <b>chips</b> &lt;3 &#x1F41F;",
      "second line",
      "",
      "01:00:00.000 --> 01:00:01.000",
      "late",
    ];
    expect(parseSubtitleText(text.join("\n"))).toEqual([
      cue(1000, 2000, "Fish & chips <3 🐟\nsecond line"),
      cue(3_600_000, 3_601_000, "late"),
    ]);
  });

  test("may have a cue directly after its header", () => {
    const text = "WEBVTT\nKind: captions\n00:01.000 --> 00:02.000\na\n\n00:02.000 --> 00:03.000\nb";
    expect(parseSubtitleText(text)).toEqual([cue(1000, 2000, "a"), cue(2000, 3000, "b")]);
  });

  test("with nothing but its header has no cue", () => {
    expect(parseSubtitleText("WEBVTT\n")).toEqual([]);
  });

  test.each([
    ["a time of SRT", "WEBVTT\n\n00:00:01,000 --> 00:00:02,000\na", "cue 1, line 3"],
    ["a text without times", "WEBVTT\n\nintro\nHello", "cue 1, line 3"],
    ["hours of one digit", "WEBVTT\n\n1:00:01.000 --> 1:00:02.000\na", "cue 1, line 3"],
  ])("with %s is refused with the place", (_what, text, place) => {
    expect(() => parseSubtitleText(text)).toThrow(place);
  });
});

describe("JSON", () => {
  test("has seconds or texts as times, and other members mean nothing", () => {
    const given = [
      { start: 1, end: 2.5004, text: "a", speaker: "x" },
      { start: "00:00:03.250", end: "4", text: "<i>b</i>\r\nc" },
    ];
    expect(parseSubtitleJson(given)).toEqual([cue(1000, 2500, "a"), cue(3250, 4000, "b\nc")]);
    expect(parseSubtitleJson([])).toEqual([]);
  });

  test.each<[string, JsonValue, string]>([
    ["an object", {}, "must be a list"],
    ["a cue that is not an object", ["a"], "cue 1"],
    ["a negative time", [{ start: -1, end: 1, text: "a" }], "Its start is not a time"],
    ["a time of another form", [{ start: 0, end: "1:00", text: "a" }], "Its end is not a time"],
    ["no text", [{ start: 0, end: 1 }], "cue 1"],
    [
      "a second cue that ends before it starts",
      [
        { start: 0, end: 1, text: "a" },
        { start: 2, end: 1, text: "b" },
      ],
      "cue 2",
    ],
  ])("with %s is refused", (_what, given, message) => {
    expect(() => parseSubtitleJson(given)).toThrow(message);
  });
});

test("bytes that are not UTF-8, and more than 4 MiB, are refused before they are parsed", () => {
  expect(() => decodeSubtitles(new Uint8Array([0xff, 0xfe, 0x00]))).toThrow("UTF-8");
  expect(() => decodeSubtitles(new Uint8Array(4 * 1024 * 1024 + 1))).toThrow("4194305 bytes");
  expect(() => parseSubtitleText("ä".repeat(2 * 1024 * 1024 + 1))).toThrow("4194306 bytes");
});

describe("on a video", () => {
  test("are sorted by their start, whatever their end, and equal ones stay in the order of the document", () => {
    const given = [
      cue(2000, 3000, "third"),
      cue(1000, 9000, "first, the longest"),
      cue(1000, 1500, "second"),
      cue(4000, 4500, "last"),
      cue(2000, 2500, "fourth"),
    ];
    const placed = placeCues(given, { offsetMs: 0, durationMs: 60_000 });
    expect(placed.map(({ text }) => text)).toEqual([
      "first, the longest",
      "second",
      "third",
      "fourth",
      "last",
    ]);
  });

  test("cues are sorted, moved, cut at both ends, and dropped outside or without text", () => {
    const given = [
      cue(9000, 12_000, "end"),
      cue(0, 1500, "begin"),
      cue(500, 900, "before"),
      cue(5000, 6000, " \n "),
      cue(11_000, 12_000, "after"),
    ];
    expect(placeCues(given, { offsetMs: -1000, durationMs: 10_000 })).toEqual([
      cue(0, 500, "begin"),
      cue(8000, 10_000, "end"),
    ]);
  });

  test("overlapping cues become consecutive samples with all lines then due, the earlier cue first", () => {
    const samples = [
      ...consecutiveSamples([cue(1000, 4000, "a"), cue(2000, 3000, "b\nc"), cue(4000, 5000, "d")]),
    ];
    expect(samples).toEqual([
      cue(0, 1000, ""),
      cue(1000, 2000, "a"),
      cue(2000, 3000, "a\nb\nc"),
      cue(3000, 4000, "a"),
      cue(4000, 5000, "d"),
    ]);
  });

  test("thousands of cues at the same time are refused and not multiplied", () => {
    const many = Array.from({ length: 10_000 }, (_one, i) => cue(i, 20_000 - i, "x".repeat(400)));
    expect(() => [...consecutiveSamples(many)]).toThrow("at once");
  });
});

describe("a sidecar", () => {
  const cues = [cue(0, 1500, "a & <b>\n\nc"), cue(3_661_001, 3_662_000, "d")];

  test("of SRT is numbered, with a blank line between cues and a line end at the end", () => {
    expect(writeSidecar(cues, "srt")).toBe(
      "1\n00:00:00,000 --> 00:00:01,500\na & <b>\nc\n\n2\n01:01:01,001 --> 01:01:02,000\nd\n",
    );
    expect(writeSidecar([], "srt")).toBe("");
  });

  test("of WebVTT escapes what its parser would read, and is read back alike", () => {
    const text = writeSidecar(cues, "vtt");
    expect(text).toBe(
      "WEBVTT\n\n00:00:00.000 --> 00:00:01.500\na &amp; &lt;b&gt;\nc\n\n01:01:01.001 --> 01:01:02.000\nd\n",
    );
    expect(parseSubtitleText(text)).toEqual([cue(0, 1500, "a & <b>\nc"), cues[1]]);
    expect(writeSidecar([], "vtt")).toBe("WEBVTT\n");
  });
});
