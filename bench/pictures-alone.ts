/**
 * The picture nodes and the codec of JPEG beside sharp, mozjpeg and photon, the sample models beside resvg, and the decisions of a gate, in Node, in a
 * process of its own: `node bench/pictures-alone.ts`. Prints the figures as one JSON line.
 */
import startJpegDecoder from "@jsquash/jpeg/codec/dec/mozjpeg_dec.js";
import { Resvg } from "@resvg/resvg-wasm";
import { PhotonImage, watermark } from "@silvia-odwyer/photon-node";
import sharp from "sharp";
import type { GateLimits } from "../src/contracts/models/provider-gate.ts";
import { ProviderGate, type Wake } from "../src/domain/models/provider-gate.ts";
import type { Item } from "../src/images/vector/paint-bands.ts";
import { imageCompose } from "../src/nodes/image/compose.ts";
import { imageResize } from "../src/nodes/image/resize.ts";
import {
  drawSamplePicture,
  samplePictureItems,
} from "../src/providers/sample/picture/draw-sample-picture.ts";
import type { SamplePictureRequest } from "../src/providers/sample/picture/picture-request.ts";
import { speak, speechMilliseconds } from "../src/providers/sample/sound/speak.ts";
import { compiledPackageFile } from "../test/support/compiled-package-file.ts";
import { type PictureFile, runPictureNode } from "../test/support/images/run-picture-node.ts";
import {
  jpegFile,
  mozJpegFile,
  pngFile,
  samplePicture,
} from "../test/support/images/sample-files.ts";
import { imageCodecs } from "../test/support/images/wasm-modules.ts";
import { startResvg } from "../test/support/svg/start-resvg.ts";
import { atMost, type Figure } from "./figure.ts";
import { interleave } from "./interleave.ts";
import { avifFigure } from "./avif-figure.ts";
import { jpegFigures } from "./jpeg-figures.ts";
import { pngFigures } from "./png-figures.ts";
import { processorMs } from "./processor-time.ts";
import { median, spread } from "./statistics.ts";
import { webpFigures } from "./webp-figures.ts";

const ROUNDS = 7;
const UNIT = "ms of processor time";
/** Of a photo of 12 megapixels. */
const PHOTO = { width: 4_000, height: 3_000 };
const SCALED = { width: 1_024, height: 768 };
const BASE_PX = 2_048;
const LAYER_PX = 512;
const LAYERS = 8;
const SAMPLE_PX = 1_024;
const GATE_CALLS = 100_000;
const JPEG_DECODER = "@jsquash/jpeg/codec/dec/mozjpeg_dec.wasm";

async function resizing(): Promise<Figure> {
  const picture = samplePicture(PHOTO.width, PHOTO.height);
  const bytes = jpegFile(picture);
  const file: PictureFile = { name: "a.jpg", contentType: "image/jpeg", bytes };
  const decode = await mozJpegDecoder();
  const small = samplePicture(SCALED.width, SCALED.height);
  const samples = await interleave(ROUNDS, {
    ours: () => processorMs(() => runPictureNode(imageResize, { ...SCALED }, { image: file })),
    sharp: () =>
      processorMs(() =>
        sharp(bytes)
          .resize(SCALED.width, SCALED.height, { kernel: "lanczos3", fastShrinkOnLoad: false })
          .jpeg({ quality: 90 })
          .toBuffer(),
      ),
    mozjpeg: () =>
      processorMs(() => {
        decode(bytes);
        mozJpegFile(small, { quality: 90 });
      }),
  });
  const ours = median(samples.ours);
  const [fromSharp, fromMozJpeg] = [median(samples.sharp), median(samples.mozjpeg)];
  return {
    name: "image/resize of a JPEG of 12 megapixels to 1,024 px",
    unit: UNIT,
    ours: spread(samples.ours),
    beside: [
      { name: "sharp (native), Lanczos, without shrinking on load", value: spread(samples.sharp) },
      {
        name: "@jsquash/jpeg alone: it decodes the photo and encodes 1,024 px, and scales nothing",
        value: spread(samples.mozjpeg),
      },
    ],
    targets: [
      atMost("<= 4 x sharp", ours / fromSharp, 4),
      atMost("<= 1.2 x @jsquash/jpeg, without @jsquash/resize", ours / fromMozJpeg, 1.2),
    ],
  };
}

