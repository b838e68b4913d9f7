import { deflateSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { PageDrawer } from "../../../../src/render/pages/page-drawer.ts";
import { preparePicture } from "../../../../src/render/pdf/pictures/prepare-picture.ts";
import { writePdf } from "../../../../src/render/pdf/write-pdf.ts";
import type { RendererEnv } from "../../../../src/platform/env.ts";
import { withFaces } from "../../../../src/workers/renderer/document-render.ts";
import { withRoomToDraw } from "../../../../src/workers/renderer/draw-room.ts";
import { FailedRender, withinRenderTime } from "../../../../src/workers/renderer/failed-render.ts";
import { HeldResponses } from "../../../../src/workers/renderer/held-responses.ts";
import { RenderGate } from "../../../../src/workers/renderer/render-gate.ts";
import { RenderTurns } from "../../../../src/workers/renderer/render-turns.ts";
import type { RendererParts } from "../../../../src/workers/renderer/renderer-parts.ts";
import { ReadAhead } from "../../../../src/workers/renderer/resources/read-ahead.ts";
import type { CatalogFile } from "../../../../src/workers/renderer/resources/font-catalog.ts";
import { FaceNotOpenError } from "../../../../src/workers/renderer/resources/render-fonts.ts";
import { compiledPackageFile } from "../../../support/compiled-package-file.ts";
import { HOSTILE_FONTS } from "../../../support/fonts/hostile-fonts.ts";
import { makeShaper, openFont } from "../../../support/fonts/shaper.ts";
import { GLYPH_WORDS, shapeOptions } from "../../../../src/templates/text/font-face.ts";
import type { Shaper } from "../../../../src/render/shaping/shaper.ts";
import { sizeOf } from "../../../support/sizes.ts";
import { imageCodecs } from "../../../support/images/wasm-modules.ts";
import { pngOf } from "../../../support/pdf/png-of.ts";
import { NO_RESOURCES, PLAIN_OPTIONS, joined, pageOf } from "../../../support/pdf/plain-options.ts";

const MB = 1024 * 1024;

/** What has settled, once all that can has. */
async function settled(promises: readonly Promise<unknown>[]): Promise<number[]> {
  const done: number[] = [];
  for (const [i, promise] of promises.entries()) {
    void promise.then(() => done.push(i));
  }
  await new Promise((resolve) => setTimeout(resolve, 1));
  return done;
}

describe("pictures that are read ahead", () => {
  it("share little memory, of which the first takes none", async () => {
    const ahead = new ReadAhead();
    const takes = [ahead.take(0, 20 * MB), ahead.take(1, 3 * MB), ahead.take(2, 3 * MB)];
    expect(await settled(takes)).toEqual([0, 1]);
    ahead.next();
    expect(await settled(takes)).toEqual([0, 1, 2]);
  });

  it("are read one after another where each needs much", async () => {
    const ahead = new ReadAhead();
    const takes = [0, 1, 2].map((place) => ahead.take(place, 20 * MB));
    for (const done of [[0], [0, 1], [0, 1, 2]]) {
      expect(await settled(takes)).toEqual(done);
      ahead.next();
    }
  });
});

describe("files that nobody has read", () => {
  it("hold back other renders until they are read, or for a minute", async () => {
    const responses = new HeldResponses();
    let nowMs = 0;
    const held = responses.hold(10 * MB, () => nowMs);
    expect(responses.hasRoom(nowMs)).toBe(false);
    held.read(9 * MB);
    expect(responses.hasRoom(nowMs)).toBe(true);
    responses.hold(2 * MB, () => nowMs);
    expect(responses.hasRoom(nowMs)).toBe(false);
    nowMs += 61_000;
    expect(responses.hasRoom(nowMs)).toBe(true);
    expect(held.isHeld).toBe(false);
  });

  it("let the next render begin as soon as they are released", async () => {
    const responses = new HeldResponses();
    const held = responses.hold(10 * MB, Date.now);
    const { signal } = new AbortController();
    const gate = new RenderGate("w", new RenderTurns(), responses);
    const next = gate.inTurn({ mayQueue: false, signal }, () => Promise.resolve("made"));
    expect(await Promise.race([next, new Promise((end) => setTimeout(end, 30, "waits"))])).toBe(
      "waits",
    );
    held.release();
    expect(await next).toBe("made");
  });
});

describe("a render that goes wrong", () => {
  it("ends after its time, and leaves the turn to the next", async () => {
    const turns = new RenderTurns();
    const { signal } = new AbortController();
    const turn = { mayQueue: true, signal };
    const endless = new RenderGate("w", turns).inTurn(turn, () =>
      withinRenderTime(
        signal,
        (limited) =>
          new Promise((_, reject) => {
            limited.addEventListener("abort", () => reject(limited.reason as Error));
          }),
        20,
      ),
    );
    const next = new RenderGate("w", turns).inTurn(turn, () => Promise.resolve("made"));
    await expect(endless).rejects.toMatchObject({ failure: { code: "timeout" } });
    expect(await next).toBe("made");
  });

  it("closes the fonts where PDFium needs their room, and tells if that is not enough", async () => {
    const shaper = makeShaper();
    openFont(shaper, "sans");
    const given: number[] = [];
    const drawn = await withRoomToDraw(shaper, (bytes) => {
      given.push(bytes);
      return given.length === 1
        ? Promise.reject(new WebAssembly.RuntimeError("planted"))
        : Promise.resolve("drawn");
    });
    expect(drawn).toBe("drawn");
    expect(shaper.memoryBytes).toBe(0);
    expect(given[1]).toBeGreaterThan(given[0] ?? 0);
    await expect(
      withRoomToDraw(shaper, () => Promise.reject(new WebAssembly.RuntimeError("planted"))),
    ).rejects.toThrow("planted");
  });

  it("of a page that does not fit in PDFium's memory leaves the next to a new instance", async () => {
    const drawer = new PageDrawer(
      compiledPackageFile("@hyzyla/pdfium/dist/pdfium.wasm"),
      imageCodecs.pixels,
    );
    const side = 2_500;
    const rows = deflateSync(new Uint8Array((side + 1) * side), { level: 1 });
    const picture = await preparePicture(
      pngOf({ width: side, height: side, depth: 8, color: 0 }, rows),
      imageCodecs,
      { allowsCmyk: true },
    );
    if (typeof picture === "string") {
      throw new Error(picture);
    }
    const page = pageOf([{ kind: "picture", picture: "p", matrix: [200, 0, 0, 100, 0, 0] }]);
    const resources = { ...NO_RESOURCES, picture: () => picture };
    const pdf = await joined(writePdf([page], resources, PLAIN_OPTIONS));
    const draw = (pixels: number, bytes: number) =>
      drawer.use([pdf], (document) => [...document.draw(0, pixels).pieces()].length, bytes);
    await expect(draw(4_000, 18 * MB)).rejects.toThrow(WebAssembly.RuntimeError);
    expect(drawer.memoryBytes).toBe(0);
    expect(await draw(64, 56 * MB)).toBeGreaterThan(0);
  });
});

describe("a font that an upload would refuse, and that a document has pinned", () => {
  const options = shapeOptions({
    script: "Latn",
    language: "",
    features: [],
    isRightToLeft: false,
  });

  /** Shapes with the font and cuts it, as a render does. */
  async function print(shaper: Shaper, name: string, bytes: Uint8Array): Promise<unknown> {
    const parts = { shaper } as unknown as RendererParts;
    const env = {
      FILES: { get: () => Promise.resolve({ bytes: () => Promise.resolve(bytes) }) },
    } as unknown as RendererEnv;
    const file: CatalogFile = {
      sha256: name,
      sizeBytes: bytes.byteLength,
      weight: 400,
      style: "normal",
      place: { kind: "workspace", key: `w/${name}` },
    };
    const { signal } = new AbortController();
    try {
      return await withFaces({ env, parts }, "w", signal, () => {
        const face = shaper.find(name);
        if (face === undefined) {
          throw new FaceNotOpenError(file);
        }
        const { length, records } = face.shape("Affluent ﬁ", options, "", "");
        const glyphs = Array.from({ length }, (_, i) => records[i * GLYPH_WORDS] ?? 0);
        return Promise.resolve(face.subset(glyphs));
      });
    } finally {
      shaper.endRender();
    }
  }

  it("prints in some way or fails the render, and the next one is unharmed", async () => {
    const shaper = makeShaper();
    const stride = sizeOf("pinnedFontStride");
    for (const { name, make } of HOSTILE_FONTS.filter((_, i) => i % stride === 0)) {
      const outcome = await print(shaper, name, make()).catch((error: unknown) => error);
      expect([outcome instanceof Uint8Array, outcome instanceof FailedRender], name).toContain(
        true,
      );
    }
    expect(openFont(shaper, "sans").shape("A", options, "", "").length).toBe(1);
  });

  it("fails the render if HarfBuzz has no room for it, and the next one is unharmed", async () => {
    const shaper = makeShaper();
    await expect(print(shaper, "large", new Uint8Array(60 * MB))).rejects.toMatchObject({
      failure: { code: "unavailable", may_retry: false },
    });
    expect(openFont(shaper, "sans").shape("A", options, "", "").length).toBe(1);
  });
});
