import { describe, expect, test } from "vitest";
import {
  applyTheme,
  contrast,
  over,
  parseColor,
  resolveTheme,
  type Rgba,
  type Theme,
} from "../../../../src/web/widget/core/theme.ts";

const NONE: Theme = { mode: "auto", values: {} };
const theme = (values: Theme["values"], mode: Theme["mode"] = "light"): Theme => ({ mode, values });

describe("a color", () => {
  test.each<[string, Rgba | null]>([
    ["#abc", [170, 187, 204, 1]],
    ["#A1b2C3", [161, 178, 195, 1]],
    ["#00000080", [0, 0, 0, 128 / 255]],
    ["#abcd", null],
    ["abc", null],
    ["rgb(1, 2, 3)", [1, 2, 3, 1]],
    ["rgba(1,2,3,.5)", [1, 2, 3, 0.5]],
    ["rgb(1 2 3 / 50%)", [1, 2, 3, 0.5]],
    ["rgb(100%, 0%, 0%)", [255, 0, 0, 1]],
    ["rgb(300, -5, 0)", [255, 0, 0, 1]],
    ["rgb(1, 2%, 3)", null],
    ["rgb(1, 2 3)", null],
    ["rgb(1 2 3 4)", null],
    ["rgb(1, 2, 3, 4, 5)", null],
    ["rgb(1, 2, 3 / 1)", null],
    ["hsl(120, 100%, 50%)", [0, 255, 0, 1]],
    ["hsla(240deg 100% 50% / 0.5)", [0, 0, 255, 0.5]],
    ["hsl(120, 1, 1)", null],
    ["RebeccaPurple", [102, 51, 153, 1]],
    ["constructor", null],
    ["currentcolor", null],
    ["ButtonText", null],
    ["var(--x)", null],
    ["url(#a)", null],
    ["rgb(var(--x))", null],
    ["red;background:url(x)", null],
    ["color-mix(in srgb, red, blue)", null],
    ["", null],
  ])("%s is %j", (text, expected) => {
    const color = parseColor(text);
    if (expected === null) {
      expect(color).toBeNull();
    } else {
      expect(color?.map((part) => Number(part.toFixed(6)))).toEqual(
        expected.map((part) => Number(part.toFixed(6))),
      );
    }
  });
});

describe("a theme of a message", () => {
  test.each([
    ["borderRadius", 12, "12px"],
    ["borderRadius", 0, "0px"],
    ["borderRadius", 65, null],
    ["borderRadius", -1, null],
    ["borderRadius", Number.NaN, null],
    ["borderRadius", "1.5rem", "1.5rem"],
    ["borderRadius", "5rem", null],
    ["borderRadius", "50%", "50%"],
    ["borderRadius", "8", null],
    ["borderRadius", "calc(1px)", null],
    ["borderRadius", "9999999999999999px", null],
    ["fontFamily", "Georgia, 'Times New Roman', serif", "Georgia, 'Times New Roman', serif"],
    ["fontFamily", '"Inter', null],
    ["fontFamily", "a; b", null],
    ["fontFamily", "a,,b", null],
    ["fontFamily", "url(x)", null],
    ["fontFamily", "x".repeat(201), null],
    ["primaryColor", " #abc ", "#abc"],
    ["primaryColor", 5, null],
    ["shadowColor", "#abc", null],
    ["__proto__", "#abc", null],
  ])("with %s %j gives %j", (name, value, expected) => {
    const applied = applyTheme(NONE, Object.fromEntries([[name, value]]));
    expect(applied?.theme.values[name as "primaryColor"] ?? null).toBe(
      name === "__proto__" ? Object.prototype : expected,
    );
    expect(applied?.wrong).toEqual(expected === null ? [name] : []);
  });

  test("changes only its own members, and null removes one", () => {
    const first = applyTheme(NONE, {
      mode: "dark",
      primaryColor: "#abc",
      textColor: "#fff",
    })?.theme;
    const second = applyTheme(first ?? NONE, {
      textColor: null,
      mutedColor: "nonsense",
      mode: "x",
    });
    expect(second).toEqual({
      theme: { mode: "dark", values: { primaryColor: "#abc" } },
      wrong: ["mutedColor", "mode"],
    });
    expect(applyTheme(NONE, "dark")).toBeNull();
    expect(applyTheme(NONE, [])).toBeNull();
  });
});

