/** Files that must look the same after cleaning. */
export const HARMLESS_SVGS: readonly (readonly [name: string, svg: string])[] = [
  [
    "rect",
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24"><rect x="2" y="2" width="20" height="20"/></svg>',
  ],
  [
    "rounded rect",
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24"><rect x="2" y="2" width="20" height="20" rx="5" ry="3" fill="teal"/></svg>',
  ],
  [
    "circle",
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24"><circle cx="12" cy="12" r="9" fill="#f0f"/></svg>',
  ],
  [
    "ellipse",
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24"><ellipse cx="12" cy="12" rx="9" ry="4" fill="hsl(200,50%,50%)"/></svg>',
  ],
  [
    "line",
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24"><line x1="1" y1="1" x2="23" y2="23" stroke="black" stroke-width="3"/></svg>',
  ],
  [
    "polyline",
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24"><polyline points="1,1 12,20 23,1" fill="none" stroke="red"/></svg>',
  ],
  [
    "polygon",
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24"><polygon points="1,1 12,20 23,1" fill="rgb(10,200,30)"/></svg>',
  ],
  [
    "path with arcs",
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24"><path d="M4 12a8 8 0 1 1 16 0a8 8 0 1 1-16 0z" fill="#08f"/></svg>',
  ],
  [
    "fill rule",
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24"><path fill-rule="evenodd" d="M2 2h20v20H2zM6 6h12v12H6z"/></svg>',
  ],
  [
    "stroke dashes",
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24"><path d="M2 12h20" stroke="#000" stroke-dasharray="3 2" stroke-dashoffset="1" stroke-linecap="round" stroke-width="2"/></svg>',
  ],
  [
    "stroke joins",
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24"><path d="M4 20L12 4L20 20" fill="none" stroke="#333" stroke-linejoin="round" stroke-width="4" stroke-miterlimit="2"/></svg>',
  ],
  [
    "opacity",
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24"><g opacity=".5"><rect width="16" height="16" fill="red"/><rect x="8" y="8" width="16" height="16" fill="blue" fill-opacity=".4"/></g></svg>',
  ],
  [
    "transforms",
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24"><g transform="translate(12 12) rotate(45) scale(.8)"><rect x="-6" y="-6" width="12" height="12"/></g></svg>',
  ],
  [
    "matrix and skew",
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24"><rect width="10" height="10" transform="matrix(1 .2 -.3 1 6 3) skewX(10)"/></svg>',
  ],
  [
    "nested svg",
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24"><svg x="4" y="4" width="16" height="16" viewBox="0 0 8 8"><circle cx="4" cy="4" r="4"/></svg></svg>',
  ],
  [
    "preserveAspectRatio",
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24"><svg width="24" height="12" viewBox="0 0 10 10" preserveAspectRatio="xMinYMin slice"><rect width="10" height="10"/></svg></svg>',
  ],
  [
    "linear gradient",
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24"><defs><linearGradient id="g"><stop offset="0" stop-color="red"/><stop offset="1" stop-color="blue" stop-opacity=".5"/></linearGradient></defs><rect width="24" height="24" fill="url(#g)"/></svg>',
  ],
  [
    "radial gradient",
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24"><radialGradient id="g" cx=".4" cy=".4" r=".6" fx=".3" fy=".3"><stop offset="0" stop-color="#fff"/><stop offset="1"/></radialGradient><circle cx="12" cy="12" r="11" fill="url(#g)"/></svg>',
  ],
  [
    "gradient inheritance",
    '<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" viewBox="0 0 24 24"><linearGradient id="a"><stop offset=".2" stop-color="lime"/><stop offset=".8" stop-color="navy"/></linearGradient><linearGradient id="b" xlink:href="#a" x1="0" y1="0" x2="0" y2="1" gradientTransform="rotate(20)"/><rect width="24" height="24" fill="url(#b)"/></svg>',
  ],
  [
    "gradient href",
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24"><linearGradient id="a"><stop offset=".2" stop-color="lime"/><stop offset=".8" stop-color="navy"/></linearGradient><linearGradient id="b" href="#a" spreadMethod="reflect" gradientUnits="userSpaceOnUse" x2="6"/><rect width="24" height="24" fill="url(#b)"/></svg>',
  ],
  [
    "paint fallback",
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24"><rect width="24" height="24" fill="url(#none) orange"/></svg>',
  ],
  [
    "pattern",
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24"><pattern id="p" width="4" height="4" patternUnits="userSpaceOnUse"><rect width="2" height="2" fill="purple"/></pattern><rect width="24" height="24" fill="url(#p)"/></svg>',
  ],
  [
    "clip path",
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24"><clipPath id="c"><circle cx="12" cy="12" r="8"/></clipPath><rect width="24" height="24" clip-path="url(#c)"/></svg>',
  ],
  [
    "mask",
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24"><mask id="m"><rect width="24" height="24" fill="white"/><circle cx="12" cy="12" r="6" fill="black"/></mask><rect width="24" height="24" mask="url(#m)"/></svg>',
  ],
  [
    "luminance mask units",
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24"><mask id="m" maskUnits="userSpaceOnUse" x="0" y="0" width="12" height="24"><rect width="24" height="24" fill="#888"/></mask><rect width="24" height="24" mask="url(#m)" fill="red"/></svg>',
  ],
  [
    "marker",
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24"><marker id="m" markerWidth="4" markerHeight="4" refX="2" refY="2" orient="auto"><circle cx="2" cy="2" r="2" fill="red"/></marker><path d="M3 3L12 20L21 3" fill="none" stroke="#000" marker-start="url(#m)" marker-mid="url(#m)" marker-end="url(#m)"/></svg>',
  ],
  [
    "use and symbol",
    '<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" viewBox="0 0 24 24"><symbol id="s" viewBox="0 0 10 10"><circle cx="5" cy="5" r="5"/></symbol><use href="#s" x="2" y="2" width="8" height="8"/><use xlink:href="#s" x="12" y="12" width="10" height="10" fill="red"/></svg>',
  ],
  [
    "use of a group",
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24"><defs><g id="a"><rect width="5" height="5"/></g></defs><use href="#a" transform="translate(3 3)"/><use href="#a" x="12" y="9"/></svg>',
  ],
  [
    "switch by language",
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24"><switch><rect systemLanguage="xx" width="24" height="24" fill="red"/><rect systemLanguage="en" width="24" height="24" fill="green"/></switch></svg>',
  ],
  [
    "switch after foreignObject",
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24"><switch><foreignObject requiredExtensions="urn:x" width="24" height="24"/><rect width="24" height="24" fill="green"/></switch></svg>',
  ],
  [
    "style element",
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24"><style>.a{fill:red;stroke:#000}#b{fill:blue}rect.a{stroke-width:2}</style><rect class="a" x="2" y="2" width="9" height="9"/><rect id="b" x="13" y="2" width="9" height="9"/></svg>',
  ],
  [
    "style with comments and important",
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24"><style>/* c */.a { fill : red !important ; /* d */ opacity: .5 } rect{fill:blue}</style><rect class="a" width="24" height="24"/></svg>',
  ],
  [
    "style in CDATA",
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24"><style type="text/css"><![CDATA[ rect { fill: teal; } g > rect { stroke: red } ]]></style><g><rect x="3" y="3" width="18" height="18"/></g></svg>',
  ],
  [
    "style with child and first-child",
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24"><style>g>rect:first-child{fill:red}g rect{opacity:.7}[id="q"]{fill:lime}</style><g><rect width="9" height="9"/><rect id="q" x="10" width="9" height="9"/></g></svg>',
  ],
  [
    "style attribute",
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24"><rect style="fill:red;stroke:#000;stroke-width:2px;fill-opacity:.4" x="2" y="2" width="20" height="20"/></svg>',
  ],
  [
    "style with gradient url",
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24"><linearGradient id="g"><stop style="stop-color:red" offset="0"/><stop style="stop-color:#00f;stop-opacity:.3" offset="1"/></linearGradient><rect style="fill:url(#g)" width="24" height="24"/></svg>',
  ],
  [
    "style url in quotes",
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24"><clipPath id="c"><circle cx="12" cy="12" r="8"/></clipPath><rect style="clip-path:url(#c)" width="24" height="24"/></svg>',
  ],
  [
    "blur",
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24"><filter id="f"><feGaussianBlur stdDeviation="2"/></filter><rect x="6" y="6" width="12" height="12" filter="url(#f)"/></svg>',
  ],
  [
    "drop shadow",
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24"><filter id="f"><feDropShadow dx="2" dy="2" stdDeviation="1" flood-color="red" flood-opacity=".6"/></filter><rect x="4" y="4" width="12" height="12" filter="url(#f)"/></svg>',
  ],
  [
    "offset merge",
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24"><filter id="f"><feOffset in="SourceAlpha" dx="2" dy="2" result="o"/><feMerge><feMergeNode in="o"/><feMergeNode in="SourceGraphic"/></feMerge></filter><rect x="4" y="4" width="12" height="12" fill="red" filter="url(#f)"/></svg>',
  ],
  [
    "color matrix",
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24"><filter id="f"><feColorMatrix type="matrix" values="0 1 0 0 0 1 0 0 0 0 0 0 1 0 0 0 0 0 1 0"/></filter><rect width="24" height="24" fill="red" filter="url(#f)"/></svg>',
  ],
  [
    "component transfer",
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24"><filter id="f"><feComponentTransfer><feFuncR type="table" tableValues="0 .5 1"/><feFuncG type="linear" slope=".5" intercept=".2"/></feComponentTransfer></filter><rect width="24" height="24" fill="orange" filter="url(#f)"/></svg>',
  ],
  [
    "blend and composite",
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24"><filter id="f"><feFlood flood-color="blue" result="b"/><feBlend in="SourceGraphic" in2="b" mode="multiply" result="c"/><feComposite in="c" in2="SourceAlpha" operator="arithmetic" k1=".5" k2=".5" k3=".2" k4="0"/></filter><rect x="4" y="4" width="16" height="16" fill="yellow" filter="url(#f)"/></svg>',
  ],
  [
    "turbulence and displacement",
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24"><filter id="f"><feTurbulence type="fractalNoise" baseFrequency=".1" numOctaves="2" seed="3" result="t"/><feDisplacementMap in="SourceGraphic" in2="t" scale="4" xChannelSelector="R" yChannelSelector="G"/></filter><rect x="4" y="4" width="16" height="16" filter="url(#f)"/></svg>',
  ],
  [
    "lighting",
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24"><filter id="f"><feDiffuseLighting surfaceScale="3" diffuseConstant="1" lighting-color="#fc8"><fePointLight x="5" y="5" z="10"/></feDiffuseLighting></filter><rect width="24" height="24" filter="url(#f)"/></svg>',
  ],
  [
    "specular spot light",
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24"><filter id="f"><feSpecularLighting specularExponent="10" specularConstant="1.2" lighting-color="#fff"><feSpotLight x="5" y="5" z="10" pointsAtX="12" pointsAtY="12" limitingConeAngle="50"/></feSpecularLighting></filter><rect width="24" height="24" filter="url(#f)"/></svg>',
  ],
  [
    "morphology and tile",
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24"><filter id="f" primitiveUnits="userSpaceOnUse"><feMorphology operator="dilate" radius="1"/><feTile/></filter><rect x="8" y="8" width="8" height="8" filter="url(#f)"/></svg>',
  ],
  [
    "convolve",
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24"><filter id="f"><feConvolveMatrix order="3" kernelMatrix="0 -1 0 -1 5 -1 0 -1 0" edgeMode="duplicate" preserveAlpha="true"/></filter><circle cx="12" cy="12" r="8" filter="url(#f)"/></svg>',
  ],
  [
    "filter units",
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24"><filter id="f" x="-50%" y="-50%" width="200%" height="200%" filterUnits="objectBoundingBox" color-interpolation-filters="sRGB"><feGaussianBlur stdDeviation="1 3"/></filter><rect x="8" y="8" width="8" height="8" filter="url(#f)"/></svg>',
  ],
  [
    "css filter function",
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24"><rect x="6" y="6" width="12" height="12" fill="red" filter="blur(1) grayscale(.5)"/></svg>',
  ],
  [
    "embedded png",
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24"><image href="data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAIAAAACCAIAAAD91JpzAAAAFElEQVR4nGP4z8DAAMIM////ZwAAHu8E/KPItPcAAAAASUVORK5CYII=" x="2" y="2" width="20" height="20" image-rendering="optimizeSpeed"/></svg>',
  ],
  [
    "embedded png with line breaks",
    '<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" viewBox="0 0 24 24"><image xlink:href="data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAIAAAACCAIAAAD91JpzAAAAFElEQVR4nGP4z8DAAMIM////ZwAAHu8E/KPItPcAAAAASUVORK5CYII=" x="2" y="2" width="20" height="20"/></svg>',
  ],
  [
    "embedded gif",
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24"><image href="data:image/gif;base64,R0lGODlhAQABAIAAAP8AAAAA/ywAAAAAAQABAAACAkQBADs=" x="2" y="2" width="20" height="20"/></svg>',
  ],
  [
    "currentColor",
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24"><g color="green"><rect width="24" height="24" fill="currentColor"/></g></svg>',
  ],
  [
    "display and visibility",
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24"><rect width="12" height="24"/><rect x="12" width="12" height="24" display="none"/><rect x="12" width="12" height="6" visibility="hidden"/></svg>',
  ],
  [
    "paint order and vector effect",
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24"><path d="M4 12h16" stroke="red" stroke-width="6" paint-order="stroke" vector-effect="non-scaling-stroke"/></svg>',
  ],
  [
    "mix blend mode",
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24"><rect width="16" height="16" fill="red"/><rect x="8" y="8" width="16" height="16" fill="lime" style="mix-blend-mode:multiply;isolation:isolate"/></svg>',
  ],
  [
    "overflow visible",
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24"><svg width="8" height="8" overflow="visible"><rect width="20" height="20"/></svg></svg>',
  ],
  [
    "shape rendering",
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24"><circle cx="12" cy="12" r="9" shape-rendering="crispEdges"/></svg>',
  ],
  [
    "links around shapes",
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24"><a href="https://example.com/"><rect width="24" height="24" fill="navy"/></a></svg>',
  ],
  [
    "editor leftovers",
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24"><sodipodi:namedview xmlns:sodipodi="http://sodipodi.sourceforge.net/DTD/sodipodi-0.dtd" pagecolor="#fff"/><g xmlns:inkscape="http://www.inkscape.org/namespaces/inkscape" inkscape:label="Layer 1" inkscape:groupmode="layer"><rect width="24" height="24" fill="maroon"/></g></svg>',
  ],
  [
    "prefixed document",
    '<s:svg xmlns:s="http://www.w3.org/2000/svg" viewBox="0 0 24 24"><s:rect width="12" height="24" fill="olive"/></s:svg>',
  ],
  [
    "declaration, doctype and comments",
    '<?xml version="1.0" encoding="UTF-8" standalone="no"?>\n<!-- made by hand -->\n<!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "http://www.w3.org/Graphics/SVG/1.1/DTD/svg11.dtd">\n<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24"><!-- x --><rect width="24" height="24" fill="gold"/></svg>',
  ],
  [
    "units and no viewBox",
    '<svg xmlns="http://www.w3.org/2000/svg" width="3cm" height="40mm"><rect width="50%" height="1cm" fill="tan"/></svg>',
  ],
  [
    "white space in attributes",
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24"><path d="M2\n2\th20\r\nv20 z" fill="red"/></svg>',
  ],
  [
    "non-ascii ids",
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24"><linearGradient id="größe"><stop offset="0" stop-color="red"/></linearGradient><rect width="24" height="24" fill="url(#größe)"/></svg>',
  ],
  [
    "many shapes",
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24"><rect x="0" y="0" width="1" height="1" fill="#000"/><rect x="1" y="0" width="1" height="1" fill="#025"/><rect x="2" y="0" width="1" height="1" fill="#04a"/><rect x="3" y="0" width="1" height="1" fill="#06f"/><rect x="4" y="0" width="1" height="1" fill="#094"/><rect x="5" y="0" width="1" height="1" fill="#0b9"/><rect x="6" y="0" width="1" height="1" fill="#0de"/><rect x="7" y="0" width="1" height="1" fill="#103"/><rect x="8" y="0" width="1" height="1" fill="#128"/><rect x="9" y="0" width="1" height="1" fill="#14d"/><rect x="10" y="0" width="1" height="1" fill="#172"/><rect x="11" y="0" width="1" height="1" fill="#197"/><rect x="12" y="0" width="1" height="1" fill="#1bc"/><rect x="13" y="0" width="1" height="1" fill="#1e1"/><rect x="14" y="0" width="1" height="1" fill="#206"/><rect x="15" y="0" width="1" height="1" fill="#22b"/><rect x="16" y="0" width="1" height="1" fill="#250"/><rect x="17" y="0" width="1" height="1" fill="#275"/><rect x="18" y="0" width="1" height="1" fill="#29a"/><rect x="19" y="0" width="1" height="1" fill="#2bf"/><rect x="20" y="0" width="1" height="1" fill="#2e4"/><rect x="21" y="0" width="1" height="1" fill="#309"/><rect x="22" y="0" width="1" height="1" fill="#32e"/><rect x="23" y="0" width="1" height="1" fill="#353"/><rect x="0" y="1" width="1" height="1" fill="#378"/><rect x="1" y="1" width="1" height="1" fill="#39d"/><rect x="2" y="1" width="1" height="1" fill="#3c2"/><rect x="3" y="1" width="1" height="1" fill="#3e7"/><rect x="4" y="1" width="1" height="1" fill="#40c"/><rect x="5" y="1" width="1" height="1" fill="#431"/><rect x="6" y="1" width="1" height="1" fill="#456"/><rect x="7" y="1" width="1" height="1" fill="#47b"/><rect x="8" y="1" width="1" height="1" fill="#4a0"/><rect x="9" y="1" width="1" height="1" fill="#4c5"/><rect x="10" y="1" width="1" height="1" fill="#4ea"/><rect x="11" y="1" width="1" height="1" fill="#50f"/><rect x="12" y="1" width="1" height="1" fill="#534"/><rect x="13" y="1" width="1" height="1" fill="#559"/><rect x="14" y="1" width="1" height="1" fill="#57e"/><rect x="15" y="1" width="1" height="1" fill="#5a3"/><rect x="16" y="1" width="1" height="1" fill="#5c8"/><rect x="17" y="1" width="1" height="1" fill="#5ed"/><rect x="18" y="1" width="1" height="1" fill="#612"/><rect x="19" y="1" width="1" height="1" fill="#637"/><rect x="20" y="1" width="1" height="1" fill="#65c"/><rect x="21" y="1" width="1" height="1" fill="#681"/><rect x="22" y="1" width="1" height="1" fill="#6a6"/><rect x="23" y="1" width="1" height="1" fill="#6cb"/><rect x="0" y="2" width="1" height="1" fill="#6f0"/><rect x="1" y="2" width="1" height="1" fill="#715"/><rect x="2" y="2" width="1" height="1" fill="#73a"/><rect x="3" y="2" width="1" height="1" fill="#75f"/><rect x="4" y="2" width="1" height="1" fill="#784"/><rect x="5" y="2" width="1" height="1" fill="#7a9"/><rect x="6" y="2" width="1" height="1" fill="#7ce"/><rect x="7" y="2" width="1" height="1" fill="#7f3"/><rect x="8" y="2" width="1" height="1" fill="#818"/><rect x="9" y="2" width="1" height="1" fill="#83d"/><rect x="10" y="2" width="1" height="1" fill="#862"/><rect x="11" y="2" width="1" height="1" fill="#887"/><rect x="12" y="2" width="1" height="1" fill="#8ac"/><rect x="13" y="2" width="1" height="1" fill="#8d1"/><rect x="14" y="2" width="1" height="1" fill="#8f6"/><rect x="15" y="2" width="1" height="1" fill="#91b"/><rect x="16" y="2" width="1" height="1" fill="#940"/><rect x="17" y="2" width="1" height="1" fill="#965"/><rect x="18" y="2" width="1" height="1" fill="#98a"/><rect x="19" y="2" width="1" height="1" fill="#9af"/><rect x="20" y="2" width="1" height="1" fill="#9d4"/><rect x="21" y="2" width="1" height="1" fill="#9f9"/><rect x="22" y="2" width="1" height="1" fill="#a1e"/><rect x="23" y="2" width="1" height="1" fill="#a43"/><rect x="0" y="3" width="1" height="1" fill="#a68"/><rect x="1" y="3" width="1" height="1" fill="#a8d"/><rect x="2" y="3" width="1" height="1" fill="#ab2"/><rect x="3" y="3" width="1" height="1" fill="#ad7"/><rect x="4" y="3" width="1" height="1" fill="#afc"/><rect x="5" y="3" width="1" height="1" fill="#b21"/><rect x="6" y="3" width="1" height="1" fill="#b46"/><rect x="7" y="3" width="1" height="1" fill="#b6b"/><rect x="8" y="3" width="1" height="1" fill="#b90"/><rect x="9" y="3" width="1" height="1" fill="#bb5"/><rect x="10" y="3" width="1" height="1" fill="#bda"/><rect x="11" y="3" width="1" height="1" fill="#bff"/><rect x="12" y="3" width="1" height="1" fill="#c24"/><rect x="13" y="3" width="1" height="1" fill="#c49"/><rect x="14" y="3" width="1" height="1" fill="#c6e"/><rect x="15" y="3" width="1" height="1" fill="#c93"/><rect x="16" y="3" width="1" height="1" fill="#cb8"/><rect x="17" y="3" width="1" height="1" fill="#cdd"/><rect x="18" y="3" width="1" height="1" fill="#d02"/><rect x="19" y="3" width="1" height="1" fill="#d27"/><rect x="20" y="3" width="1" height="1" fill="#d4c"/><rect x="21" y="3" width="1" height="1" fill="#d71"/><rect x="22" y="3" width="1" height="1" fill="#d96"/><rect x="23" y="3" width="1" height="1" fill="#dbb"/><rect x="0" y="4" width="1" height="1" fill="#de0"/><rect x="1" y="4" width="1" height="1" fill="#e05"/><rect x="2" y="4" width="1" height="1" fill="#e2a"/><rect x="3" y="4" width="1" height="1" fill="#e4f"/><rect x="4" y="4" width="1" height="1" fill="#e74"/><rect x="5" y="4" width="1" height="1" fill="#e99"/><rect x="6" y="4" width="1" height="1" fill="#ebe"/><rect x="7" y="4" width="1" height="1" fill="#ee3"/><rect x="8" y="4" width="1" height="1" fill="#f08"/><rect x="9" y="4" width="1" height="1" fill="#f2d"/><rect x="10" y="4" width="1" height="1" fill="#f52"/><rect x="11" y="4" width="1" height="1" fill="#f77"/><rect x="12" y="4" width="1" height="1" fill="#f9c"/><rect x="13" y="4" width="1" height="1" fill="#fc1"/><rect x="14" y="4" width="1" height="1" fill="#fe6"/><rect x="15" y="4" width="1" height="1" fill="#00b"/><rect x="16" y="4" width="1" height="1" fill="#030"/><rect x="17" y="4" width="1" height="1" fill="#055"/><rect x="18" y="4" width="1" height="1" fill="#07a"/><rect x="19" y="4" width="1" height="1" fill="#09f"/><rect x="20" y="4" width="1" height="1" fill="#0c4"/><rect x="21" y="4" width="1" height="1" fill="#0e9"/><rect x="22" y="4" width="1" height="1" fill="#10e"/><rect x="23" y="4" width="1" height="1" fill="#133"/><rect x="0" y="5" width="1" height="1" fill="#158"/><rect x="1" y="5" width="1" height="1" fill="#17d"/><rect x="2" y="5" width="1" height="1" fill="#1a2"/><rect x="3" y="5" width="1" height="1" fill="#1c7"/><rect x="4" y="5" width="1" height="1" fill="#1ec"/><rect x="5" y="5" width="1" height="1" fill="#211"/><rect x="6" y="5" width="1" height="1" fill="#236"/><rect x="7" y="5" width="1" height="1" fill="#25b"/><rect x="8" y="5" width="1" height="1" fill="#280"/><rect x="9" y="5" width="1" height="1" fill="#2a5"/><rect x="10" y="5" width="1" height="1" fill="#2ca"/><rect x="11" y="5" width="1" height="1" fill="#2ef"/><rect x="12" y="5" width="1" height="1" fill="#314"/><rect x="13" y="5" width="1" height="1" fill="#339"/><rect x="14" y="5" width="1" height="1" fill="#35e"/><rect x="15" y="5" width="1" height="1" fill="#383"/><rect x="16" y="5" width="1" height="1" fill="#3a8"/><rect x="17" y="5" width="1" height="1" fill="#3cd"/><rect x="18" y="5" width="1" height="1" fill="#3f2"/><rect x="19" y="5" width="1" height="1" fill="#417"/><rect x="20" y="5" width="1" height="1" fill="#43c"/><rect x="21" y="5" width="1" height="1" fill="#461"/><rect x="22" y="5" width="1" height="1" fill="#486"/><rect x="23" y="5" width="1" height="1" fill="#4ab"/><rect x="0" y="6" width="1" height="1" fill="#4d0"/><rect x="1" y="6" width="1" height="1" fill="#4f5"/><rect x="2" y="6" width="1" height="1" fill="#51a"/><rect x="3" y="6" width="1" height="1" fill="#53f"/><rect x="4" y="6" width="1" height="1" fill="#564"/><rect x="5" y="6" width="1" height="1" fill="#589"/><rect x="6" y="6" width="1" height="1" fill="#5ae"/><rect x="7" y="6" width="1" height="1" fill="#5d3"/><rect x="8" y="6" width="1" height="1" fill="#5f8"/><rect x="9" y="6" width="1" height="1" fill="#61d"/><rect x="10" y="6" width="1" height="1" fill="#642"/><rect x="11" y="6" width="1" height="1" fill="#667"/><rect x="12" y="6" width="1" height="1" fill="#68c"/><rect x="13" y="6" width="1" height="1" fill="#6b1"/><rect x="14" y="6" width="1" height="1" fill="#6d6"/><rect x="15" y="6" width="1" height="1" fill="#6fb"/><rect x="16" y="6" width="1" height="1" fill="#720"/><rect x="17" y="6" width="1" height="1" fill="#745"/><rect x="18" y="6" width="1" height="1" fill="#76a"/><rect x="19" y="6" width="1" height="1" fill="#78f"/><rect x="20" y="6" width="1" height="1" fill="#7b4"/><rect x="21" y="6" width="1" height="1" fill="#7d9"/><rect x="22" y="6" width="1" height="1" fill="#7fe"/><rect x="23" y="6" width="1" height="1" fill="#823"/><rect x="0" y="7" width="1" height="1" fill="#848"/><rect x="1" y="7" width="1" height="1" fill="#86d"/><rect x="2" y="7" width="1" height="1" fill="#892"/><rect x="3" y="7" width="1" height="1" fill="#8b7"/><rect x="4" y="7" width="1" height="1" fill="#8dc"/><rect x="5" y="7" width="1" height="1" fill="#901"/><rect x="6" y="7" width="1" height="1" fill="#926"/><rect x="7" y="7" width="1" height="1" fill="#94b"/><rect x="8" y="7" width="1" height="1" fill="#970"/><rect x="9" y="7" width="1" height="1" fill="#995"/><rect x="10" y="7" width="1" height="1" fill="#9ba"/><rect x="11" y="7" width="1" height="1" fill="#9df"/><rect x="12" y="7" width="1" height="1" fill="#a04"/><rect x="13" y="7" width="1" height="1" fill="#a29"/><rect x="14" y="7" width="1" height="1" fill="#a4e"/><rect x="15" y="7" width="1" height="1" fill="#a73"/><rect x="16" y="7" width="1" height="1" fill="#a98"/><rect x="17" y="7" width="1" height="1" fill="#abd"/><rect x="18" y="7" width="1" height="1" fill="#ae2"/><rect x="19" y="7" width="1" height="1" fill="#b07"/><rect x="20" y="7" width="1" height="1" fill="#b2c"/><rect x="21" y="7" width="1" height="1" fill="#b51"/><rect x="22" y="7" width="1" height="1" fill="#b76"/><rect x="23" y="7" width="1" height="1" fill="#b9b"/><rect x="0" y="8" width="1" height="1" fill="#bc0"/><rect x="1" y="8" width="1" height="1" fill="#be5"/><rect x="2" y="8" width="1" height="1" fill="#c0a"/><rect x="3" y="8" width="1" height="1" fill="#c2f"/><rect x="4" y="8" width="1" height="1" fill="#c54"/><rect x="5" y="8" width="1" height="1" fill="#c79"/><rect x="6" y="8" width="1" height="1" fill="#c9e"/><rect x="7" y="8" width="1" height="1" fill="#cc3"/><rect x="8" y="8" width="1" height="1" fill="#ce8"/><rect x="9" y="8" width="1" height="1" fill="#d0d"/><rect x="10" y="8" width="1" height="1" fill="#d32"/><rect x="11" y="8" width="1" height="1" fill="#d57"/><rect x="12" y="8" width="1" height="1" fill="#d7c"/><rect x="13" y="8" width="1" height="1" fill="#da1"/><rect x="14" y="8" width="1" height="1" fill="#dc6"/><rect x="15" y="8" width="1" height="1" fill="#deb"/><rect x="16" y="8" width="1" height="1" fill="#e10"/><rect x="17" y="8" width="1" height="1" fill="#e35"/><rect x="18" y="8" width="1" height="1" fill="#e5a"/><rect x="19" y="8" width="1" height="1" fill="#e7f"/><rect x="20" y="8" width="1" height="1" fill="#ea4"/><rect x="21" y="8" width="1" height="1" fill="#ec9"/><rect x="22" y="8" width="1" height="1" fill="#eee"/><rect x="23" y="8" width="1" height="1" fill="#f13"/><rect x="0" y="9" width="1" height="1" fill="#f38"/><rect x="1" y="9" width="1" height="1" fill="#f5d"/><rect x="2" y="9" width="1" height="1" fill="#f82"/><rect x="3" y="9" width="1" height="1" fill="#fa7"/><rect x="4" y="9" width="1" height="1" fill="#fcc"/><rect x="5" y="9" width="1" height="1" fill="#ff1"/><rect x="6" y="9" width="1" height="1" fill="#016"/><rect x="7" y="9" width="1" height="1" fill="#03b"/><rect x="8" y="9" width="1" height="1" fill="#060"/><rect x="9" y="9" width="1" height="1" fill="#085"/><rect x="10" y="9" width="1" height="1" fill="#0aa"/><rect x="11" y="9" width="1" height="1" fill="#0cf"/><rect x="12" y="9" width="1" height="1" fill="#0f4"/><rect x="13" y="9" width="1" height="1" fill="#119"/><rect x="14" y="9" width="1" height="1" fill="#13e"/><rect x="15" y="9" width="1" height="1" fill="#163"/><rect x="16" y="9" width="1" height="1" fill="#188"/><rect x="17" y="9" width="1" height="1" fill="#1ad"/><rect x="18" y="9" width="1" height="1" fill="#1d2"/><rect x="19" y="9" width="1" height="1" fill="#1f7"/><rect x="20" y="9" width="1" height="1" fill="#21c"/><rect x="21" y="9" width="1" height="1" fill="#241"/><rect x="22" y="9" width="1" height="1" fill="#266"/><rect x="23" y="9" width="1" height="1" fill="#28b"/><rect x="0" y="10" width="1" height="1" fill="#2b0"/><rect x="1" y="10" width="1" height="1" fill="#2d5"/><rect x="2" y="10" width="1" height="1" fill="#2fa"/><rect x="3" y="10" width="1" height="1" fill="#31f"/><rect x="4" y="10" width="1" height="1" fill="#344"/><rect x="5" y="10" width="1" height="1" fill="#369"/><rect x="6" y="10" width="1" height="1" fill="#38e"/><rect x="7" y="10" width="1" height="1" fill="#3b3"/><rect x="8" y="10" width="1" height="1" fill="#3d8"/><rect x="9" y="10" width="1" height="1" fill="#3fd"/><rect x="10" y="10" width="1" height="1" fill="#422"/><rect x="11" y="10" width="1" height="1" fill="#447"/><rect x="12" y="10" width="1" height="1" fill="#46c"/><rect x="13" y="10" width="1" height="1" fill="#491"/><rect x="14" y="10" width="1" height="1" fill="#4b6"/><rect x="15" y="10" width="1" height="1" fill="#4db"/><rect x="16" y="10" width="1" height="1" fill="#500"/><rect x="17" y="10" width="1" height="1" fill="#525"/><rect x="18" y="10" width="1" height="1" fill="#54a"/><rect x="19" y="10" width="1" height="1" fill="#56f"/><rect x="20" y="10" width="1" height="1" fill="#594"/><rect x="21" y="10" width="1" height="1" fill="#5b9"/><rect x="22" y="10" width="1" height="1" fill="#5de"/><rect x="23" y="10" width="1" height="1" fill="#603"/><rect x="0" y="11" width="1" height="1" fill="#628"/><rect x="1" y="11" width="1" height="1" fill="#64d"/><rect x="2" y="11" width="1" height="1" fill="#672"/><rect x="3" y="11" width="1" height="1" fill="#697"/><rect x="4" y="11" width="1" height="1" fill="#6bc"/><rect x="5" y="11" width="1" height="1" fill="#6e1"/><rect x="6" y="11" width="1" height="1" fill="#706"/><rect x="7" y="11" width="1" height="1" fill="#72b"/><rect x="8" y="11" width="1" height="1" fill="#750"/><rect x="9" y="11" width="1" height="1" fill="#775"/><rect x="10" y="11" width="1" height="1" fill="#79a"/><rect x="11" y="11" width="1" height="1" fill="#7bf"/><rect x="12" y="11" width="1" height="1" fill="#7e4"/><rect x="13" y="11" width="1" height="1" fill="#809"/><rect x="14" y="11" width="1" height="1" fill="#82e"/><rect x="15" y="11" width="1" height="1" fill="#853"/><rect x="16" y="11" width="1" height="1" fill="#878"/><rect x="17" y="11" width="1" height="1" fill="#89d"/><rect x="18" y="11" width="1" height="1" fill="#8c2"/><rect x="19" y="11" width="1" height="1" fill="#8e7"/><rect x="20" y="11" width="1" height="1" fill="#90c"/><rect x="21" y="11" width="1" height="1" fill="#931"/><rect x="22" y="11" width="1" height="1" fill="#956"/><rect x="23" y="11" width="1" height="1" fill="#97b"/><rect x="0" y="12" width="1" height="1" fill="#9a0"/><rect x="1" y="12" width="1" height="1" fill="#9c5"/><rect x="2" y="12" width="1" height="1" fill="#9ea"/><rect x="3" y="12" width="1" height="1" fill="#a0f"/><rect x="4" y="12" width="1" height="1" fill="#a34"/><rect x="5" y="12" width="1" height="1" fill="#a59"/><rect x="6" y="12" width="1" height="1" fill="#a7e"/><rect x="7" y="12" width="1" height="1" fill="#aa3"/><rect x="8" y="12" width="1" height="1" fill="#ac8"/><rect x="9" y="12" width="1" height="1" fill="#aed"/><rect x="10" y="12" width="1" height="1" fill="#b12"/><rect x="11" y="12" width="1" height="1" fill="#b37"/><rect x="12" y="12" width="1" height="1" fill="#b5c"/><rect x="13" y="12" width="1" height="1" fill="#b81"/><rect x="14" y="12" width="1" height="1" fill="#ba6"/><rect x="15" y="12" width="1" height="1" fill="#bcb"/><rect x="16" y="12" width="1" height="1" fill="#bf0"/><rect x="17" y="12" width="1" height="1" fill="#c15"/><rect x="18" y="12" width="1" height="1" fill="#c3a"/><rect x="19" y="12" width="1" height="1" fill="#c5f"/><rect x="20" y="12" width="1" height="1" fill="#c84"/><rect x="21" y="12" width="1" height="1" fill="#ca9"/><rect x="22" y="12" width="1" height="1" fill="#cce"/><rect x="23" y="12" width="1" height="1" fill="#cf3"/><rect x="0" y="13" width="1" height="1" fill="#d18"/><rect x="1" y="13" width="1" height="1" fill="#d3d"/><rect x="2" y="13" width="1" height="1" fill="#d62"/><rect x="3" y="13" width="1" height="1" fill="#d87"/><rect x="4" y="13" width="1" height="1" fill="#dac"/><rect x="5" y="13" width="1" height="1" fill="#dd1"/><rect x="6" y="13" width="1" height="1" fill="#df6"/><rect x="7" y="13" width="1" height="1" fill="#e1b"/><rect x="8" y="13" width="1" height="1" fill="#e40"/><rect x="9" y="13" width="1" height="1" fill="#e65"/><rect x="10" y="13" width="1" height="1" fill="#e8a"/><rect x="11" y="13" width="1" height="1" fill="#eaf"/><rect x="12" y="13" width="1" height="1" fill="#ed4"/><rect x="13" y="13" width="1" height="1" fill="#ef9"/><rect x="14" y="13" width="1" height="1" fill="#f1e"/><rect x="15" y="13" width="1" height="1" fill="#f43"/><rect x="16" y="13" width="1" height="1" fill="#f68"/><rect x="17" y="13" width="1" height="1" fill="#f8d"/><rect x="18" y="13" width="1" height="1" fill="#fb2"/><rect x="19" y="13" width="1" height="1" fill="#fd7"/><rect x="20" y="13" width="1" height="1" fill="#ffc"/><rect x="21" y="13" width="1" height="1" fill="#021"/><rect x="22" y="13" width="1" height="1" fill="#046"/><rect x="23" y="13" width="1" height="1" fill="#06b"/><rect x="0" y="14" width="1" height="1" fill="#090"/><rect x="1" y="14" width="1" height="1" fill="#0b5"/><rect x="2" y="14" width="1" height="1" fill="#0da"/><rect x="3" y="14" width="1" height="1" fill="#0ff"/><rect x="4" y="14" width="1" height="1" fill="#124"/><rect x="5" y="14" width="1" height="1" fill="#149"/><rect x="6" y="14" width="1" height="1" fill="#16e"/><rect x="7" y="14" width="1" height="1" fill="#193"/><rect x="8" y="14" width="1" height="1" fill="#1b8"/><rect x="9" y="14" width="1" height="1" fill="#1dd"/><rect x="10" y="14" width="1" height="1" fill="#202"/><rect x="11" y="14" width="1" height="1" fill="#227"/><rect x="12" y="14" width="1" height="1" fill="#24c"/><rect x="13" y="14" width="1" height="1" fill="#271"/><rect x="14" y="14" width="1" height="1" fill="#296"/><rect x="15" y="14" width="1" height="1" fill="#2bb"/><rect x="16" y="14" width="1" height="1" fill="#2e0"/><rect x="17" y="14" width="1" height="1" fill="#305"/><rect x="18" y="14" width="1" height="1" fill="#32a"/><rect x="19" y="14" width="1" height="1" fill="#34f"/><rect x="20" y="14" width="1" height="1" fill="#374"/><rect x="21" y="14" width="1" height="1" fill="#399"/><rect x="22" y="14" width="1" height="1" fill="#3be"/><rect x="23" y="14" width="1" height="1" fill="#3e3"/><rect x="0" y="15" width="1" height="1" fill="#408"/><rect x="1" y="15" width="1" height="1" fill="#42d"/><rect x="2" y="15" width="1" height="1" fill="#452"/><rect x="3" y="15" width="1" height="1" fill="#477"/><rect x="4" y="15" width="1" height="1" fill="#49c"/><rect x="5" y="15" width="1" height="1" fill="#4c1"/><rect x="6" y="15" width="1" height="1" fill="#4e6"/><rect x="7" y="15" width="1" height="1" fill="#50b"/><rect x="8" y="15" width="1" height="1" fill="#530"/><rect x="9" y="15" width="1" height="1" fill="#555"/><rect x="10" y="15" width="1" height="1" fill="#57a"/><rect x="11" y="15" width="1" height="1" fill="#59f"/><rect x="12" y="15" width="1" height="1" fill="#5c4"/><rect x="13" y="15" width="1" height="1" fill="#5e9"/><rect x="14" y="15" width="1" height="1" fill="#60e"/><rect x="15" y="15" width="1" height="1" fill="#633"/><rect x="16" y="15" width="1" height="1" fill="#658"/><rect x="17" y="15" width="1" height="1" fill="#67d"/><rect x="18" y="15" width="1" height="1" fill="#6a2"/><rect x="19" y="15" width="1" height="1" fill="#6c7"/><rect x="20" y="15" width="1" height="1" fill="#6ec"/><rect x="21" y="15" width="1" height="1" fill="#711"/><rect x="22" y="15" width="1" height="1" fill="#736"/><rect x="23" y="15" width="1" height="1" fill="#75b"/><rect x="0" y="16" width="1" height="1" fill="#780"/><rect x="1" y="16" width="1" height="1" fill="#7a5"/><rect x="2" y="16" width="1" height="1" fill="#7ca"/><rect x="3" y="16" width="1" height="1" fill="#7ef"/><rect x="4" y="16" width="1" height="1" fill="#814"/><rect x="5" y="16" width="1" height="1" fill="#839"/><rect x="6" y="16" width="1" height="1" fill="#85e"/><rect x="7" y="16" width="1" height="1" fill="#883"/><rect x="8" y="16" width="1" height="1" fill="#8a8"/><rect x="9" y="16" width="1" height="1" fill="#8cd"/><rect x="10" y="16" width="1" height="1" fill="#8f2"/><rect x="11" y="16" width="1" height="1" fill="#917"/><rect x="12" y="16" width="1" height="1" fill="#93c"/><rect x="13" y="16" width="1" height="1" fill="#961"/><rect x="14" y="16" width="1" height="1" fill="#986"/><rect x="15" y="16" width="1" height="1" fill="#9ab"/></svg>',
  ],
  [
    "deep groups",
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24"><g><g><g><g><g><g><g><g><g><g><g><g><g><g><g><g><g><g><g><g><g><g><g><g><g><g><g><g><g><g><g><g><g><g><g><g><g><g><g><g><g><g><g><g><g><g><g><g><g><g><g><g><g><g><g><g><g><g><g><g><rect width="24" height="24" fill="pink"/></g></g></g></g></g></g></g></g></g></g></g></g></g></g></g></g></g></g></g></g></g></g></g></g></g></g></g></g></g></g></g></g></g></g></g></g></g></g></g></g></g></g></g></g></g></g></g></g></g></g></g></g></g></g></g></g></g></g></g></g></svg>',
  ],
  [
    "recursive patterns",
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24"><pattern id="a" width="6" height="6" patternUnits="userSpaceOnUse"><rect width="3" height="3" fill="red"/></pattern><pattern id="b" href="#a" patternTransform="rotate(30)"/><circle cx="12" cy="12" r="11" fill="url(#b)"/></svg>',
  ],
];
