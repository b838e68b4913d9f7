import { describe, expect, it } from "vitest";
import type { RawOutput } from "../../../../src/contracts/runs/run.ts";
import { firstOutputs } from "../../../../src/engine/view/first-outputs.ts";
import { renderOutputs } from "../../../../src/engine/view/render-outputs.ts";
import { unwrap } from "../../../../src/lib/result.ts";
import { type ArrayGroup, arrayView, join, stored, text } from "./array-view.ts";

interface Page {
  data: RawOutput[];
  has_more: boolean;
  next_cursor: string | null;
  total_count: number;
}

async function page(
  view: ReturnType<typeof arrayView>,
  limit: number | null = null,
  startingAfter: string | null = null,
): Promise<Page> {
  return JSON.parse(await join(unwrap(renderOutputs(view, { limit, startingAfter })))) as Page;
}

const groups: ArrayGroup[] = [
  { key: "one", type: "json", cells: [text('{"n":1.50}')] },
  { key: "skipped", cells: [], isAxisAbsent: true },
  {
    key: "many",
    cardinality: "multiple",
    cells: [
      { ...text("a"), indices: [0, 0] },
      { state: "failed", indices: [0, 1] },
      { state: "absent", indices: [1, 0] },
      { body: stored(70_000), indices: [1, 1] },
    ],
  },
];

describe("raw outputs", () => {
  it("are flat, in the order of keys and indices, as raw strings or addresses", async () => {
    const { data, has_more, next_cursor, total_count } = await page(arrayView(groups));
    expect({ has_more, next_cursor, total_count }).toEqual({
      has_more: false,
      next_cursor: null,
      total_count: 6,
    });
    expect(
      data.map((raw) => [raw.logical_name, raw.presence, raw.value ?? raw.url, raw.input_indices]),
    ).toEqual([
      ["one", "present", '{"n":1.50}', []],
      ["skipped", "absent", undefined, []],
      ["many", "present", "a", [0, 0]],
      ["many", "missing", undefined, [0, 1]],
      ["many", "absent", undefined, [1, 0]],
      ["many", "present", "https://files.test/k/body.txt", [1, 1]],
    ]);
    expect(new Set(data.map((raw) => raw.name)).size).toBe(6);
  });

  it("returns every entry once, with any page size", async () => {
    const view = arrayView(groups);
    const whole = (await page(view)).data.map((raw) => raw.name);
    for (const limit of [1, 2, 3, 5, 6]) {
      const names: string[] = [];
      let cursor: string | null = null;
      for (let turn = 0; turn < 10; turn++) {
        const part: Page = await page(view, limit, cursor);
        expect(part.data.length).toBeLessThanOrEqual(limit);
        expect(part.total_count).toBe(6);
        names.push(...part.data.map((raw) => raw.name));
        cursor = part.next_cursor;
        expect(part.has_more).toBe(cursor !== null);
        if (cursor === null) {
          break;
        }
      }
      expect(names).toEqual(whole);
    }
  });

  it("rejects a cursor that is not in the list", () => {
    for (const startingAfter of ["nonsense", "o9_0", "o-1_0", "o0_99999999999"]) {
      expect(renderOutputs(arrayView(groups), { limit: null, startingAfter })).toMatchObject({
        ok: false,
        code: "invalid_request",
      });
    }
  });

  it("has at most 4 MiB of inline values and addresses for the rest", async () => {
    const cells = Array.from({ length: 80 }, () => text("x".repeat(64 * 1024)));
    const { data } = await page(arrayView([{ key: "k", cardinality: "multiple", cells }]));
    expect(data.filter((raw) => raw.value !== undefined)).toHaveLength(64);
    expect(data.filter((raw) => raw.url !== undefined)).toHaveLength(16);
  });
});

describe("outputs of an execution object", () => {
  it("are the first of the raw entries, with their total", async () => {
    const cells = Array.from({ length: 150 }, (_, index) => ({
      ...text(String(index)),
      indices: [index],
    }));
    const view = arrayView([{ key: "k", cardinality: "multiple", cells }]);
    const { outputs, total } = firstOutputs(view, 100);
    expect(total).toBe(150);
    expect(outputs).toEqual((await page(view, 100)).data);
  });

  it("fill in while nodes finish and omit unfinished ones", () => {
    const view = arrayView(
      [
        {
          key: "k",
          cardinality: "multiple",
          isSettled: false,
          cells: [
            { state: "pending", indices: [0] },
            { ...text("b"), indices: [1] },
          ],
        },
        { key: "later", cells: [], isSettled: false },
      ],
      { status: "running" },
    );
    const { outputs, total } = firstOutputs(view, 100);
    expect(total).toBe(1);
    expect(outputs.map((raw) => raw.value)).toEqual(["b"]);
  });

  it("do not iterate over ten thousand unfinished elements at every poll", () => {
    const cells = Array.from({ length: 10_000 }, () => ({ state: "pending" as const }));
    const group = { key: "k", cardinality: "multiple", cells, isSettled: false } as const;
    const view = arrayView([group], { status: "running" });
    firstOutputs(view, 100);
    expect(view.cellsRead.count).toBeLessThanOrEqual(300);
  });

  it.each([
    ["of a live list that is full", ["a", "b", "c"], true],
    ["after one that is not settled", ["a", null, "c", "d"], false],
    ["of which one failed, whose cause may change", ["a", "!", "c"], false],
    ["that are too few", ["a", "b"], false],
  ])("%s are final: %s", (_, texts, isFinal) => {
    const cells = texts.map((body, at) => ({
      ...(body === null ? { state: "pending" as const } : text(body)),
      ...(body === "!" && { state: "failed" as const, body: null }),
      indices: [at],
    }));
    const pending = { state: "pending" as const, indices: [9] };
    const group = { key: "k", cardinality: "multiple", cells: [...cells, pending] } as const;
    const view = arrayView([{ ...group, isSettled: false }], { status: "running" });
    expect(firstOutputs(view, 3).isFinal).toBe(isFinal);
  });

  it("are not final after a group that may still get elements", () => {
    const group = (key: string, isSettled: boolean, length: number) => ({
      key,
      cardinality: "multiple" as const,
      cells: Array.from({ length }, (_, at) => ({ ...text("x"), indices: [at] })),
      isSettled,
    });
    const isFinal = (isSettled: boolean, length: number) =>
      firstOutputs(
        arrayView([group("early", isSettled, length), group("later", false, 4)], {
          status: "running",
        }),
        3,
      ).isFinal;
    expect([isFinal(true, 1), isFinal(true, 0), isFinal(false, 1), isFinal(false, 0)]).toEqual([
      true,
      true,
      false,
      false,
    ]);
  });

  it("are empty in lists, at no cost", () => {
    const view = arrayView(groups);
    expect(firstOutputs(view, 0)).toMatchObject({ outputs: [], total: 6 });
    expect(view.cellsRead.count).toBe(0);
  });
});
