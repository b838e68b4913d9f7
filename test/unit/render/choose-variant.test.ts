import { expect, test } from "vitest";
import { chooseVariant } from "../../../src/render/fonts/choose-variant.ts";

const family = (...names: string[]) =>
  names.map((name) => ({
    name,
    weight: Number.parseInt(name, 10),
    style: name.endsWith("i") ? ("italic" as const) : ("normal" as const),
  }));
const chosen = (wanted: number, style: "normal" | "italic", ...names: string[]) =>
  chooseVariant(family(...names), wanted, style)?.name;

// CSS Fonts 4 §5.2, "Matching font styles", item 4.
test.each([
  [400, ["300", "500", "400"], "400"],
  [400, ["300", "500", "600"], "500"],
  [400, ["300", "600"], "300"],
  [450, ["400", "500"], "500"],
  [500, ["300", "400", "600"], "400"],
  [500, ["600", "900"], "600"],
  [300, ["100", "200", "400"], "200"],
  [300, ["400", "900"], "400"],
  [700, ["400", "600", "900"], "900"],
  [700, ["400", "600"], "600"],
  [600, ["400", "700", "900"], "700"],
])("weight %i among %j is %s", (wanted, names, expected) => {
  expect(chosen(wanted, "normal", ...names)).toBe(expected);
  expect(chosen(wanted, "normal", ...names.toReversed())).toBe(expected);
});

test("style wins over weight, and a missing style is not synthesized", () => {
  expect(chosen(400, "italic", "400", "900i")).toBe("900i");
  expect(chosen(700, "italic", "400", "700")).toBe("700");
  expect(chosen(400, "normal", "400i")).toBe("400i");
  expect(chosen(400, "normal")).toBeUndefined();
});
