/** Drawings as programs write them, without content that is refused. Each is 200 × 100 unless its attributes say otherwise. */
import { effectDrawings } from "./harmless-effects.ts";

export interface HarmlessDrawing {
  readonly name: string;
  readonly svg: string;
  /** Objects that it draws; those of an `editable` import. */
  readonly objects: number;
  /** The modes that take it; both if left out. */
  readonly mode?: "editable" | "preserved";
  /** The same picture without what resvg does not know. */
  readonly judged?: string;
}

const NS = 'xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink"';

export function svgOf(body: string, attributes = 'viewBox="0 0 200 100"'): string {
  return `<svg ${NS} ${attributes}>${body}</svg>`;
}

const RECT = 'x="20" y="20" width="120" height="50"';
const GRADIENT =
  '<stop offset="0" stop-color="#2e9e8f"/><stop offset=".6" stop-color="gold"/><stop offset="1" stop-color="#7a1f3d"/>';

const BODIES: readonly (readonly [
  name: string,
  body: string,
  objects: number,
  attributes?: string,
])[] = [
  ["a rectangle", `<rect ${RECT} fill="teal"/>`, 1],
  ["rounded corners", `<rect ${RECT} rx="12" fill="teal" stroke="navy" stroke-width="4"/>`, 1],
  ["elliptic corners", `<rect ${RECT} rx="30" ry="10" fill="teal"/>`, 1],
  ["corners beyond the half", `<rect ${RECT} rx="500" fill="teal"/>`, 1],
  ["a circle", '<circle cx="80" cy="50" r="35" fill="#c8553d"/>', 1],
  ["an ellipse", '<ellipse cx="90" cy="50" rx="70" ry="30" fill="#c8553d"/>', 1],
  ["lines", '<line x1="10" y1="10" x2="180" y2="90" stroke="navy" stroke-width="6"/>', 1],
  [
    "a polyline",
    '<polyline points="10,90 60,10 110,90 160,10" fill="none" stroke="green" stroke-width="5"/>',
    1,
  ],
  ["a polygon", '<polygon points="100,10 150,90 50,90" fill="purple"/>', 1],
  ["a path of lines", '<path d="M20 20H150V80H20z" fill="orange"/>', 1],
  [
    "a path of curves",
    '<path d="M20 80C40 10 80 10 100 50S160 90 180 20L180 95H20z" fill="orange"/>',
    1,
  ],
  ["quadratic curves", '<path d="M10 80Q60 0 110 50T190 50V95H10z" fill="brown"/>', 1],
  ["arcs", '<path d="M40 50A40 30 15 0 1 160 60A40 30 15 0 1 40 50z" fill="brown"/>', 1],
  [
    "relative commands",
    '<path d="m20 20h60v30l40 20-30 20z m100 0l30 30h-30z" fill="crimson"/>',
    1,
  ],
  ["numbers without separators", '<path d="M10.5.5L90-.5.5 90.5z" fill="crimson"/>', 1],
  [
    "a hole by the even-odd rule",
    '<path fill-rule="evenodd" d="M20 20H180V90H20zM60 40H140V70H60z" fill="#345"/>',
    1,
  ],
  ["a hole by direction", '<path d="M20 20H180V90H20zM60 40V70H140V40z" fill="#345"/>', 1],
  [
    "dashes",
    '<line x1="10" y1="50" x2="190" y2="50" stroke="#345" stroke-width="8" stroke-dasharray="20 10"/>',
    1,
  ],
  [
    "round ends and corners",
    '<polyline points="30,80 90,30 150,80" fill="none" stroke="#345" stroke-width="16" stroke-linecap="round" stroke-linejoin="round"/>',
    1,
  ],
  [
    "square ends, beveled corners",
    '<polyline points="30,80 90,30 150,80" fill="none" stroke="#345" stroke-width="16" stroke-linecap="square" stroke-linejoin="bevel"/>',
    1,
  ],
  [
    "opacities",
    `<rect ${RECT} fill="red" fill-opacity=".4" stroke="blue" stroke-opacity=".5" stroke-width="10"/>`,
    1,
  ],
  [
    "a transparent group",
    `<g opacity=".5"><rect ${RECT} fill="red"/><circle cx="140" cy="60" r="30" fill="blue"/></g>`,
    2,
  ],
  ["nested opacity", `<g opacity=".8"><g opacity=".5"><rect ${RECT} fill="red"/></g></g>`, 1],
  [
    "a moved group",
    `<g transform="translate(30 10)"><rect width="60" height="40" fill="teal"/></g>`,
    1,
  ],
  ["a turned rectangle", `<rect ${RECT} transform="rotate(20 100 50)" fill="teal"/>`, 1],
  ["a scaled circle", '<circle cx="20" cy="20" r="15" transform="scale(4 2)" fill="teal"/>', 1],
  [
    "a turned ellipse",
    '<ellipse cx="100" cy="50" rx="60" ry="20" transform="rotate(-30 100 50)" fill="teal"/>',
    1,
  ],
  ["a skewed rectangle", `<rect ${RECT} transform="skewX(20)" fill="teal"/>`, 1],
  [
    "a mirrored path",
    '<path transform="matrix(-1 0 0 1 200 0)" d="M20 20L100 20L20 80z" fill="teal"/>',
    1,
  ],
  [
    "nested transforms",
    '<g transform="translate(100 50)"><g transform="rotate(30)"><g transform="scale(2 1)"><rect x="-20" y="-20" width="40" height="40" fill="olive"/></g></g></g>',
    1,
  ],
  [
    "a linear gradient",
    `<linearGradient id="g">${GRADIENT}</linearGradient><rect ${RECT} fill="url(#g)"/>`,
    1,
  ],
  [
    "a vertical gradient",
    `<linearGradient id="g" x2="0" y2="1">${GRADIENT}</linearGradient><circle cx="100" cy="50" r="45" fill="url(#g)"/>`,
    1,
  ],
  [
    "a radial gradient",
    `<radialGradient id="g">${GRADIENT}</radialGradient><rect ${RECT} fill="url(#g)"/>`,
    1,
  ],
  [
    "a focal point",
    `<radialGradient id="g" fx=".3" fy=".3">${GRADIENT}</radialGradient><circle cx="100" cy="50" r="45" fill="url(#g)"/>`,
    1,
  ],
  [
    "a gradient in user space",
    `<linearGradient id="g" gradientUnits="userSpaceOnUse" x1="20" y1="20" x2="140" y2="70">${GRADIENT}</linearGradient><rect ${RECT} fill="url(#g)"/>`,
    1,
  ],
  [
    "a radial one in user space",
    `<radialGradient id="g" gradientUnits="userSpaceOnUse" cx="80" cy="45" r="60">${GRADIENT}</radialGradient><path d="M20 20H140V70H20z" fill="url(#g)"/>`,
    1,
  ],
  [
    "a transformed gradient",
    `<linearGradient id="g" gradientTransform="rotate(45 .5 .5)">${GRADIENT}</linearGradient><rect ${RECT} fill="url(#g)"/>`,
    1,
  ],
  [
    "a gradient on a turned shape",
    `<linearGradient id="g">${GRADIENT}</linearGradient><rect ${RECT} transform="rotate(15 80 45)" fill="url(#g)"/>`,
    1,
  ],
  [
    "a gradient on a skewed shape",
    `<linearGradient id="g">${GRADIENT}</linearGradient><rect ${RECT} transform="skewX(15)" fill="url(#g)"/>`,
    1,
  ],
  [
    "a gradient in a scaled group",
    `<linearGradient id="g" gradientUnits="userSpaceOnUse" x1="10" x2="70" y1="0" y2="0">${GRADIENT}</linearGradient><g transform="scale(2 1.5)"><rect x="10" y="10" width="60" height="40" fill="url(#g)"/></g>`,
    1,
  ],
  [
    "a gradient by reference",
    `<linearGradient id="a">${GRADIENT}</linearGradient><linearGradient id="g" xlink:href="#a" y2="1"/><rect ${RECT} fill="url(#g)"/>`,
    1,
  ],
  [
    "a fading gradient",
    `<linearGradient id="g"><stop stop-color="red"/><stop offset="1" stop-color="blue" stop-opacity="0"/></linearGradient><rect ${RECT} fill="url(#g)"/>`,
    1,
  ],
  [
    "a gradient on a stroke",
    `<linearGradient id="g">${GRADIENT}</linearGradient><rect ${RECT} fill="none" stroke="url(#g)" stroke-width="12"/>`,
    1,
  ],
  [
    "a style sheet",
    '<style>.a{fill:#c8553d}#b{fill:navy}rect{stroke:black;stroke-width:3}</style><rect class="a" x="10" y="10" width="60" height="60"/><rect id="b" x="100" y="10" width="60" height="60"/>',
    2,
  ],
  [
    "combined selectors",
    '<style><![CDATA[g .a > rect{fill:#c8553d} g[id="k"] circle{fill:navy}]]></style><g id="k"><g class="a"><rect x="10" y="10" width="60" height="60"/></g><circle cx="140" cy="50" r="30"/></g>',
    2,
  ],
  [
    "style attributes",
    '<g style="fill:#c8553d;stroke:navy"><rect x="20" y="20" width="90" height="60" style="stroke-width:5"/></g>',
    1,
  ],
  ["currentColor", `<g color="#7a1f3d"><rect ${RECT} fill="currentColor"/></g>`, 1],
  [
    "colors of all kinds",
    '<g stroke="none"><rect width="40" height="90" fill="rgb(10,120,200)"/><rect x="45" width="40" height="90" fill="hsl(120,50%,40%)"/><rect x="90" width="40" height="90" fill="#abc"/><rect x="135" width="40" height="90" fill="rgba(200,20,20,.5)"/></g>',
    4,
  ],
  [
    "uses",
    '<defs><circle id="c" r="20" fill="teal"/></defs><use href="#c" x="40" y="50"/><use xlink:href="#c" x="100" y="50"/><use href="#c" transform="translate(160 50) scale(.5)"/>',
    3,
  ],
  [
    "a use with its own color",
    '<defs><g id="c"><rect width="40" height="40"/></g></defs><use href="#c" x="20" y="20" fill="red"/><use href="#c" x="100" y="20" fill="blue"/>',
    2,
  ],
  [
    "a symbol",
    '<symbol id="s" viewBox="0 0 10 10"><path d="M5 0L10 10H0z" fill="purple"/></symbol><use href="#s" x="20" y="10" width="80" height="80"/><use href="#s" x="120" y="30" width="40" height="40"/>',
    2,
  ],
  [
    "a nested drawing",
    '<svg x="50" y="10" width="100" height="80" viewBox="0 0 10 10"><circle cx="5" cy="5" r="4" fill="teal"/></svg>',
    1,
  ],
  ["a switch", `<switch><rect ${RECT} fill="teal"/><rect width="200" height="100"/></switch>`, 1],
  [
    "what is not shown",
    `<rect ${RECT} fill="teal"/><rect width="9" height="9" display="none"/><rect width="9" height="9" visibility="hidden"/><circle r="0"/>`,
    1,
  ],
  ["a link", `<a href="https://a.example/"><rect ${RECT} fill="teal"/></a>`, 1],
  [
    "strokes first",
    '<circle cx="100" cy="50" r="30" fill="gold" stroke="navy" stroke-width="20" paint-order="stroke"/>',
    1,
  ],
  [
    "the file of an editor",
    `<sodipodi:namedview xmlns:sodipodi="http://sodipodi.example/ns"/><metadata><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><rdf:li resource="http://a.example"/></rdf:RDF></metadata><title>T</title><desc>D</desc><g id="layer1" inkscape:label="Layer" xmlns:inkscape="http://inkscape.example/ns"><path d="M20 20h100v50h-100z" style="fill:#2e9e8f;fill-opacity:1;stroke:none"/></g>`,
    1,
  ],
  [
    "a drawing at an offset",
    '<rect x="-40" y="10" width="100" height="60" fill="teal"/>',
    1,
    'viewBox="-50 0 200 100"',
  ],
  [
    "a stretched drawing",
    '<circle cx="50" cy="50" r="40" fill="teal"/>',
    1,
    'viewBox="0 0 100 100" width="200" height="100" preserveAspectRatio="none"',
  ],
  [
    "a drawing at the right",
    '<circle cx="50" cy="50" r="40" fill="teal"/>',
    1,
    'viewBox="0 0 100 100" width="200" height="100" preserveAspectRatio="xMaxYMid meet"',
  ],
  ["a size without a view box", `<rect ${RECT} fill="teal"/>`, 1, 'width="200" height="100"'],
];

