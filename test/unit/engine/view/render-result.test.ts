import { describe, expect, it } from "vitest";
import { renderResult } from "../../../../src/engine/view/render-result.ts";
import { FileRef } from "../../../../src/lib/files/file-ref.ts";
import { type ArrayGroup, arrayView, join, stored, text } from "./array-view.ts";

interface Item {
  key: string;
  delivery: string;
  value: unknown;
  url: string | null;
  parse: { status: string; format: string | null; strategy: string };
  raw_value: string | null;
  thumbnail_url?: string | null;
  source: { name: string; logical_name: string; node_id: string };
  input_indices: number[];
}
interface ResultBody {
  status: string;
  is_terminal: boolean;
  next_poll_after_ms: number | null;
  credits_used?: number;
  result: {
    by_key: Record<
      string,
      { state: string; cardinality: string; value?: unknown; url?: unknown; items: Item[] }
    >;
    items: Item[];
  };
  diagnostics: {
    message: string;
    lookup_rule: string;
    expected_output_keys: string[];
    available_output_keys: string[];
    warnings: unknown[];
  };
}

async function result(...args: Parameters<typeof arrayView>): Promise<ResultBody> {
  return JSON.parse(await join(renderResult(arrayView(...args)))) as ResultBody;
}

async function onlyItem(group: Omit<ArrayGroup, "key">, more = {}): Promise<Item> {
  const body = await result([{ key: "k", ...group }], more);
  return body.result.by_key["k"]!.items[0]!;
}

describe("values of text and JSON outputs", () => {
  it("returns prose as a string without parsing it", async () => {
    const item = await onlyItem({ cells: [text("hello {world}")] });
    expect(item).toMatchObject({
      delivery: "inline",
      value: "hello {world}",
      raw_value: "hello {world}",
      url: null,
      parse: { status: "not_attempted", format: "text" },
    });
  });

  it("parses a text body that begins with a bracket, and only then", async () => {
    expect(await onlyItem({ cells: [text('{"a":[1]}')] })).toMatchObject({
      value: { a: [1] },
      raw_value: '{"a":[1]}',
      parse: { status: "parsed", format: "json" },
    });
    expect(await onlyItem({ cells: [text("[1,2]")] })).toMatchObject({ value: [1, 2] });
    expect(await onlyItem({ cells: [text("17")] })).toMatchObject({ value: "17" });
    expect(await onlyItem({ cells: [text(' {"a":1}')] })).toMatchObject({ value: ' {"a":1}' });
  });

  it("keeps a text that only looks like JSON and reports that parsing failed", async () => {
    expect(await onlyItem({ cells: [text("{not json}")] })).toMatchObject({
      value: "{not json}",
      delivery: "inline",
      parse: { status: "failed", format: "text" },
    });
  });

  it("always parses an output/json, scalars included", async () => {
    const group = { type: "json", cells: [text('"a string"')] } as const;
    expect(await onlyItem(group)).toMatchObject({
      value: "a string",
      raw_value: '"a string"',
      parse: { status: "parsed", format: "json" },
    });
    expect(await onlyItem({ type: "json", cells: [text("null")] })).toMatchObject({
      value: null,
      parse: { status: "parsed" },
    });
  });

  it("keeps every digit of a number in the result", async () => {
    const token = "12345678901234567890.12300";
    const view = arrayView([{ key: "k", type: "json", cells: [text(`{"n":${token}}`)] }]);
    const body = await join(renderResult(view));
    // Group shortcut, item under by_key, item in the list: the raw token occurs three times.
    expect(body.split(`"value":{"n":${token}}`)).toHaveLength(4);
  });

  it("has prototype keys and unusual output keys as plain data", async () => {
    const body = await result([
      { key: "__proto__", type: "json", cells: [text('{"__proto__":{"x":1}}')] },
      { key: 'a"b\n', cells: [text("t")] },
    ]);
    expect(Object.keys(body.result.by_key)).toEqual(["__proto__", 'a"b\n']);
    expect(JSON.stringify(body.result.items[0]!.value)).toBe('{"__proto__":{"x":1}}');
    expect(({} as Record<string, unknown>)["x"]).toBeUndefined();
  });
});

