import { describe, expect, test } from "vitest";
import { failureOf, problemsOf, runNode } from "./run-node.ts";
import { expectWithin } from "../../support/expect-within.ts";

const names = (...list: string[]) => list.map((inputPort) => ({ inputPort }));
const fill = async (template: string, ports: Record<string, string>, ...placeholders: string[]) =>
  (await runNode("text/template", { template, placeholders: names(...placeholders) }, ports))[
    "text"
  ];

describe("text/template", () => {
  test("puts values into their literal markers", async () => {
    expect(await fill("Dear [who], [who]!", { who: "Ann" }, "who")).toBe("Dear Ann, Ann!");
  });

  test("an absent placeholder is empty text", async () => {
    expect(await fill("[a]-[b]", { a: "x" }, "a", "b")).toBe("x-");
  });

  test("brackets that are not a placeholder stay", async () => {
    expect(await fill("[x] [a] [[a]] [ a ] ] [ [", { a: "1" }, "a")).toBe("[x] 1 [1] [ a ] ] [ [");
  });

  test("an inserted value is not scanned again, so it cannot insert another one", async () => {
    expect(await fill("[a]", { a: "[b]", b: "secret" }, "a", "b")).toBe("[b]");
    expect(await fill("[[a]b]", { a: "[", b: "x" }, "a", "b")).toBe("[[b]");
  });

  test("names like prototype members are plain names", async () => {
    expect(
      await fill("[constructor][toString]", { constructor: "x" } as never, "constructor"),
    ).toBe("x[toString]");
  });

  test("a connected template has priority over the parameter; an absent one leaves the parameter", async () => {
    const params = { template: "P [a]", placeholders: names("a") };
    expect(await runNode("text/template", params, { template: "C [a]", a: "1" })).toEqual({
      text: "C 1",
    });
    expect(await runNode("text/template", params, { a: "1" })).toEqual({ text: "P 1" });
  });

  test("without any template it is TEXT_TEMPLATE_MISSING_TEMPLATE, when saved and when run", async () => {
    expect(problemsOf("text/template", {})).toEqual([
      expect.stringMatching(/TEXT_TEMPLATE_MISSING_TEMPLATE/),
    ]);
    expect(problemsOf("text/template", {}, ["template"])).toEqual([]);
    expect(problemsOf("text/template", { template: "" })).toEqual([]);
    expect(await failureOf(() => runNode("text/template", {}, {}))).toBe(
      "TEXT_TEMPLATE_MISSING_TEMPLATE",
    );
  });

  test("the name template, duplicate names and brackets in names are rejected", () => {
    for (const list of [["template"], ["a", "a"], ["a]"], [""]]) {
      expect(
        problemsOf("text/template", { template: "x", placeholders: names(...list) }),
      ).toHaveLength(1);
    }
  });

  test("a template that multiplies a large value is rejected before the memory is allocated", async () => {
    const run = () => fill("[a]".repeat(30_000), { a: "x".repeat(1_000_000) }, "a");
    expect(await failureOf(run)).toBe("VALUE_TOO_LARGE");
  });

  test("a template of brackets alone is read in linear time", async () => {
    await expectWithin(1_000, async () => {
      for (const part of ["[", "]", "[]", "[["]) {
        await runNode(
          "text/template",
          { placeholders: names("a") },
          { template: part.repeat(200_000) },
        );
      }
    });
  });
});
