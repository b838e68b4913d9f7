/** Pictures: sources, fit, frames, clip paths and masks. */
import { ALIGNMENTS } from "../../../../src/templates/document/field.ts";
import { elements, type GoldenCases, type Loose, variants } from "./golden-case.ts";
import { GIF, JPEG, PNG, SVG, WEBP } from "./golden-pictures.ts";

const IMAGE = { $type: "image", left: 20, top: 25, width: 120, height: 50, src: PNG };
/** Higher than wide, so that a picture that fits has room above or below. */
const TALL = { ...IMAGE, left: 50, width: 40, height: 90, top: 5 };
const TRIANGLE = { pathData: "M0 0H1L0.5 1Z" };

export const IMAGE_CASES: GoldenCases = {
  ...variants(IMAGE, {
    "without a source": { src: undefined },
    "with the source null": { src: null },
    "PNG with alpha": {},
    JPEG: { src: JPEG },
    GIF: { src: GIF },
    WebP: { src: WEBP },
    "SVG as vectors": { src: SVG },
    "a file that is not there": { src: "assets/missing.png" },
    "an address that is refused": { src: "ftp://example.com/a.png" },
    "a picture that cannot be read": { src: "data:image/png;base64,AAAA" },
    "fits by default": { fitMode: undefined },
    "shows all of it": { fitMode: "fit" },
    "covers the box": { fitMode: "fill" },
    "is stretched": { fitMode: "stretch" },
    "covers a tall box": { ...TALL, fitMode: "fill" },
    "turned and flipped": { angle: 20, flipX: true },
    "SVG that covers": { src: SVG, fitMode: "fill" },
    "SVG that is stretched": { src: SVG, fitMode: "stretch" },
  }),
  ...Object.fromEntries(
    ALIGNMENTS.map((alignment) => [
      `aligned ${alignment}`,
      elements([
        { ...TALL, left: 10, alignment },
        { ...IMAGE, left: 60, width: 90, alignment },
      ]),
    ]),
  ),
  ...variants(
    { ...IMAGE, fitMode: "fill" },
    {
      "frame by default": { frame: {} },
      "frame about a focal point": { frame: { focalX: 0, focalY: 1, scale: 2 } },
      "frame at its least scale": { frame: { scale: 0.1 } },
      "frame at its largest scale": { frame: { scale: 10 } },
      "frame that is moved": { frame: { offsetX: 20, offsetY: -10 } },
      "frame that is turned": { frame: { rotation: 30 } },
      "frame with a border": { frame: { strokeColor: "#023047", strokeWidth: 6 } },
      "frame with a border of no color": { frame: { strokeColor: null, strokeWidth: 6 } },
      "frame with a border along its clip path": {
        frame: { strokeColor: "#023047", strokeWidth: 3 },
        clipPath: { shapes: [TRIANGLE] },
      },
      "clip path in the box": { clipPath: { units: "object_bounding_box", shapes: [TRIANGLE] } },
      "clip path in points": {
        clipPath: { units: "user_space", shapes: [{ pathData: "M0 0H60V40H0Z" }] },
      },
      "clip path with a transform": {
        clipPath: { transform: [0.5, 0, 0, 0.5, 0.25, 0.25], shapes: [TRIANGLE] },
      },
      "clip path of two shapes": {
        clipPath: { shapes: [TRIANGLE, { ...TRIANGLE, transform: [1, 0, 0, -1, 0, 1] }] },
      },
      "clip path, even-odd": { clipPath: { shapes: [holed("even_odd")] } },
      "clip path, non-zero": { clipPath: { shapes: [holed("non_zero")] } },
      "mask of a shape": { opacityMask: { shapes: [TRIANGLE] } },
      "mask of half opacity": { opacityMask: { shapes: [{ ...TRIANGLE, opacity: 0.5 }] } },
      "mask by luminance": { opacityMask: { shapes: [{ ...TRIANGLE, luminance: 0.3 }] } },
      "mask by a color": { opacityMask: { shapes: [{ ...TRIANGLE, color: "#808080" }] } },
      "mask whose later shape wins": {
        opacityMask: {
          shapes: [{ pathData: "M0 0H1V1H0Z" }, { ...TRIANGLE, luminance: 0 }],
        },
      },
      "mask in a part of the box": {
        opacityMask: {
          x: 0.25,
          y: 0.25,
          width: 0.5,
          height: 0.5,
          shapes: [{ pathData: "M0 0H1V1H0Z" }],
        },
      },
      "mask in points": {
        opacityMask: {
          units: "user_space",
          contentUnits: "user_space",
          x: 0,
          y: 0,
          width: 60,
          height: 60,
          shapes: [{ pathData: "M0 0H120V50Z", fillRule: "even_odd" }],
        },
      },
      "mask with contents in the box": {
        opacityMask: {
          contentUnits: "object_bounding_box",
          transform: [1, 0, 0, 1, 0.2, 0],
          shapes: [{ ...TRIANGLE, transform: [0.5, 0, 0, 0.5, 0, 0] }],
        },
      },
      "clip path and mask": {
        clipPath: { shapes: [TRIANGLE] },
        opacityMask: { shapes: [holed("even_odd")] },
      },
    },
  ),
  "image field": field({}, { photo: JPEG }),
  "image field with a fit and an alignment": field(
    { fitMode: "fit", alignment: "top_left" },
    { photo: JPEG },
  ),
  ...Object.fromEntries(
    ALIGNMENTS.map((alignment) => [
      `image field aligned ${alignment}`,
      field({ fitMode: "fill", alignment }, { photo: JPEG }),
    ]),
  ),
  "image field that covers": field({ fitMode: "fill", alignment: "bottom_right" }, { photo: JPEG }),
  "image field that is stretched": field({ fitMode: "stretch" }, { photo: JPEG }),
  "image field that is not given": field({}, {}),
  "image field that fails": field({}, { photo: "assets/missing.png" }),
  "required image field that fails": field({ required: true }, { photo: "assets/missing.png" }),
};

function holed(fillRule: string): Loose {
  return { pathData: "M0 0H1V1H0ZM0.3 0.3H0.7V0.7H0.3Z", fillRule };
}

function field(placeholder: Loose, values: Loose) {
  return elements(
    [
      {
        ...IMAGE,
        placeholder: { name: "Photo", code: "photo", placeholderType: "image", ...placeholder },
      },
    ],
    { values },
  );
}
