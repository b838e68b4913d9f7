import { describe, expect, test } from "vitest";
import {
  decodeEscapes,
  holdsForbidden,
  isSuspect,
  replaceOutsideStrings,
  splitTop,
} from "../../../../src/web/widget/core/css-text.ts";
import { scopeOne } from "../../../../src/web/widget/core/custom-css.ts";

describe("the text of a style sheet", () => {
  test.each([
    ["\\75 rl(", "url("],
    ["\\75rl(", "url("],
    ["\\000075rl(", "url("],
    ["u\\r\\l(", "url("],
    ["\\@import", "@import"],
    ["\\110000 x", "\u{FFFD}x"],
    ["\\d800 x", "\u{FFFD}x"],
    ["a\\\nb", "ab"],
  ])("%j decodes to %j", (text, expected) => {
    expect(decodeEscapes(text)).toBe(expected);
  });

  test.each([
    "url(x)",
    "URL ( x )",
    "\\75 rl(x)",
    "u/**/rl(x)",
    "u\\/**/rl(x)",
    "-webkit-image-set('a' 1x)",
    "element(#a)",
    "-moz-element(#a)",
    "src('a')",
    "image(red)",
    "expression(alert(1))",
    "java\\73 cript:x",
    "java/*x*/script:x",
    "'</style>'",
    "<\\/style>",
  ])("%j holds a forbidden word", (text) => {
    expect(holdsForbidden(text)).toBe(true);
  });

  test.each([
    "red",
    "calc(1px + 2px)",
    "var(--a)",
    "linear-gradient(red, blue)",
    "'a < b'",
    "curl",
  ])("%j holds none", (text) => {
    expect(holdsForbidden(text)).toBe(false);
  });

  test.each([
    "@import 'a'",
    "@\\69mport 'a'",
    "@font-face{}",
    ".a{behavior:x}",
    ".a{-moz-binding:x}",
    ".a{position:fixed}",
    ".a{position/**/:sticky}",
    ".a{pos\\69tion: fixed}",
    "/*@import 'a'*/",
  ])("%j is suspect", (sheet) => {
    expect(isSuspect(sheet)).toBe(true);
  });

  test.each([
    ".a{scroll-behavior:smooth;position:absolute}",
    "@media (min-width:1px){.a{color:red}} @keyframes x{to{opacity:0}} @supports (gap:1px){.b{gap:1px}}",
  ])("%j is not", (sheet) => {
    expect(isSuspect(sheet)).toBe(false);
  });

  test("splits outside of strings, brackets, comments and escapes", () => {
    expect(splitTop(`a: "x;y"; --b: {c;d}; e: f(;) ; /* ; */ g: \\;h`, ";")).toEqual([
      'a: "x;y"',
      "--b: {c;d}",
      "e: f(;)",
      "/* ; */ g: \\;h",
    ]);
    expect(replaceOutsideStrings(`& [a="&"] \\& &`, "&", "P")).toBe(`P [a="&"] \\& P`);
  });
});

describe("a selector", () => {
  test.each([
    [".a", "[data-svc-root] .a"],
    [":root", "[data-svc-root]"],
    ["html body .a", "[data-svc-root] .a"],
    [":root > body > .a", "[data-svc-root] > .a"],
    ["BODY.dark .a", "[data-svc-root].dark .a"],
    ["html:hover", "[data-svc-root]:hover"],
    ["[data-svc-root][data-phase] .a", "[data-svc-root][data-phase] .a"],
    ["bodyguard", "[data-svc-root] bodyguard"],
    ["html-x", "[data-svc-root] html-x"],
    ["body ~ div", "[data-svc-root] body ~ div"],
    ["body + div", "[data-svc-root] body + div"],
    ["*", "[data-svc-root] *"],
    [":is(html, body) div", "[data-svc-root] :is(html, body) div"],
  ])("%s becomes %s", (selector, expected) => {
    expect(scopeOne(selector)).toBe(expected);
  });
});
