/**
 * The parts of an SVG that are kept; everything else is removed
 * (docs/contract/assets.md#svg-files).
 */

function words(text: string): ReadonlySet<string> {
  return new Set(text.trim().split(/\s+/));
}

/** Elements of the SVG namespace that draw, define what is drawn, or describe it. */
export const SVG_ELEMENTS = words(`
  svg g defs symbol use switch a title desc view style
  path rect circle ellipse line polyline polygon text tspan textPath image
  marker linearGradient radialGradient stop pattern clipPath mask filter
  feBlend feColorMatrix feComponentTransfer feComposite feConvolveMatrix feDiffuseLighting
  feDisplacementMap feDistantLight feDropShadow feFlood feFuncA feFuncB feFuncG feFuncR
  feGaussianBlur feImage feMerge feMergeNode feMorphology feOffset fePointLight
  feSpecularLighting feSpotLight feTile feTurbulence`);

/** Elements that keep their text; all others keep only elements. */
export const TEXT_ELEMENTS = words("text tspan textPath title desc style");

/** Elements that keep no child elements, because HTML parsers read markup in them differently. */
export const LEAF_ELEMENTS = words("title desc style");

/** Properties of SVG, as attributes and in CSS. */
export const PRESENTATION = words(`
  alignment-baseline background-color baseline-shift clip clip-path clip-rule color
  color-interpolation color-interpolation-filters color-profile color-rendering direction display
  dominant-baseline enable-background fill fill-opacity fill-rule filter flood-color flood-opacity
  font font-family font-feature-settings font-kerning font-size font-size-adjust font-stretch
  font-style font-variant font-variant-caps font-variation-settings font-weight
  glyph-orientation-horizontal glyph-orientation-vertical image-rendering isolation kerning
  letter-spacing lighting-color line-height marker marker-end marker-mid marker-start mask
  mask-type mix-blend-mode opacity overflow paint-order pointer-events shape-rendering
  stop-color stop-opacity stroke stroke-dasharray stroke-dashoffset stroke-linecap
  stroke-linejoin stroke-miterlimit stroke-opacity stroke-width text-align text-anchor
  text-decoration text-overflow text-rendering text-transform transform transform-box
  transform-origin unicode-bidi vector-effect visibility white-space word-spacing writing-mode
  cx cy r rx ry x y width height d`);

/** Attributes in addition to PRESENTATION, without a namespace. */
export const ATTRIBUTES = words(`
  amplitude azimuth baseFrequency baseProfile bias class clipPathUnits diffuseConstant divisor
  dx dy edgeMode elevation exponent filterRes filterUnits fr fx fy gradientTransform
  gradientUnits id in in2 intercept k k1 k2 k3 k4 kernelMatrix kernelUnitLength lang
  lengthAdjust limitingConeAngle markerHeight markerUnits markerWidth maskContentUnits maskUnits
  media method mode numOctaves offset operator order orient overflow pathLength
  patternContentUnits patternTransform patternUnits points pointsAtX pointsAtY pointsAtZ
  preserveAlpha preserveAspectRatio primitiveUnits radius refX refY requiredExtensions
  requiredFeatures result role rotate scale seed side slope spacing specularConstant
  specularExponent spreadMethod startOffset stdDeviation stitchTiles surfaceScale systemLanguage
  tableValues targetX targetY textLength type values version viewBox viewTarget
  x1 x2 xChannelSelector y1 y2 yChannelSelector z zoomAndPan`);

/**
 * Functions that may be used in a property's value. The target of `url` is checked separately.
 */
export const CSS_FUNCTIONS = words(`
  url rgb rgba hsl hsla hwb lab lch oklab oklch color color-mix calc min max clamp var
  matrix matrix3d translate translatex translatey translate3d scale scalex scaley rotate skewx
  skewy skew blur brightness contrast drop-shadow grayscale hue-rotate invert opacity saturate
  sepia polygon circle ellipse inset path rect`);
