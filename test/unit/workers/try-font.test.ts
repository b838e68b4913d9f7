import { describe, expect, it } from "vitest";
import { tryFont } from "../../../src/workers/runner/try-font.ts";
import { FontError } from "../../../src/formats/font/font-error.ts";
import type { FontMetadata } from "../../../src/formats/font/font-metadata.ts";
import { inspectFont } from "../../../src/formats/font/inspect-font.ts";
import { FONT_TRIAL } from "../../support/fonts/font-trial.ts";
import { HOSTILE_FONTS } from "../../support/fonts/hostile-fonts.ts";
import { openType, trueType } from "../../support/fonts/real-fonts.ts";
import { smallCidFont, smallOpenType, smallTrueType } from "../../support/fonts/small-fonts.ts";

const attempt = (bytes: Uint8Array, more: Partial<FontMetadata> = {}, trial = FONT_TRIAL) =>
  tryFont(bytes, { ...inspectFont(bytes), ...more }, trial);

describe("tryFont", () => {
  it.each([trueType, openType, smallTrueType, smallOpenType, smallCidFont])(
    "accepts %o",
    async (make) => {
      await expect(attempt(make())).resolves.toBeUndefined();
    },
  );

  it("rejects a font in which HarfBuzz finds something else than its tables state", async () => {
    await expect(attempt(smallTrueType(), { unitsPerEm: 2_048 })).rejects.toThrow(
      "HarfBuzz sees 1000 units per em",
    );
    await expect(attempt(smallTrueType(), { glyphCount: 12 })).rejects.toThrow(
      "cannot draw glyph 11",
    );
    await expect(attempt(trueType(), { glyphCount: 100 })).rejects.toThrow("leads to glyph");
  });

  it("ends a trial after its time limit, and lets other work run during it", async () => {
    let [nowMs, pauses] = [0, 0];
    const slow = {
      ...FONT_TRIAL,
      nowMs: () => nowMs,
      pause: async () => {
        pauses++;
        nowMs += 20_001;
      },
    };
    await expect(attempt(openType(), {}, slow)).rejects.toThrow("takes too long");
    expect(pauses).toBe(1);
  });

  it("converts any failure of HarfBuzz to a rejection", async () => {
    const broken = {
      ...FONT_TRIAL,
      pause: async () => {
        throw new WebAssembly.RuntimeError("unreachable");
      },
    };
    await expect(attempt(openType(), {}, broken)).rejects.toMatchObject({
      code: "FONT_INVALID",
      message: expect.stringContaining("stops at this font"),
    });
  });

  it("survives every hostile file of the corpus without the previous inspection", async () => {
    const metadata = inspectFont(smallTrueType());
    let refused = 0;
    for (const { make } of HOSTILE_FONTS) {
      try {
        await tryFont(make(), { ...metadata, glyphCount: 20 }, FONT_TRIAL);
      } catch (error) {
        expect(error).toBeInstanceOf(FontError);
        refused++;
      }
    }
    expect(refused).toBeGreaterThan(HOSTILE_FONTS.length / 2);
  });
});