async function composing(): Promise<Figure> {
  const base: PictureFile = {
    name: "base.png",
    contentType: "image/png",
    bytes: pngFile(samplePicture(BASE_PX, BASE_PX)),
  };
  const layer: PictureFile = {
    name: "layer.png",
    contentType: "image/png",
    bytes: pngFile(samplePicture(LAYER_PX, LAYER_PX, true)),
  };
  const placements = Array.from({ length: LAYERS }, (_, i) => ({ x: i * 190, y: i * 190 }));
  const layers = placements.map(() => layer);
  const sizes = { ours: 0, photon: 0 };
  const samples = await interleave(ROUNDS, {
    ours: () =>
      processorMs(async () => {
        const { bytes } = await runPictureNode(imageCompose, { placements }, { base, layers });
        sizes.ours = bytes.length;
      }),
    photon: () =>
      processorMs(() => {
        const picture = PhotonImage.new_from_byteslice(base.bytes);
        for (const { x, y } of placements) {
          const above = PhotonImage.new_from_byteslice(layer.bytes);
          watermark(picture, above, BigInt(x), BigInt(y));
          above.free();
        }
        sizes.photon = picture.get_bytes().length;
        picture.free();
      }),
  });
  return {
    name: "image/compose of 8 layers of 512 px on 2,048 px",
    unit: UNIT,
    ours: spread(samples.ours),
    beside: [{ name: "photon, from PNG to PNG", value: spread(samples.photon) }],
    targets: [atMost("<= 1.2 x photon", median(samples.ours) / median(samples.photon), 1.2)],
    note: `files of ${sizes.ours.toLocaleString("en-US")} and of ${sizes.photon.toLocaleString("en-US")} bytes`,
  };
}

async function drawing(): Promise<Figure> {
  await startResvg();
  const request: SamplePictureRequest = {
    prompt: "A quiet harbor at dawn",
    seed: 1,
    width: SAMPLE_PX,
    height: SAMPLE_PX,
    accent: "auto",
    preset: null,
    effect: null,
    images: [],
  };
  const svg = svgOf(await samplePictureItems(request));
  const samples = await interleave(ROUNDS, {
    ours: () =>
      processorMs(async () => {
        for await (const piece of drawSamplePicture(imageCodecs.pixels, request)) {
          void piece;
        }
      }),
    resvg: () =>
      processorMs(() => {
        const drawn = new Resvg(svg);
        drawn.render().asPng();
        drawn.free();
      }),
  });
  return {
    name: "a sample picture of 1,024 px",
    unit: UNIT,
    ours: spread(samples.ours),
    beside: [{ name: "resvg (wasm), the same shapes as an SVG", value: spread(samples.resvg) }],
    targets: [atMost("<= 2 x resvg", median(samples.ours) / median(samples.resvg), 2)],
  };
}

type Decode = (bytes: Uint8Array, keepsOrientation: boolean) => unknown;

async function mozJpegDecoder(): Promise<(bytes: Uint8Array) => unknown> {
  const module = compiledPackageFile(JPEG_DECODER);
  const start = startJpegDecoder as (settings: object) => Promise<{ decode: Decode }>;
  const started = await start({
    noInitialRun: true,
    instantiateWasm(imports: WebAssembly.Imports, done: (instance: WebAssembly.Instance) => void) {
      const instance = new WebAssembly.Instance(module, imports);
      done(instance);
      return instance.exports;
    },
  });
  return (bytes) => started.decode(bytes, false);
}

