/** Harmless drawings, imported and drawn, against the pictures of resvg (docs/contract/templates.md#svg-import). */
import { describe, expect, test } from "vitest";
import { importDrawing } from "../../../../src/render/svg/import-drawing.ts";
import { parseJson } from "../../../../src/lib/json/exact-json.ts";
import { decodePng } from "../../../support/node/decode-png.ts";
import { madeInNode } from "../../../support/render/node-renderer.ts";
import { sizeOf } from "../../../support/sizes.ts";
import { drawWithResvg } from "../../../support/svg/draw-with-resvg.ts";
import { HARMLESS, type HarmlessDrawing } from "../../../support/svg/harmless-drawings.ts";

const [WIDTH, HEIGHT, PIXELS] = [200, 100, 400];
/** Channels may differ by so much of 255 at a pixel: edges are smoothed in other ways. */
const CHANNEL_MAX = 96;
/** So many of a thousand pixels may differ by more. */
const SHARE_MAX = 4;
/** Of texts, whose edges are most of them: hinting and widths differ. */
const TEXT_SHARE_MAX = 12;

let ids = 0;
const id = () => `0b1f4c52-6d1c-4d55-9a36-${(++ids).toString(16).padStart(12, "0")}`;

function withIds(element: Record<string, unknown>): Record<string, unknown> {
  const { children } = element;
  return {
    id: id(),
    ...element,
    ...(Array.isArray(children) && { children: children.map(withIds) }),
  };
}

async function drawn(mode: "editable" | "preserved", { svg, objects }: HarmlessDrawing) {
  const box = { left: 0, top: 0, width: WIDTH, height: HEIGHT };
  const made = importDrawing({ mode, name: null, svg, ...box });
  if (!made.ok) {
    throw new Error(JSON.stringify(made.errors));
  }
  expect(made.objects).toBe(objects);
  const document = {
    schemaVersion: "2.0",
    pages: [
      { id: id(), width: WIDTH, height: HEIGHT, elements: [withIds(JSON.parse(made.element))] },
    ],
  };
  const { pages } = await madeInNode(parseJson(JSON.stringify(document)), {}, {
    images: "all",
    options: { max_page_dimension: PIXELS },
  } as never);
  return pages[0]!.image!.kept;
}

/** Of a thousand pixels, those in which a channel differs by more than `CHANNEL_MAX`. */
function differing(one: Uint8Array, other: Uint8Array): number {
  const [a, b] = [decodePng(one), decodePng(other)];
  expect([a.width, a.height]).toEqual([b.width, b.height]);
  let count = 0;
  for (let at = 0; at < a.rgba.length; at += 4) {
    const most = Math.max(...[0, 1, 2].map((i) => Math.abs(a.rgba[at + i]! - b.rgba[at + i]!)));
    count += most > CHANNEL_MAX ? 1 : 0;
  }
  return (1_000 * count) / (a.width * a.height);
}

describe.each(["editable", "preserved"] as const)("%s", (mode) => {
  const some = HARMLESS.filter((one) => one.mode === undefined || one.mode === mode).filter(
    (_one, i) => i % sizeOf("harmlessStride") === 0,
  );
  test.each(some.map((one) => [one.name, one] as const))("%s", async (_name, one) => {
    const share = differing(
      await drawn(mode, one),
      await drawWithResvg(one.judged ?? one.svg, PIXELS),
    );
    expect(share).toBeLessThanOrEqual(one.svg.includes("<text") ? TEXT_SHARE_MAX : SHARE_MAX);
  });
});

/** Faults as a conversion could have them, each planted in the drawing that is imported. */
test.each<[string, string, (svg: string) => string]>([
  ["a color", "a style sheet", (svg) => svg.replace("navy", "teal")],
  ["a turn", "a turned rectangle", (svg) => svg.replace("rotate(20", "rotate(23")],
  ["a corner", "rounded corners", (svg) => svg.replace('rx="12"', "")],
  ["a fill rule", "a hole by the even-odd rule", (svg) => svg.replace("evenodd", "nonzero")],
  ["a gradient's direction", "a vertical gradient", (svg) => svg.replace(' x2="0" y2="1"', "")],
  ["a use", "uses", (svg) => svg.replace('x="100" y="50"', 'x="104" y="50"')],
])("the comparison sees %s that is wrong", async (_what, name, plant) => {
  const one = HARMLESS.find((drawing) => drawing.name === name)!;
  const wrong = { ...one, svg: plant(one.svg) };
  expect(wrong.svg).not.toBe(one.svg);
  const judged = await drawWithResvg(one.judged ?? one.svg, PIXELS);
  for (const mode of ["editable", "preserved"] as const) {
    expect(differing(await drawn(mode, wrong), judged)).toBeGreaterThan(SHARE_MAX);
  }
});
