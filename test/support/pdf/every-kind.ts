import type { ShapedFace } from "../../../src/render/shaping/shaped-face.ts";
import type { PreparedPicture } from "../../../src/render/pdf/pictures/prepared-picture.ts";
import { encodePng } from "../images/encode-png.ts";
import { imageCodecs } from "../images/wasm-modules.ts";
import { packProfile } from "../../../src/render/pdf/output-profile.ts";
import { preparePicture } from "../../../src/render/pdf/pictures/prepare-picture.ts";
import type {
  PdfArtwork,
  PdfOptions,
  PdfResources,
} from "../../../src/render/pdf/pdf-resources.ts";
import type {
  DisplayItem,
  DisplayPage,
  DisplayPath,
  GradientPaint,
} from "../../../src/templates/display-list.ts";
import { PLAIN_OPTIONS, pageOf, rectangle } from "./plain-options.ts";
import { runOf } from "./run-of.ts";

function path(change: Partial<DisplayPath>): DisplayPath {
  return {
    kind: "path",
    path: rectangle(0, 0, 40, 30),
    fillRule: "non_zero",
    fill: null,
    stroke: null,
    isStrokeFirst: false,
    ...change,
  };
}

const RED = { paint: { kind: "color", rgb: [255, 0, 0] }, opacity: 1 } as const;
const STROKE = {
  ...RED,
  width: 2,
  dashes: [4, 2],
  cap: "round",
  join: "miter",
  miterLimit: 4,
} as const;
const FADING: GradientPaint = {
  kind: "gradient",
  transform: [1, 0, 0, 1, 0, 0],
  shape: { kind: "linear", x1: 0, y1: 0, x2: 40, y2: 0 },
  stops: [
    { offset: 0, rgb: [255, 0, 0], opacity: 1 },
    { offset: 0.5, rgb: [0, 255, 0], opacity: 0.2 },
    { offset: 1, rgb: [0, 0, 255], opacity: 1 },
  ],
};
const RADIAL: GradientPaint = {
  ...FADING,
  shape: { kind: "radial", cx: 20, cy: 15, r: 15, fx: 18, fy: 12 },
  stops: FADING.stops.map((stop) => ({ ...stop, opacity: 1 })),
};

function moved(x: number, y: number, items: readonly DisplayItem[], change = {}): DisplayItem {
  const group = { kind: "group", opacity: 1, clip: null, mask: null, items } as const;
  return { ...group, transform: [1, 0, 0, 1, x, y], ...change };
}

/** Two pages with everything that a display list can hold. */
export function everyKind(face: ShapedFace): DisplayPage[] {
  const shapes = [
    { path: rectangle(0, 0, 30, 20), fillRule: "non_zero", value: 1 },
    { path: rectangle(10, 10, 30, 20), fillRule: "even_odd", value: 0.4 },
  ] as const;
  const items: DisplayItem[] = [
    path({
      path: rectangle(0, 0, 400, 300),
      fill: { ...RED, paint: { kind: "color", rgb: [250, 250, 240] } },
    }),
    runOf(face, "Every kind of thing", [20, 30]),
    { ...runOf(face, "Gradient", [200, 30]), fill: RADIAL },
    moved(20, 50, [path({ fill: RED, stroke: STROKE })]),
    moved(80, 50, [
      path({
        fill: { ...RED, opacity: 0.5 },
        stroke: { ...STROKE, opacity: 0.5 },
        isStrokeFirst: true,
      }),
    ]),
    moved(140, 50, [path({ fill: { paint: FADING, opacity: 1 } })]),
    moved(200, 50, [
      path({ fill: { paint: RADIAL, opacity: 0.7 }, stroke: { ...STROKE, paint: RADIAL } }),
    ]),
    moved(20, 110, [path({ fill: RED }), path({ stroke: STROKE })], { opacity: 0.5 }),
    moved(80, 110, [path({ fill: RED })], {
      mask: { box: { x: 0, y: 0, width: 40, height: 30 }, shapes },
    }),
    moved(140, 110, [path({ fill: RED })], { clip: { shapes } }),
    moved(200, 110, [path({ fill: RED })], { clip: { shapes: shapes.slice(0, 1) } }),
    { kind: "picture", picture: "soft", matrix: [60, 0, 0, 60, 20, 170] },
    { kind: "picture", picture: "plain", matrix: [40, 20, -20, 40, 140, 170] },
    {
      kind: "artwork",
      artwork: "drawing",
      matrix: [80, 0, 0, 40, 200, 170],
      replacements: { "#ff0000": "#00aa00" },
    },
  ];
  const links = [
    {
      corners: [
        { x: 20, y: 20 },
        { x: 100, y: 20 },
        { x: 100, y: 34 },
        { x: 20, y: 34 },
      ],
      target: { kind: "url", url: "https://example.com/" },
    },
  ] as const;
  return [
    pageOf(items, { width: 400, height: 300, links }),
    pageOf([runOf(face, "Second", [20, 30])], { pageNumber: 2, pageId: "q" }),
  ];
}

/** What the pages show. */
export async function everyResource(face: ShapedFace): Promise<PdfResources> {
  const pictures = new Map<string, PreparedPicture>(
    await Promise.all(
      ([true, false] as const).map(async (isSoft) => {
        const rgba = Uint8ClampedArray.from({ length: 16 * 16 * 4 }, (_, i) =>
          i % 4 === 3 ? (isSoft ? i % 251 : 255) : (i * 31) % 256,
        );
        const picture = await preparePicture(encodePng(rgba, 16, 16), imageCodecs, {
          allowsCmyk: true,
        });
        if (typeof picture === "string") {
          throw new Error(picture);
        }
        return [isSoft ? "soft" : "plain", picture] as const;
      }),
    ),
  );
  const artwork: PdfArtwork = {
    width: 40,
    height: 30,
    items: [path({ fill: RED, stroke: STROKE })],
  };
  return {
    face: () => face,
    picture: (key) => pictures.get(key) ?? raise(key),
    artwork: () => artwork,
  };
}

function raise(key: string): never {
  throw new Error(`There is no picture ${key}.`);
}

/** The header of an ICC profile of a press, without tags. */
export function pressProfile(space: "CMYK" | "RGB " | "GRAY" = "CMYK"): Uint8Array {
  const bytes = Buffer.alloc(132);
  bytes.writeUInt32BE(bytes.length, 0);
  bytes[8] = 2;
  bytes.write(`prtr${space}Lab `, 12, "latin1");
  bytes.write("acsp", 36, "latin1");
  return bytes;
}

export function x4Options(profile = pressProfile()): PdfOptions {
  const date = new Date(Date.UTC(2026, 10, 22, 23, 59, 58));
  return {
    ...PLAIN_OPTIONS,
    mode: {
      kind: "pdfx4",
      profile: packProfile(profile),
      profileName: "A press",
      outputConditionIdentifier: "FOGRA39",
      date,
    },
  };
}
