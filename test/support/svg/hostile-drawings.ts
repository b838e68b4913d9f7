/** Drawings that attack their reader. Each is refused, or imported without what it attacks with. */
import { svgOf } from "./harmless-drawings.ts";

export interface HostileDrawing {
  readonly name: string;
  /** Made when it is used: some are large. */
  readonly svg: () => string;
  /** The code of the refusal; null for one that is imported harmlessly. */
  readonly code: string | null;
  /** The way to the element that is named first. */
  readonly field?: string;
}

type Row = readonly [
  name: string,
  code: string | null,
  svg: string | (() => string),
  field?: string,
];

const RECT = '<rect width="9" height="9"/>';
const uses = (levels: number) =>
  Array.from(
    { length: levels },
    (_, i) => `<g id="l${i + 1}"><use href="#l${i}"/><use href="#l${i}"/></g>`,
  ).join("");

const ROWS: readonly Row[] = [
  // Entities and encodings.
  [
    "an entity bomb",
    "svg_import_invalid",
    `<!DOCTYPE svg [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;&a;&a;">]>${svgOf("<text>&b;</text>")}`,
    "svg",
  ],
  [
    "an external entity",
    "svg_import_invalid",
    `<!DOCTYPE svg [<!ENTITY a SYSTEM "file:///etc/passwd">]>${svgOf("<text>&a;</text>")}`,
    "svg",
  ],
  [
    "a parameter entity",
    "svg_import_invalid",
    `<!DOCTYPE svg [<!ENTITY % a SYSTEM "http://a.example/x.dtd">%a;]>${svgOf("")}`,
  ],
  ["an entity that is not declared", "svg_import_invalid", svgOf("<text>&nbsp;</text>")],
  ["half of a surrogate pair", "svg_import_invalid", svgOf("<title>\ud800</title>")],
  ["U+0000", "svg_import_invalid", svgOf("<title>a\0b</title>")],
  ["a file cut short", "svg_import_invalid", svgOf(RECT).slice(0, -5)],
  [
    "a wrong declaration of its encoding",
    null,
    `<?xml version="1.0" encoding="UTF-16"?>${svgOf(RECT)}`,
  ],
  ["no drawing", "svg_import_invalid", "<html xmlns='http://www.w3.org/1999/xhtml'/>"],
  ["a root of another namespace", "svg_import_invalid", '<svg xmlns="http://a.example/svg"/>'],
  ["nothing", "svg_import_invalid", ""],
  ["no area", "svg_import_invalid", svgOf("", 'width="0" height="9"')],
  // Sizes.
  [
    "nesting of 10,000 levels",
    "svg_import_invalid",
    () => svgOf("<g>".repeat(10_000) + "</g>".repeat(10_000)),
  ],
  ["nesting of 90 levels", null, svgOf(`${"<g>".repeat(90)}${RECT}${"</g>".repeat(90)}`)],
  ["100,000 elements", "svg_import_invalid", () => svgOf("<g/>".repeat(100_000))],
  [
    "uses that double 40 times",
    "svg_import_invalid",
    svgOf(`<defs><g id="l0">${RECT}</g>${uses(40)}</defs><use href="#l40"/>`),
  ],
  [
    "uses that double 16 times",
    "svg_import_too_many_objects",
    svgOf(`<defs><g id="l0">${RECT}</g>${uses(16)}</defs><use href="#l16"/>`),
  ],
  [
    "uses of nothing that double 19 times",
    "svg_import_too_many_objects",
    svgOf(`<defs><g id="l0"/>${uses(19)}</defs><use href="#l19"/>`),
  ],
  ["a use of itself", "svg_import_invalid", svgOf('<use id="a" href="#a"/>'), "svg/use[1]"],
  ["a use of its group", "svg_import_invalid", svgOf('<g id="a"><use href="#a"/></g>')],
  [
    "uses of each other",
    "svg_import_invalid",
    svgOf('<g id="a"><use href="#b"/></g><g id="b"><use href="#a"/></g>'),
  ],
  [
    "gradients that refer to each other",
    null,
    svgOf(
      `<linearGradient id="a" href="#b"/><linearGradient id="b" href="#a"/><rect width="9" height="9" fill="url(#a)"/>`,
    ),
  ],
  [
    "50,000 style rules",
    "svg_import_too_many_objects",
    () =>
      svgOf(
        `<style>${Array.from({ length: 50_000 }, (_, i) => `.a${i}{fill:red}`).join("")}</style>${RECT}`,
      ),
  ],
  [
    "rules for everything on 2,000 objects",
    "svg_import_too_many_objects",
    () => svgOf(`<style>${"*{fill:red}".repeat(9_000)}</style>${RECT.repeat(2_000)}`),
  ],
  [
    "selectors of 1,000 elements",
    null,
    () => svgOf(`<style>${"g ".repeat(1_000)}rect{fill:red}</style>${RECT}`),
  ],
  [
    "path data of 3,000,000 characters",
    "svg_import_invalid",
    () => svgOf(`<path d="M0 0${"L1 1".repeat(750_000)}"/>`),
    "svg/path[1]",
  ],
  [
    "paths of 500,000 segments",
    "svg_import_too_many_objects",
    () => svgOf(`<path d="M0 0${"L1 1".repeat(100_000)}"/>`.repeat(5)),
  ],
  ["2,001 objects", "svg_import_too_many_objects", () => svgOf(RECT.repeat(2_001)), "svg"],
  [
    "numbers beyond all bounds",
    "svg_import_invalid",
    svgOf('<path d="M1e999 0L1 1"/>'),
    "svg/path[1]",
  ],
  ["NaN in path data", "svg_import_invalid", svgOf('<path d="M NaN 0"/>'), "svg/path[1]"],
  ["NaN in a transform", "svg_import_invalid", svgOf(`<g transform="scale(NaN)">${RECT}</g>`)],
  ["a flat transform", null, svgOf(`<g transform="scale(0)">${RECT}</g>`)],
  // Scripts.
  [
    "a script",
    "svg_import_script",
    svgOf("<g><script>alert(1)</script></g>"),
    "svg/g[1]/script[1]",
  ],
  [
    "a script in capitals",
    "svg_import_script",
    svgOf("<SCRIPT>alert(1)</SCRIPT>"),
    "svg/SCRIPT[1]",
  ],
  [
    "a script with a prefix",
    "svg_import_script",
    svgOf('<h:script xmlns:h="http://www.w3.org/1999/xhtml">a()</h:script>'),
  ],
  [
    "a script of a namespace of its own",
    "svg_import_script",
    svgOf('<x:script xmlns:x="http://a.example">a()</x:script>'),
  ],
  [
    "a handler",
    "svg_import_script",
    svgOf('<rect width="9" height="9" onload="a()"/>'),
    "svg/rect[1]",
  ],
  [
    "a handler on the root",
    "svg_import_script",
    svgOf("", 'viewBox="0 0 9 9" onload="a()"'),
    "svg",
  ],
  ["a handler in capitals", "svg_import_script", svgOf('<g ONCLICK="a()"/>')],
  ["a link that is a script", "svg_import_script", svgOf('<a href="javascript:a()"/>')],
  [
    "a script hidden by white space",
    "svg_import_script",
    svgOf('<a xlink:href=" java&#10;script&#9;:a()"/>'),
  ],
  [
    "a script in a data address",
    "svg_import_script",
    svgOf('<a href="data:text/html,&lt;script&gt;a()&lt;/script&gt;"/>'),
  ],
  [
    "an element that listens",
    "svg_import_script",
    svgOf('<handler type="text/javascript">a()</handler>'),
  ],
  [
    "a script in a style",
    "svg_import_script",
    svgOf('<rect width="9" height="9" style="width:expression(a())"/>'),
  ],
  // Other files.
  [
    "a picture elsewhere",
    "svg_import_external_reference",
    svgOf('<image href="https://a.example/b.png"/>'),
  ],
  [
    "a picture of a private address",
    "svg_import_external_reference",
    svgOf('<image xlink:href="http://169.254.169.254/"/>'),
  ],
  [
    "a file of the machine",
    "svg_import_external_reference",
    svgOf('<use href="file:///etc/passwd#a"/>'),
  ],
  [
    "a style sheet elsewhere",
    "svg_import_external_reference",
    svgOf('<style>@import "https://a.example/a.css";</style>'),
    "svg/style[1]",
  ],
  [
    "a style sheet by instruction",
    "svg_import_external_reference",
    `<?xml-stylesheet href="a.css"?>${svgOf(RECT)}`,
    "svg",
  ],
  [
    "a font elsewhere",
    "svg_import_external_reference",
    svgOf("<style>@font-face{font-family:a;src:url(//a.example/f)}</style>"),
  ],
  [
    "a paint elsewhere",
    "svg_import_external_reference",
    svgOf('<rect width="9" height="9" fill="url(https://a.example/#g)"/>'),
  ],
  [
    "a paint by escapes",
    "svg_import_external_reference",
    svgOf('<rect width="9" height="9" style="fill:\\75 rl(//a.example)"/>'),
  ],
  [
    "a paint between comments",
    "svg_import_external_reference",
    svgOf("<style>rect{fill:u/**/rl(//a.example/x)}</style>" + RECT),
  ],
  [
    "another base",
    "svg_import_external_reference",
    svgOf('<g xml:base="https://a.example/"><use href="#a"/></g>'),
  ],
  // Pictures, and what has no vectors.
  [
    "an embedded picture",
    "svg_import_embedded_image",
    svgOf('<image href="data:image/png;base64,iVBORw0KGgo="/>'),
    "svg/image[1]",
  ],
  [
    "an embedded drawing",
    "svg_import_embedded_image",
    svgOf('<image href="data:image/svg+xml;base64,PHN2Zy8+"/>'),
  ],
  [
    "a picture of the drawing itself",
    "svg_import_embedded_image",
    svgOf('<image id="a" href="#a"/>'),
  ],
  [
    "a picture in a style",
    "svg_import_embedded_image",
    svgOf('<rect width="9" height="9" style="fill:url(data:image/png;base64,AA==)"/>'),
  ],
  [
    "a filter",
    "svg_import_filter",
    svgOf('<filter id="f"><feGaussianBlur stdDeviation="1e9"/></filter>'),
    "svg/filter[1]",
  ],
  [
    "a filter in a style sheet",
    "svg_import_filter",
    svgOf(`<style>rect{filter:blur(1e9px)}</style>${RECT}`),
    "svg/style[1]",
  ],
  [
    "a filter on a shape",
    "svg_import_filter",
    svgOf('<g><rect filter="url(#f)" width="9" height="9"/></g>'),
    "svg/g[1]/rect[1]",
  ],
  [
    "text on a path",
    "svg_import_text_path",
    svgOf('<defs><textPath href="#p">a</textPath></defs>'),
  ],
  [
    "HTML",
    "svg_import_foreign_object",
    svgOf('<foreignObject><body xmlns="http://www.w3.org/1999/xhtml"/></foreignObject>'),
    "svg/foreignObject[1]",
  ],
  [
    "HTML without a foreignObject",
    "svg_import_foreign_object",
    svgOf('<p xmlns="http://www.w3.org/1999/xhtml"/>'),
  ],
  ["an iframe", "svg_import_foreign_object", svgOf('<iframe src="https://a.example"/>')],
  [
    "animation",
    "svg_import_animation",
    svgOf('<rect width="9" height="9"><animate attributeName="x" to="9"/></rect>'),
    "svg/rect[1]/animate[1]",
  ],
  [
    "an address that is set",
    "svg_import_animation",
    svgOf('<a><set attributeName="href" to="javascript:a()"/></a>'),
  ],
  [
    "animation in a style sheet",
    "svg_import_animation",
    svgOf("<style>@keyframes a{to{fill:red}}rect{animation:a 1s}</style>"),
  ],
];

export const HOSTILE: readonly HostileDrawing[] = ROWS.map(([name, code, svg, field]) => ({
  name,
  code,
  svg: typeof svg === "string" ? () => svg : svg,
  ...(field !== undefined && { field }),
}));
