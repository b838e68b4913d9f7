/** What the trace counts of pictures in other colors than sRGB, from the file to the sums of a node. */
import { describe, expect, it } from "vitest";
import { CurrentCall } from "../../../../durable-objects/executor/current-call.ts";
import {
  addPictureColors,
  pictureColorsOf,
} from "../../../../durable-objects/run/tasks/picture-colors.ts";
import type { RunStore } from "../../../../durable-objects/run/state/run-store.ts";
import {
  type ColorConversion,
  colorConversionOf,
} from "../../../../src/images/color/convert-colors.ts";
import { logoPainter } from "../../../../src/images/code/logo-painter.ts";
import { createPictureTools } from "../../../../src/images/create-picture-tools.ts";
import { readImageHeader } from "../../../../src/images/header/read-image-header.ts";
import { colorful } from "../../../support/images/colorful.ts";
import { jpegFile, pngFile, samplePicture } from "../../../support/images/sample-files.ts";
import { imageCodecs, svgRenderer } from "../../../support/images/wasm-modules.ts";

const conversionOf = (file: Uint8Array) => colorConversionOf(readImageHeader(file).colors);

/** With other bytes in place of the first `from`. */
function replaced(file: Uint8Array, from: string, to: string): Uint8Array {
  const changed = Buffer.from(file);
  const at = changed.indexOf(from, 0, "latin1");
  expect(at).toBeGreaterThan(0);
  changed.write(to, at, "latin1");
  return changed;
}

const p3 = () => colorful().withIccProfile("p3");
const cmyk = await colorful().toColourspace("cmyk").withIccProfile("cmyk").jpeg().toBuffer();
const p3Jpeg = await p3().jpeg().toBuffer();
const p3Webp = await p3().webp().toBuffer();
/** The name of another application segment, which nobody reads. */
const bareCmyk = Buffer.from(
  Buffer.from(cmyk).toString("latin1").replaceAll("ICC_PROFILE", "OTHER_WORDS"),
  "latin1",
);

const FILES: readonly (readonly [string, Uint8Array, ColorConversion | undefined])[] = [
  ["a JPEG", jpegFile(samplePicture(20, 10)), undefined],
  ["a PNG", pngFile(samplePicture(20, 10)), undefined],
  [
    "a JPEG with the profile of sRGB",
    await colorful().withIccProfile("srgb").jpeg().toBuffer(),
    undefined,
  ],
  ["a JPEG of Display P3", p3Jpeg, "by_profile"],
  ["a PNG of Display P3", await p3().png().toBuffer(), "by_profile"],
  ["a WebP of Display P3", p3Webp, "by_profile"],
  ["an AVIF of Display P3", await p3().avif({ effort: 0 }).toBuffer(), "by_profile"],
  ["a CMYK JPEG with a profile", cmyk, "by_profile"],
  ["a CMYK JPEG without one", bareCmyk, "without_profile"],
  ["a JPEG with a damaged profile", replaced(p3Jpeg, "acsp", "acsq"), "profile_not_applied"],
  ["a WebP with a damaged profile", replaced(p3Webp, "acsp", "acsq"), "profile_not_applied"],
  [
    "a JPEG with a profile of other channels",
    replaced(p3Jpeg, "mntrRGB ", "mntrCMYK"),
    "profile_not_applied",
  ],
  // A segment ends in its own number and that of all segments.
  [
    "a JPEG without a part of its profile",
    replaced(p3Jpeg, "ICC_PROFILE\0\u0001\u0001", "ICC_PROFILE\0\u0001\u0002"),
    "profile_not_applied",
  ],
  ["a CMYK JPEG with a damaged profile", replaced(cmyk, "acsp", "acsq"), "profile_not_applied"],
];

describe("the conversion of", () => {
  it.each(FILES)("%s", (_name, file, conversion) => {
    expect(conversionOf(file)).toBe(conversion);
  });
});

describe("each picture counts once", () => {
  const seen: ColorConversion[] = [];
  const count = (conversion: ColorConversion) => void seen.push(conversion);
  const tools = createPictureTools(imageCodecs, svgRenderer, undefined, count);
  const counted = () => seen.splice(0);
  const read = async (pieces: AsyncIterable<Uint8Array> | Iterable<Uint8Array> | Uint8Array) => {
    if (!(pieces instanceof Uint8Array)) {
      for await (const _ of pieces) {
        // Each piece is made when it is asked for.
      }
    }
  };

  it("that is converted or resized", async () => {
    await read(await tools.convert(p3Jpeg, "image/jpeg", "png"));
    expect(counted()).toEqual(["by_profile"]);
    await read(
      (await tools.resize(bareCmyk, "image/jpeg", { width: 20, fit: "inside" } as never)).bytes,
    );
    expect(counted()).toEqual(["without_profile"]);
    await read(await tools.convert(pngFile(samplePicture(20, 10)), "image/png", "jpg"));
    expect(counted()).toEqual([]);
  });

  it("that is composed, however often it is read", async () => {
    const stored = (bytes: Uint8Array) => ({
      contentType: "image/jpeg",
      read: () => Promise.resolve(bytes),
    });
    const placement = { x: 0, y: 0, width: 10, height: 10, opacity: 1 };
    const layer = { ...stored(replaced(p3Jpeg, "acsp", "acsq")), placement };
    await read(await tools.compose(stored(p3Jpeg), [layer] as never));
    expect(counted().toSorted()).toEqual(["by_profile", "profile_not_applied"]);
  });

  it("that is a logo", async () => {
    const paint = logoPainter(imageCodecs, svgRenderer, count);
    await paint({ bytes: bareCmyk, contentType: "image/jpeg" }, 40);
    expect(counted()).toEqual(["without_profile"]);
  });
});

describe("a node", () => {
  const lease = { key: "k", attempt: 1, token: null, fence: 1 } as never;
  const rows = new Map<string, string>();
  const store = {
    getMetadata: (name: string) => rows.get(name),
    noteMetadata: (name: string, value: string) => void rows.set(name, value),
  } as unknown as RunStore;

  it("has the pictures of its successful tasks, and nothing without any", () => {
    const call = new CurrentCall(lease, () => {});
    expect(call.pictureColors).toEqual({});
    expect(pictureColorsOf(store, 3)).toBeUndefined();
    const { countColors } = call;
    countColors("by_profile");
    countColors("by_profile");
    countColors("profile_not_applied");
    const one = { by_profile: 2, without_profile: 0, profile_not_applied: 1 };
    expect(call.pictureColors).toEqual({ picture_colors: one });
    const ok = { kind: "ok", outputs: [] } as const;
    addPictureColors(store, 3, { ...call.pictureColors, outcome: ok });
    addPictureColors(store, 3, { outcome: ok });
    const failed = { kind: "failed", code: "X", message: "x", retryable: true } as const;
    addPictureColors(store, 3, {
      ...call.pictureColors,
      outcome: { ...failed, retry_after_ms: null },
    });
    expect(pictureColorsOf(store, 3)).toEqual(one);
    const more = { by_profile: 0, without_profile: 4, profile_not_applied: 0 };
    addPictureColors(store, 3, { picture_colors: more, outcome: ok });
    expect(pictureColorsOf(store, 3)).toEqual({ ...one, without_profile: 4 });
    expect(pictureColorsOf(store, 4)).toBeUndefined();
  });
});
