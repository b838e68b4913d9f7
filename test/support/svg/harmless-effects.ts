/** Texts, patterns, masks, markers and repeated gradients, as programs write them. Each is 200 × 100. */
import type { HarmlessDrawing } from "./harmless-drawings.ts";

type Row = readonly [name: string, body: string, objects: number, mode?: "editable" | "preserved"];

const FONT = 'font-family="Noto Sans"';
const RECT = 'x="20" y="20" width="120" height="50"';
const ARROW =
  '<marker id="m" viewBox="0 0 10 10" refX="8" refY="5" markerWidth="5" markerHeight="5" orient="auto-start-reverse"><path d="M0 0L10 5L0 10z" fill="crimson"/></marker>';

const EFFECTS: readonly Row[] = [
  ["a text", `<text x="20" y="60" font-size="40" ${FONT} fill="navy">Harbor</text>`, 1],
  [
    "a centered text of two lines",
    `<text x="100" y="40" font-size="24" text-anchor="middle" ${FONT}><tspan>First</tspan><tspan x="100" dy="30" fill="red">Second</tspan></text>`,
    2,
  ],
  [
    "a turned text at the end",
    `<text transform="translate(150 80) rotate(-20)" font-size="24" text-anchor="end" ${FONT} font-weight="bold">Bold</text>`,
    1,
  ],
  [
    "a text by the shorthand of its font",
    `<style>.t{font:bold 30px/1.4 "Nowhere", 'Noto Sans', serif}</style><text class="t" x="10" y="60" fill="teal">Shorthand</text>`,
    1,
    "preserved",
  ],
  [
    "a text with spaces preserved",
    `<text x="10" y="60" xml:space="preserve" font-size="24" ${FONT}>a   b <tspan fill="red">  c</tspan></text>`,
    1,
  ],
  [
    "a text with white space to collapse",
    `<text x="10" y="60" font-size="24" ${FONT}>\n  one\n  <tspan fill="red"> two </tspan>\n  three </text>`,
    1,
  ],
  [
    "a raised and lowered text",
    `<text x="10" y="60" font-size="24" ${FONT}>up<tspan dy="-12">high</tspan><tspan dy="24" dx="6">low</tspan></text>`,
    1,
    "preserved",
  ],
  [
    "sizes relative to the parent's",
    `<g font-size="20"><text x="10" y="60" font-size="150%" ${FONT}>30<tspan font-size=".5em" dx="1em">15</tspan></text></g>`,
    1,
    "preserved",
  ],
  [
    "a position for each letter",
    `<text x="10 50 90 130" y="40 50 60 70" font-size="30" ${FONT}>Wave</text>`,
    4,
  ],
  [
    "an outlined text",
    `<text x="10" y="70" font-size="48" ${FONT} font-weight="bold" fill="gold" stroke="navy" stroke-width="3">Line</text>`,
    1,
    "preserved",
  ],
  [
    "a text with a gradient",
    `<linearGradient id="g"><stop stop-color="red"/><stop offset="1" stop-color="blue"/></linearGradient><text x="10" y="70" font-size="48" ${FONT} fill="url(#g)">Shade</text>`,
    1,
    "preserved",
  ],
  [
    "spaced letters, underlined",
    `<text x="10" y="60" font-size="24" letter-spacing="4" text-decoration="underline" ${FONT}>spaced</text>`,
    1,
  ],
  [
    "a text of a stated length",
    `<text x="10" y="60" font-size="24" textLength="180" ${FONT}>stretched</text>`,
    1,
    "preserved",
  ],
  [
    "arrows",
    `${ARROW}<path d="M30 80L100 20L170 80" fill="none" stroke="navy" stroke-width="3" marker-start="url(#m)" marker-mid="url(#m)" marker-end="url(#m)"/>`,
    4,
  ],
  [
    "markers of a style sheet on curves",
    `<style>path.a{marker:url(#m)}</style>${ARROW}<path class="a" d="M20 80C60 0 100 0 120 50S170 90 180 40" fill="none" stroke="navy" stroke-width="2"/>`,
    4,
  ],
  [
    "dots in user space",
    `<marker id="m" markerUnits="userSpaceOnUse" markerWidth="16" markerHeight="16" refX="8" refY="8"><circle cx="8" cy="8" r="7" fill="teal"/></marker><polyline points="20,80 80,20 140,80 180,30" fill="none" stroke="navy" stroke-width="3" style="marker-start:url(#m);marker-mid:url(#m);marker-end:url(#m)"/>`,
    5,
  ],
  [
    "a pattern of dots",
    `<pattern id="p" width="20" height="20" patternUnits="userSpaceOnUse"><circle cx="10" cy="10" r="7" fill="teal"/></pattern><rect ${RECT} fill="url(#p)" stroke="navy" stroke-width="4"/>`,
    2,
    "preserved",
  ],
  [
    "a turned pattern of stripes",
    `<pattern id="p" x="3" width="12" height="12" patternUnits="userSpaceOnUse" patternTransform="rotate(30)"><rect width="6" height="12" fill="#c8553d"/></pattern><circle cx="100" cy="50" r="45" fill="url(#p)" fill-opacity=".7"/>`,
    2,
    "preserved",
  ],
  [
    "a pattern in shares of the box",
    `<pattern id="a" width=".25" height=".5" viewBox="0 0 10 10"><path d="M0 0h10v10z" fill="purple"/></pattern><pattern id="p" href="#a"/><rect ${RECT} fill="url(#p)"/>`,
    2,
    "preserved",
  ],
  [
    "a pattern on a stroke",
    `<pattern id="p" width="10" height="10" patternUnits="userSpaceOnUse"><rect width="5" height="10" fill="olive"/></pattern><circle cx="100" cy="50" r="35" fill="none" stroke="url(#p)" stroke-width="20"/>`,
    2,
    "preserved",
  ],
  [
    "a mask with a gradient",
    `<linearGradient id="g"><stop stop-color="white"/><stop offset="1" stop-color="black"/></linearGradient><mask id="m"><rect width="200" height="100" fill="url(#g)"/></mask><rect ${RECT} fill="crimson" mask="url(#m)"/>`,
    1,
    "preserved",
  ],
  [
    "a mask of colors in shares of the box",
    `<mask id="m" x="0" y="0" width="1" height="1" maskContentUnits="objectBoundingBox"><rect width=".5" height="1" fill="red"/><circle cx=".75" cy=".5" r=".25" fill="lime" fill-opacity=".8"/></mask><g mask="url(#m)" opacity=".9"><rect ${RECT} fill="navy"/></g>`,
    1,
    "preserved",
  ],
  [
    "a mask by alpha",
    `<mask id="m" style="mask-type:alpha" maskUnits="userSpaceOnUse" x="0" y="0" width="200" height="100"><circle cx="80" cy="45" r="35" fill="black" fill-opacity=".6"/></mask><rect ${RECT} fill="crimson" mask="url(#m)"/>`,
    1,
    "preserved",
  ],
  [
    "a mask of a text",
    `<mask id="m"><rect width="200" height="100" fill="white"/><text x="25" y="60" font-size="36" ${FONT} font-weight="bold">Cut</text></mask><rect ${RECT} fill="teal" mask="url(#m)"/>`,
    1,
    "preserved",
  ],
  [
    "a repeated gradient",
    `<linearGradient id="g" x2=".5" spreadMethod="repeat"><stop stop-color="gold"/><stop offset="1" stop-color="navy"/></linearGradient><rect ${RECT} fill="url(#g)"/>`,
    1,
  ],
  [
    "a reflected gradient",
    `<linearGradient id="g" x1=".4" x2=".6" spreadMethod="reflect"><stop stop-color="gold"/><stop offset="1" stop-color="navy"/></linearGradient><rect ${RECT} fill="url(#g)"/>`,
    1,
  ],
  [
    "reflected rings",
    `<radialGradient id="g" r=".2" spreadMethod="reflect"><stop stop-color="gold"/><stop offset="1" stop-color="navy"/></radialGradient><rect ${RECT} fill="url(#g)"/>`,
    1,
  ],
];