describe("delivery by size", () => {
  const KIB = 1024;

  it("reads a stored body of up to 1 MiB back into value", async () => {
    const texts = new Map([["body.txt", "x".repeat(70 * KIB)]]);
    const item = await onlyItem({ cells: [{ body: stored(70 * KIB) }] }, { texts });
    expect(item).toMatchObject({ delivery: "resolved_text", url: null });
    expect(item.value).toHaveLength(70 * KIB);
  });

  it("returns the address of a body above 1 MiB without reading it", async () => {
    const reads: string[] = [];
    const item = await onlyItem(
      { type: "json", cells: [{ body: stored(1024 * KIB + 1) }] },
      { onRead: (name: string) => reads.push(name) },
    );
    expect(item).toMatchObject({
      delivery: "asset",
      value: null,
      raw_value: null,
      url: "https://files.test/k/body.txt",
      parse: { status: "too_large", format: "json" },
    });
    expect(reads).toEqual([]);
  });

  it("has at most 4 MiB of values, in key order, and the rest as addresses", async () => {
    const mib = (name: string) => ({ body: stored(1024 * KIB, name) });
    const names = ["a", "b", "c", "d", "e"];
    const texts = new Map(names.map((name) => [name, name.repeat(1024 * KIB)]));
    const body = await result(
      [
        { key: "first", cardinality: "multiple", cells: ["a", "b", "c"].map(mib) },
        { key: "second", cardinality: "multiple", cells: ["d", "e"].map(mib) },
        { key: "third", cells: [text("inline text")] },
      ],
      { texts },
    );
    const deliveries = body.result.items.map((item) => item.delivery);
    expect(deliveries).toEqual([
      "resolved_text",
      "resolved_text",
      "resolved_text",
      "resolved_text",
      "asset",
      "asset",
    ]);
    expect(body.result.items[4]!.url).toBe("https://files.test/k/e");
    expect(body.result.items[5]!.url).toBe("https://files.test/cell/2/0");
    expect(body.result.items[5]!.parse.status).toBe("too_large");
    const grouped = Object.values(body.result.by_key).flatMap((group) => group.items);
    expect(grouped).toEqual(body.result.items);
  });

  it("uses the address if a stored body is missing", async () => {
    expect(await onlyItem({ cells: [{ body: stored(70 * KIB) }] })).toMatchObject({
      delivery: "asset",
      value: null,
      url: "https://files.test/k/body.txt",
    });
  });

  const fileOf = (contentType: string) =>
    new FileRef({ key: "k/a.bin", name: "a.bin", contentType, sizeBytes: 9 });
  const fileItem = async (type: "image" | "video", contentType: string) => {
    const cells = [{ body: { kind: "file", file: fileOf(contentType) } }] as const;
    return (await result([{ key: "k", type, cells }])).result.by_key["k"]!;
  };

  it("returns files by address", async () => {
    const { value, url, items } = await fileItem("image", "image/png");
    expect({ value, url }).toEqual({ value: null, url: "https://files.test/k/a.bin" });
    expect(items[0]).toMatchObject({ delivery: "asset", parse: { status: "not_attempted" } });
  });

  it.each(["png", "jpeg", "webp", "gif", "avif", "svg+xml"])(
    "returns the address of the thumbnail of an image/%s",
    async (subtype) => {
      const { items } = await fileItem("image", `image/${subtype}`);
      expect(items[0]!.url).toBe("https://files.test/k/a.bin");
      expect(items[0]!.thumbnail_url).toBe("https://files.test/k/a.bin?size=thumbnail");
    },
  );

  it("returns no thumbnail of an image that browsers cannot show, or that is missing", async () => {
    expect((await fileItem("image", "image/tiff")).items[0]!.thumbnail_url).toBeNull();
    const cells = [{ state: "failed", body: null }] as const;
    const failed = await result([{ key: "k", type: "image", cells }]);
    expect(failed.result.by_key["k"]!.items[0]!.thumbnail_url).toBeNull();
  });

  it("has a thumbnail member on images only", async () => {
    const { items } = await fileItem("video", "image/png");
    expect(items[0]).not.toHaveProperty("thumbnail_url");
  });
});

