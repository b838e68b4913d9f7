/**
 * The memory of conversions of pictures, measured during the conversion and including the codecs' wasm:
 * each kind at its largest accepted size, for which `conversionBytes` returns 64 MB.
 */
import "../support/only-in-proof.ts";
import { afterAll, beforeAll, test } from "vitest";
import type { Target } from "../../src/images/conversion-bytes.ts";
import { largest, type MakePicture, noise, soft } from "../support/images/largest-picture.ts";
import {
  avifFile,
  gifFile,
  jpegFile,
  orientedJpeg,
  pngFile,
  progressiveJpegFile,
  samplePicture,
  webpFile,
} from "../support/images/sample-files.ts";
import { FAULTS, PICTURE_POINTS } from "../support/node/live-bytes/watch-points.ts";
import { WatchedService } from "../support/node/live-bytes/watched-service.ts";
import { IS_PROOF } from "../support/sizes.ts";

let watched: WatchedService;
const workflows = new Map<string, string>();

beforeAll(async () => {
  watched = await WatchedService.start({
    // Files are uploaded before, so the API Worker only submits and polls meanwhile.
    workers: ["runner"],
    points: { runner: PICTURE_POINTS },
    faults: { runner: [FAULTS.pixels] },
  });
  for (const format of ["png", "jpg", "webp"]) {
    const workflow = await watched.publish(
      format,
      [
        { id: "picture", type: "input/image" },
        {
          id: "out",
          type: "output/image",
          parameters: { key: "out", format, ...(format !== "png" && { quality: 100 }) },
        },
      ],
      ["picture.image > out.image"],
    );
    workflows.set(format, workflow);
  }
});

afterAll(() => watched?.stop());

const convert = async (path: string, format: string) =>
  watched.run(workflows.get(format) ?? "", { picture: { asset_path: path } });

/** By name: how the file is made, its target format, and the width at which the search starts. */
const LARGEST: readonly (readonly [
  string,
  string,
  MakePicture,
  Readonly<Partial<Record<"png" | "jpg" | "webp", number>>>,
])[] = [
  ["a JPEG", "a.jpg", (w, h) => jpegFile(soft(w, h), 85), { png: 5_200, webp: 4_600 }],
  [
    "a JPEG that is turned",
    "t.jpg",
    (w, h) => orientedJpeg(jpegFile(soft(w, h), 95), 6),
    { jpg: 4_800 },
  ],
  ["a progressive JPEG", "p.jpg", (w, h) => progressiveJpegFile(noise(w, h), 80), { jpg: 4_400 }],
  ["a PNG", "a.png", (w, h) => pngFile(soft(w, h, true)), { webp: 3_800 }],
  ["a WebP", "a.webp", (w, h) => webpFile(soft(w, h)), { png: 4_800, webp: 4_600 }],
  ["a WebP with transparency", "c.webp", (w, h) => webpFile(soft(w, h, true)), { png: 3_400 }],
  ["a lossless WebP", "l.webp", (w, h) => webpFile(noise(w, h), true), { jpg: 3_300 }],
  ["an AVIF", "a.avif", (w, h) => avifFile(samplePicture(w, h)), { png: 3_600, webp: 3_300 }],
  ["a GIF", "a.gif", (w, h) => gifFile(soft(w, h)), { png: 4_400 }],
];

/** The proof tries all of them; otherwise the one that is nearest to the budget. */
const CHOSEN = IS_PROOF ? LARGEST : [LARGEST[6]!];

test.each(CHOSEN)("%s of the largest accepted size", async (_, name, make, targets) => {
  for (const [format, widest] of Object.entries(targets)) {
    const path = await watched.upload(name, [largest(make, format as Target, widest)]);
    await watched.expectFlat(() => convert(path, format));
  }
});

const WHOLE = '<rect width="100" height="100" fill="#0a5"/>';
const DISC = '<circle cx="50" cy="50" r="40"/>';
/** By name: what is drawn, and the formats. The renderer knows nothing of the format, and encoders nothing of the drawing. */
const DRAWINGS: Readonly<Record<string, readonly [string, ...Target[]]>> = {
  layers: [`<g opacity="0.9">${WHOLE}<g opacity="0.8">${WHOLE}${DISC}</g></g>`, "jpg"],
  clip: [
    `<clipPath id="c"><rect width="99" height="99"/></clipPath><g clip-path="url(#c)">${WHOLE}${DISC}</g>`,
    "png",
    "jpg",
    "webp",
  ],
  shadow: [
    `<filter id="f"><feDropShadow dx="2" dy="2" stdDeviation="3"/></filter><g filter="url(#f)">${DISC}</g>`,
    "webp",
  ],
};

test.each(Object.entries(DRAWINGS).filter(([name]) => IS_PROOF || name === "clip"))(
  "a drawing of 2048 px with %s",
  async (name, [inner, ...formats]) => {
    const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 100 100">${inner}</svg>`;
    const path = await watched.upload(`${name}.svg`, [Buffer.from(svg)]);
    for (const format of formats) {
      await watched.expectFlat(() => convert(path, format));
    }
  },
);

test("held pixels are detected", async () => {
  const path = await watched.upload("held.jpg", [jpegFile(soft(4_000, 3_200), 85)]);
  // What is kept of two is 1.5 of the bound.
  await watched.expectCaught("runner", FAULTS.pixels, async () => {
    await convert(path, "png");
    await convert(path, "png");
  });
});