/** What resvg does not know, and what it knows instead. */
const JUDGED: readonly (readonly [string, string])[] = [
  [
    "font:bold 30px/1.4 \"Nowhere\", 'Noto Sans', serif",
    "font-family:Noto Sans;font-weight:bold;font-size:30px",
  ],
  ['style="mask-type:alpha" maskUnits', "maskUnits"],
  ['fill="black" fill-opacity=".6"', 'fill="white" fill-opacity=".6"'],
];

function judgedAs(body: string): string {
  if (body.includes("auto-start-reverse")) {
    const start = ARROW.replace('"m"', '"s"')
      .replace('refX="8"', 'refX="2"')
      .replace("auto-start-reverse", "auto")
      .replace("M0 0L10 5L0 10z", "M10 0L0 5L10 10z");
    return (
      start +
      body
        .replace("auto-start-reverse", "auto")
        .replace('marker-start="url(#m)"', 'marker-start="url(#s)"')
        .replace("marker:url(#m)", "marker-start:url(#s);marker-mid:url(#m);marker-end:url(#m)")
    );
  }
  return JUDGED.reduce((plain, [from, to]) => plain.replace(from, to), body);
}

/** Those of one mode have it. */
export function effectDrawings(svgOf: (body: string) => string): HarmlessDrawing[] {
  return EFFECTS.map(([name, body, objects, mode]) => ({
    name,
    svg: svgOf(body),
    objects,
    judged: svgOf(judgedAs(body)),
    ...(mode !== undefined && { mode }),
  }));
}