describe("group states", () => {
  const cell = (state: "ok" | "failed" | "blocked" | "absent" | "pending", index: number) => ({
    state,
    indices: [index],
    body: state === "ok" ? ({ kind: "text", text: `t${String(index)}` } as const) : null,
  });
  const many = (...states: Parameters<typeof cell>[0][]): ArrayGroup => ({
    key: "k",
    cardinality: "multiple",
    cells: states.map(cell),
  });
  const stateOf = async (...args: Parameters<typeof arrayView>) =>
    (await result(...args)).result.by_key["k"]!.state;

  it("is present if any element is, and every element keeps its index", async () => {
    const body = await result([many("failed", "ok", "absent", "blocked")]);
    const group = body.result.by_key["k"]!;
    expect(group.state).toBe("present");
    expect(group).not.toHaveProperty("value");
    expect(group).not.toHaveProperty("url");
    expect(group.items.map((item) => [item.delivery, item.input_indices])).toEqual([
      ["unavailable", [0]],
      ["inline", [1]],
      ["absent", [2]],
      ["unavailable", [3]],
    ]);
  });

  it("[E16] is present with no items when an iteration had none", async () => {
    expect(await stateOf([many()])).toBe("present");
  });

  it("is missing if something failed and nothing is present, else absent", async () => {
    expect(await stateOf([many("absent", "blocked")])).toBe("missing");
    expect(await stateOf([many("absent", "absent")])).toBe("absent");
    expect(await stateOf([{ ...many(), isAxisAbsent: true }])).toBe("absent");
  });

  it("is not_ready while the run is live and the output is unfinished, with no items yet", async () => {
    const body = await result([{ ...many("ok", "pending"), isSettled: false }], {
      status: "running",
    });
    expect(body.result.by_key["k"]).toMatchObject({ state: "not_ready", items: [] });
    expect(body.result.items).toEqual([]);
  });

  it("shows a finished output while others are unfinished", async () => {
    const body = await result(
      [
        { key: "done", cells: [text("t")] },
        { key: "later", cells: [], isSettled: false },
      ],
      { status: "running" },
    );
    expect(body.result.by_key["done"]).toMatchObject({ state: "present", value: "t" });
    expect(body.result.by_key["later"]).toMatchObject({ state: "not_ready", value: null });
    expect(body.diagnostics).toMatchObject({
      expected_output_keys: ["done", "later"],
      available_output_keys: ["done"],
    });
  });

  it("is missing if a run ended before it was created", async () => {
    expect(await stateOf([{ ...many(), isSettled: false }], { status: "cancelled" })).toBe(
      "missing",
    );
    const group = { ...many("ok", "pending"), isSettled: false };
    const body = await result([group], { status: "cancelled" });
    expect(body.result.items.map((item) => item.delivery)).toEqual(["inline", "unavailable"]);
  });
});

describe("the envelope", () => {
  it("states when to poll and hides the cost until the run has ended", async () => {
    const live = await result([{ key: "k", cells: [], isSettled: false }], {
      status: "cancelling",
      creditsUsedMilli: 20,
    });
    expect(live).toMatchObject({ is_terminal: false });
    expect(live.next_poll_after_ms).toBeGreaterThan(0);
    expect(live).not.toHaveProperty("credits_used");
    const ended = await result([{ key: "k", cells: [text("t")] }], { creditsUsedMilli: 1020 });
    expect(ended).toMatchObject({
      is_terminal: true,
      next_poll_after_ms: null,
      credits_used: 1.02,
    });
    expect(await result([])).toMatchObject({ credits_used: 0 });
  });

  it("shows only the outputs that the chosen interface declares, with the keys at run time", async () => {
    const body = await result(
      [
        { key: "a", cells: [text("1")] },
        { key: "b", cells: [text("2")] },
      ],
      { only: ["n_b"] },
    );
    expect(Object.keys(body.result.by_key)).toEqual(["b"]);
    expect(body.diagnostics.expected_output_keys).toEqual(["b"]);
    expect(body.result.items[0]!.source).toMatchObject({ logical_name: "b", node_id: "n_b" });
    expect(body.result.items[0]!.source.name).not.toBe("b");
  });

  it("contains the error and the warnings", async () => {
    const warning = { code: "ITEMS_SKIPPED" as const, node_id: "agg", skipped: 2, of: 5 };
    const body = await result([{ key: "k", cells: [{ state: "failed" }] }], {
      status: "failed",
      errorCode: "CALC_DIVISION_BY_ZERO",
      warnings: [warning],
    });
    expect(body.diagnostics.message).toContain("CALC_DIVISION_BY_ZERO");
    expect(body.diagnostics.warnings).toEqual([warning]);
  });

  it("is created in pieces: many elements are never in one string", async () => {
    const cells = Array.from({ length: 3000 }, (_, index) => ({
      ...text(`element ${String(index)}`),
      indices: [index],
    }));
    let largest = 0;
    let count = 0;
    const view = arrayView([{ key: "k", cardinality: "multiple", cells }]);
    for await (const piece of renderResult(view)) {
      largest = Math.max(largest, piece.length);
      count += 1;
    }
    expect(largest).toBeLessThan(64 * 1024);
    expect(count).toBeGreaterThan(20);
  });

  it("decides which elements are settled when it is requested, so that by_key and items agree", async () => {
    const settled = { now: false };
    const view = arrayView([{ key: "k", cells: [text("t")], isSettled: false }], {
      status: "running",
    });
    const racing = {
      ...view,
      metadata: (output: (typeof view.outputs)[number]) => ({
        ...view.metadata(output),
        isSettled: settled.now,
      }),
    };
    const pieces = renderResult(racing);
    settled.now = true;
    const body = JSON.parse(await join(pieces)) as ResultBody;
    expect(body.result.by_key["k"]!.state).toBe("not_ready");
    expect(body.result.items).toEqual([]);
  });
});