/** The shapes as an SVG. Outlines are edges, each from one point to another, in the order of their paths. */
function svgOf(items: readonly Item[]): string {
  const gradients: string[] = [];
  const hex = ([r, g, b]: readonly number[]) =>
    `#${[r, g, b]
      .map((part) =>
        Math.round(part ?? 0)
          .toString(16)
          .padStart(2, "0"),
      )
      .join("")}`;
  const shapes = items.flatMap((item) => {
    if (item.kind !== "shape") {
      return [];
    }
    let at = "";
    let path = "";
    for (const [x0, y0, x1, y1] of item.outline.edges) {
      path += `${at === `${x0},${y0}` ? "" : `M${x0} ${y0}`}L${x1} ${y1}`;
      at = `${x1},${y1}`;
    }
    const { fill } = item;
    if (fill.kind === "solid") {
      return [`<path d="${path}" fill="${hex(fill.color)}" fill-opacity="${fill.opacity}"/>`];
    }
    const [[fromX, fromY], [toX, toY]] = [fill.from, fill.to];
    const [first, last] = [fill.colors[0] ?? [], fill.colors.at(-1) ?? []];
    gradients.push(
      `<linearGradient id="g${gradients.length}" gradientUnits="userSpaceOnUse" x1="${fromX}" y1="${fromY}" x2="${toX}" y2="${toY}"><stop stop-color="${hex(first)}"/><stop offset="1" stop-color="${hex(last)}"/></linearGradient>`,
    );
    return [`<path d="${path}" fill="url(#g${gradients.length - 1})"/>`];
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${SAMPLE_PX}" height="${SAMPLE_PX}"><defs>${gradients.join("")}</defs>${shapes.join("")}</svg>`;
}

async function speaking(): Promise<Figure> {
  const sentence = "The harbor is quiet, and the boats go out at dawn. ";
  const request = { voice: "mid", speed: 1, pitch: 0 } as const;
  const seconds = (text: string) => speechMilliseconds({ ...request, text }) / 1_000;
  let text = sentence;
  while (seconds(text) < 60) {
    text += sentence;
  }
  const samples = await interleave(ROUNDS, {
    ours: () =>
      processorMs(() => {
        for (const piece of speak({ ...request, text })) {
          void piece;
        }
      }),
  });
  const perMinute = samples.ours.map((ms) => (ms * 60) / seconds(text));
  return {
    name: "a minute of the sample voice",
    unit: UNIT,
    ours: spread(perMinute),
    beside: [],
    targets: [atMost("< 100 ms", median(perMinute), 100)],
    note: `${seconds(text).toFixed(1)} s of speech`,
  };
}

/** One call: its place is asked for and given back, and who waits is looked for. */
function gate(): Figure {
  const limits: GateLimits = { all: 16, each: 8 };
  const round = () => {
    const one = new ProviderGate([], 0);
    const before = process.cpuUsage();
    for (let call = 0; call < GATE_CALLS; call += 1) {
      const place = { workspace: `ws_${call % 20}`, run: `run_${call % 100}` };
      const holder = `${place.run}/${call}`;
      const wakes: Wake[] = [];
      if (!one.enter({ ...place, holder, task: call }, limits, call, wakes).admitted) {
        throw new Error("A call found no place at an empty gate.");
      }
      one.leave({ ...place, holder });
      one.grant(call);
    }
    const { user, system } = process.cpuUsage(before);
    return (user + system) / GATE_CALLS;
  };
  for (let warmUp = 0; warmUp < 2; warmUp += 1) {
    round();
  }
  const samples = Array.from({ length: ROUNDS }, round);
  return {
    name: "the decisions of a gate for one call of a provider: its place is taken and given back",
    unit: "µs of processor time",
    ours: spread(samples),
    beside: [],
    targets: [],
    note: `${GATE_CALLS.toLocaleString("en-US")} calls of 20 workspaces; the two calls of the object are not in it`,
  };
}

sharp.concurrency(1);
sharp.cache(false);
const figures = [
  await resizing(),
  ...(await jpegFigures()),
  ...(await pngFigures()),
  ...(await webpFigures()),
  await avifFigure(),
  await composing(),
  await drawing(),
  await speaking(),
  gate(),
];
console.log(JSON.stringify(figures));