const DOCTYPE =
  '<?xml version="1.0" encoding="iso-8859-1"?><!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "http://www.w3.org/Graphics/SVG/1.1/DTD/svg11.dtd">';

export const HARMLESS: readonly HarmlessDrawing[] = [
  ...BODIES.map(([name, body, objects, attributes]) => ({
    name,
    svg: svgOf(body, attributes),
    objects,
  })),
  {
    name: "a declaration and a DOCTYPE",
    svg: DOCTYPE + svgOf(`<title>Für €</title><rect ${RECT} fill="teal"/>`),
    objects: 1,
  },
  {
    name: "a root with a prefix",
    svg: '<s:svg xmlns:s="http://www.w3.org/2000/svg" viewBox="0 0 200 100"><s:rect width="90" height="60" fill="teal"/></s:svg>',
    objects: 1,
  },
  ...effectDrawings((body) => svgOf(body)),
  {
    name: "a clip path",
    svg: svgOf(
      `<clipPath id="c"><circle cx="80" cy="45" r="40"/></clipPath><rect ${RECT} fill="teal" clip-path="url(#c)"/>`,
    ),
    objects: 1,
    mode: "preserved",
  },
  {
    name: "a clip path in shares of the box",
    svg: svgOf(
      `<clipPath id="c" clipPathUnits="objectBoundingBox"><path d="M.5 0L1 1H0z"/></clipPath><g clip-path="url(#c)"><rect ${RECT} fill="teal"/></g>`,
    ),
    objects: 1,
    mode: "preserved",
  },
];
