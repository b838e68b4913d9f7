import { describe, expect, test } from "vitest";
import type { OutputConfig } from "../../../../src/web/widget/core/config.ts";
import {
  galleryGroups,
  outputEntries,
  type ResultItem,
  type ResultView,
  safeAddress,
} from "../../../../src/web/widget/core/outputs.ts";

const OUTPUTS: readonly OutputConfig[] = [
  { key: "pictures", label: "Pictures", type: "image", cardinality: "multiple" },
  { key: "text", label: "Text", type: "text", cardinality: "single" },
];

const item = (more: Partial<ResultItem>): ResultItem => ({
  type: "text",
  delivery: "inline",
  value: null,
  url: null,
  source: { node_id: "n1" },
  input_indices: [],
  ...more,
});

const view = (groups: ResultView["result"]["by_key"]): ResultView => ({
  status: "completed",
  result: { by_key: groups },
});

const picture = (index: number, more: Partial<ResultItem> = {}) =>
  item({
    type: "image",
    delivery: "asset",
    url: `https://files.example/a/linden-${String(index)}.png`,
    content_type: "image/png",
    size_bytes: 5,
    input_indices: [index],
    ...more,
  });

const RESULT = view({
  text: {
    key: "text",
    cardinality: "single",
    state: "present",
    items: [item({ value: "<b>x</b>" })],
  },
  gone: {
    key: "gone",
    cardinality: "single",
    state: "absent",
    items: [item({ delivery: "absent" })],
  },
  pictures: {
    key: "pictures",
    cardinality: "multiple",
    state: "present",
    items: [
      picture(10),
      picture(2, { delivery: "unavailable", url: null, error: { code: "SECRET" } }),
      picture(1),
    ],
  },
});

describe("the gallery", () => {
  test.each([
    ["CONTENT_REFUSED", "refused"],
    ["PROVIDER_REJECTED", "refused"],
    ["NODE_TIMEOUT", "late"],
    ["NUMBER_INVALID", "input"],
    ["MEDIA_TYPE_UNSUPPORTED", "input"],
    ["IMAGE_TOO_LARGE", "input"],
    ["PROVIDER_UNAVAILABLE", "other"],
    ["SECRET", "other"],
  ])("tells of %s no more than: %s", (code, reason) => {
    const [, , pictures] = Object.values(RESULT.result.by_key);
    const failed = { ...pictures!.items[1]!, error: { code } };
    const view = { ...RESULT, result: { by_key: { pictures: { ...pictures!, items: [failed] } } } };
    expect(galleryGroups(view, OUTPUTS)[0]?.elements[0]?.failedBy).toBe(reason);
  });

  test("has the outputs in their order, elements by index, and a failed one in its place", () => {
    const groups = galleryGroups(RESULT, OUTPUTS);
    expect(groups.map(({ key, label }) => [key, label])).toEqual([
      ["pictures", "Pictures"],
      ["text", "Text"],
    ]);
    expect(groups[0]?.elements.map(({ kind, indices, name }) => [kind, indices, name])).toEqual([
      ["picture", [1], "linden-1.png"],
      ["failed", [2], "pictures-2"],
      ["picture", [10], "linden-10.png"],
    ]);
    expect(JSON.stringify(groups)).not.toContain("SECRET");
  });

  test.each<[Partial<ResultItem>, string]>([
    [{ value: "text" }, "text"],
    [{ value: { a: 1 } }, "json"],
    [{ value: 5 }, "json"],
    [{ delivery: "asset", url: "https://e.com/a.mp4", content_type: "video/mp4" }, "film"],
    [{ delivery: "asset", url: "https://e.com/a.mp3", content_type: "audio/mpeg" }, "sound"],
    [{ delivery: "asset", url: "https://e.com/a.pdf", content_type: "application/pdf" }, "link"],
    [{ delivery: "asset", url: "https://e.com/a.txt", type: "text" }, "link"],
    [{ delivery: "asset", url: "javascript:alert(1)", content_type: "image/png" }, "failed"],
    [{ delivery: "asset", url: "https://e.com/a", content_type: "constructor/x" }, "link"],
  ])("shows %j as %s", (more, kind) => {
    const groups = galleryGroups(
      view({ text: { key: "text", cardinality: "single", state: "present", items: [item(more)] } }),
      OUTPUTS,
    );
    expect(groups[0]?.elements[0]?.kind).toBe(kind);
  });

  test.each([
    "javascript:alert(1)",
    "data:text/html,x",
    "blob:https://e.com/1",
    "//e.com/x",
    "",
    null,
    5,
  ])("follows no address %j", (url) => {
    expect(safeAddress(url)).toBeNull();
  });
});

describe("what the host is told", () => {
  test("are entries with names by index and node, without failed elements", () => {
    const entries = outputEntries(RESULT, OUTPUTS);
    expect(entries.map(({ name, presence }) => [name, presence])).toEqual([
      ["pictures_1_n1", "present"],
      ["pictures_10_n1", "present"],
      ["text", "present"],
      ["gone", "absent"],
    ]);
    expect(entries[0]).toEqual({
      key: "pictures",
      name: "pictures_1_n1",
      logical_name: "pictures",
      type: "image",
      presence: "present",
      url: "https://files.example/a/linden-1.png",
      content_type: "image/png",
      input_indices: [1],
    });
    expect(entries[2]).toMatchObject({ value: "<b>x</b>" });
    expect(entries[3]).not.toHaveProperty("value");
    expect(entries[3]).not.toHaveProperty("url");
  });
});