describe("a resolved theme", () => {
  test("has the host's values as given", () => {
    const { properties, replaced, mode } = resolveTheme(
      theme({
        primaryColor: "#2b59d9",
        surfaceColor: "ivory",
        borderRadius: "1rem",
        fontFamily: "Georgia",
      }),
      true,
    );
    expect(properties).toMatchObject({
      "--svc-primary": "#2b59d9",
      "--svc-surface": "ivory",
      "--svc-radius": "1rem",
      "--svc-font": "Georgia",
      "--svc-on-primary": "#ffffff",
      "--svc-primary-ink": "#2b59d9",
    });
    expect([replaced, mode]).toEqual([[], "light"]);
  });

  test("follows the system only where it is auto", () => {
    expect(resolveTheme(theme({}, "auto"), true).mode).toBe("dark");
    expect(resolveTheme(theme({}, "auto"), false).mode).toBe("light");
    expect(resolveTheme(theme({}, "light"), true).mode).toBe("light");
  });

  test("replaces text below 4.5:1 on either ground, and names it", () => {
    const { properties, replaced } = resolveTheme(
      theme({
        textColor: "#777777",
        mutedColor: "#767676",
        surfaceColor: "#ffffff",
        backgroundColor: "#ffffff",
      }),
      false,
    );
    // #777 has 4.48:1 on white, #767676 has 4.54:1.
    expect(properties["--svc-text"]).toBe("#000000");
    expect(properties["--svc-muted"]).toBe("#767676");
    expect(replaced).toEqual(["textColor"]);
  });

  test("writes on a primary color with black or white, whichever stands out more", () => {
    const on = (color: string) =>
      resolveTheme(theme({ primaryColor: color }), false).properties["--svc-on-primary"];
    expect([on("#ffff00"), on("#000080"), on("#777777"), on("#757575")]).toEqual([
      "#000000",
      "#ffffff",
      "#000000",
      "#ffffff",
    ]);
  });

  test("gives colors that the host left out for a dark ground the dark scheme, in a light theme too", () => {
    const { scheme, mode, properties } = resolveTheme(theme({ surfaceColor: "#101010" }), false);
    expect([scheme, mode]).toEqual(["dark", "light"]);
    expect(properties["--svc-control"]).toBe(properties["--svc-muted"] ?? "#98a1ad");
  });

  test("is readable whatever the host sends: 2,000 themes", () => {
    let seed = 7;
    const random = (n: number) => {
      seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31;
      return seed % n;
    };
    const hex = () => `#${random(0x1_00_00_00).toString(16).padStart(6, "0")}`;
    let replacedCount = 0;
    for (let i = 0; i < 2_000; i += 1) {
      const values = {
        surfaceColor: hex(),
        primaryColor: hex(),
        textColor: hex(),
        errorColor: hex(),
      };
      const { properties, replaced } = resolveTheme(
        theme({ ...values, backgroundColor: values.surfaceColor }),
        false,
      );
      const surface = parseColor(values.surfaceColor) ?? [0, 0, 0, 1];
      const read = (name: string) => parseColor(properties[name] ?? "") ?? [0, 0, 0, 1];
      const text = read("--svc-text");
      expect(contrast(text, surface)).toBeGreaterThanOrEqual(4.5);
      expect(contrast(read("--svc-on-primary"), read("--svc-primary"))).toBeGreaterThanOrEqual(4.5);
      for (const ink of [properties["--svc-primary-ink"], properties["--svc-error-ink"]]) {
        const color = ink === "var(--text)" ? text : (parseColor(ink ?? "") ?? surface);
        expect(contrast(over(color, surface), surface)).toBeGreaterThanOrEqual(4.5);
      }
      replacedCount += replaced.length;
    }
    expect(replacedCount).toBeGreaterThan(500);
    expect(replacedCount).toBeLessThan(2_000);
  });
});
