import { describe, expect, it } from "vitest";
import { filmPicture, type Rotation } from "../../../../src/media/pictures/film-picture.ts";

type Planes = Parameters<typeof filmPicture>[0];

/** 4:2:0 planes of one color in each quarter. */
function quarters(
  colors: readonly (readonly [number, number, number])[],
  { width = 64, height = 32, ...stated }: Partial<Planes> = {},
): Planes {
  const bitDepth = stated.bitDepth ?? 8;
  const plane = (index: 0 | 1 | 2): Uint8Array => {
    const [w, h] = index === 0 ? [width, height] : [width / 2, height / 2];
    const samples = Array.from({ length: w * h }, (_, i) => {
      const quarter = (i % w < w / 2 ? 0 : 1) + (Math.floor(i / w) < h / 2 ? 0 : 2);
      return (colors[quarter]?.[index] ?? 0) * 2 ** (bitDepth - 8);
    });
    return bitDepth === 8
      ? Uint8Array.from(samples)
      : new Uint8Array(Uint16Array.from(samples).buffer);
  };
  const bytes = bitDepth === 8 ? 1 : 2;
  return {
    bitDepth,
    chromaShift: { x: 1, y: 1 },
    isFullRange: false,
    matrix: 2,
    ...stated,
    width,
    height,
    planes: [plane(0), plane(1), plane(2)],
    strides: [width * bytes, (width / 2) * bytes, (width / 2) * bytes],
  };
}

async function pixels(planes: Planes, rotation: Rotation = 0) {
  const picture = filmPicture(planes, rotation);
  const rgba: number[] = [];
  for await (const stripe of picture.stripes()) {
    rgba.push(...stripe);
  }
  expect(rgba).toHaveLength(picture.width * picture.height * 4);
  return (x: number, y: number) => {
    const at = (Math.floor(y * picture.height) * picture.width + Math.floor(x * picture.width)) * 4;
    return rgba.slice(at, at + 4);
  };
}

/** Y, Cb and Cr of red by each matrix, in limited range. */
const RED_601 = [81, 90, 240] as const;
const RED_709 = [63, 102, 240] as const;
const WHITE = [235, 128, 128] as const;
const BLACK = [16, 128, 128] as const;
const GREY = [126, 128, 128] as const;

/** Within two steps, because the samples are rounded. */
function near(found: readonly number[], wanted: readonly number[]): void {
  expect(
    wanted.every((value, i) => Math.abs((found[i] ?? -9) - value) <= 2),
    found.join(" "),
  ).toBe(true);
}

const all = (color: readonly [number, number, number]) => [color, color, color, color];

describe("the colors of a picture", () => {
  it.each([
    ["BT.601 where it is stated", RED_601, { matrix: 6, height: 1_080 }],
    ["BT.601 of PAL", RED_601, { matrix: 5 }],
    ["BT.709 where it is stated", RED_709, { matrix: 1 }],
    ["BT.601 below 720 rows", RED_601, { height: 718 }],
    ["BT.709 from 720 rows on", RED_709, { height: 720 }],
    ["10 bits", RED_601, { bitDepth: 10 }],
    ["full range", [76, 85, 255] as const, { matrix: 6, isFullRange: true }],
  ])("are red by %s", async (_name, color, stated) => {
    const at = await pixels(quarters(all(color), { width: 16, ...stated }));
    near(at(0.5, 0.5), [255, 0, 0, 255]);
  });

  it("are wrong by the other matrix, so that the cases above tell them apart", async () => {
    const at = await pixels(quarters(all(RED_709), { matrix: 6 }));
    expect(at(0.5, 0.5)[0]).toBeLessThan(245);
  });

  it("reach black and white, and clip beyond them", async () => {
    const at = await pixels(quarters([BLACK, WHITE, [0, 128, 128], [255, 128, 128]]));
    near(at(0.1, 0.1), [0, 0, 0, 255]);
    near(at(0.9, 0.1), [255, 255, 255, 255]);
    near(at(0.1, 0.9), [0, 0, 0, 255]);
    near(at(0.9, 0.9), [255, 255, 255, 255]);
  });
});

describe("the rotation of a picture", () => {
  const names = ["red", "white", "black", "gray"];
  const nameOf = ([r = 0, g = 0]: readonly number[]) =>
    r > 200 ? (g > 200 ? "white" : "red") : g > 60 ? "gray" : "black";

  it.each([
    [0, ["red", "white", "black", "gray"]],
    [90, ["black", "red", "gray", "white"]],
    [180, ["gray", "black", "white", "red"]],
    [270, ["white", "gray", "red", "black"]],
  ] as const)("by %i degrees is clockwise", async (rotation, wanted) => {
    const planes = quarters([RED_601, WHITE, BLACK, GREY], { width: 66, height: 38 });
    const at = await pixels(planes, rotation);
    const corners = [at(0.02, 0.02), at(0.98, 0.02), at(0.02, 0.98), at(0.98, 0.98)];
    expect(corners.map((corner) => nameOf(corner))).toEqual(wanted);
    expect(names).toHaveLength(4);
  });
});
