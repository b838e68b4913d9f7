import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  type CodeSpec,
  EyeBallShape,
  EyeFrameShape,
  LogoBackground,
  ModuleShape,
} from "../../../../src/contracts/code-symbol.ts";
import { drawCode } from "../../../../src/images/code/draw-code.ts";
import { logoPainter } from "../../../../src/images/code/logo-painter.ts";
import { readCodes } from "../../../../src/images/code/read-codes.ts";
import { drawSvg } from "../../../../src/images/svg/draw-svg.ts";
import { encodePng } from "../../../support/images/encode-png.ts";
import { NodeError } from "../../../../src/lib/errors/node-error.ts";
import { codeSpec, SVG_LOGO } from "../../../support/images/code-spec.ts";
import { readWithZbar } from "../../../support/images/read-with-zbar.ts";
import { codeReader, imageCodecs, svgRenderer } from "../../../support/images/wasm-modules.ts";
import { testInProof } from "../../../support/in-proof.ts";

const paintLogo = logoPainter(imageCodecs, svgRenderer);
const draw = (spec: CodeSpec) => drawCode(spec, paintLogo);
const svgLogo = { bytes: SVG_LOGO, contentType: "image/svg+xml" };

async function expectBothReadersAgree(spec: CodeSpec): Promise<void> {
  const drawn = await draw(spec);
  const label = `${spec.symbology} ${spec.moduleShape} ${spec.eyeFrameShape} ${spec.eyeBallShape} ${spec.size} ${spec.logo === undefined ? "" : spec.logoBackground}`;
  const zxing = await readCodes(drawn, codeReader);
  expect(
    zxing.map(({ text }) => text),
    `zxing: ${label}`,
  ).toEqual([drawn.text]);
  expect(await readWithZbar(drawn, spec.symbology === "qr"), `zbar: ${label}`).toContain(
    drawn.text,
  );
}

describe("every drawn QR code is read by two independent decoders", () => {
  const frames = EyeFrameShape.options;
  const balls = EyeBallShape.options;
  for (const size of [128, 256, 512, 1024]) {
    (size === 1_024 ? testInProof : it)(
      `at ${size} px in every module shape, with and without a logo`,
      async () => {
        for (const [i, moduleShape] of ModuleShape.options.entries()) {
          for (const [j, logoBackground] of [undefined, ...LogoBackground.options].entries()) {
            await expectBothReadersAgree(
              codeSpec({
                size,
                moduleShape,
                eyeFrameShape: frames[(i + j) % frames.length]!,
                eyeBallShape: balls[(i + 2 * j) % balls.length]!,
                ...(logoBackground === undefined ? {} : { logo: svgLogo, logoBackground }),
              }),
            );
          }
        }
      },
    );
  }

  it("with every eye frame around every eye ball", async () => {
    for (const eyeFrameShape of frames) {
      for (const eyeBallShape of balls) {
        for (const moduleShape of ["square", "star"] as const) {
          await expectBothReadersAgree(codeSpec({ moduleShape, eyeFrameShape, eyeBallShape }));
        }
      }
    }
  });

  it("in color on a transparent background with eyes of another color", async () => {
    await expectBothReadersAgree(
      codeSpec({
        codeColor: [12, 60, 140],
        eyeColor: [150, 0, 60],
        backgroundColor: null,
        moduleShape: "rounded",
      }),
    );
  });
});

describe("every drawn bar code is read by two independent decoders", () => {
  for (const size of [128, 256, 512, 1024]) {
    it(`at ${size} px, with and without the human-readable line`, async () => {
      for (const humanReadableText of [true, false]) {
        for (const text of ["590123412345", "4006381333931", "012345678905"]) {
          await expectBothReadersAgree(
            codeSpec({ symbology: "ean13", text, size, humanReadableText }),
          );
        }
        await expectBothReadersAgree(
          codeSpec({ symbology: "code128", text: "AB-12~", size, humanReadableText }),
        );
      }
    });
  }

  it("with all of printable ASCII, in two halves of 48 and 47 characters", async () => {
    const ascii = Array.from({ length: 95 }, (_, i) => String.fromCharCode(0x20 + i)).join("");
    for (const text of [ascii.slice(0, 48), ascii.slice(48)]) {
      const drawn = await draw(codeSpec({ symbology: "code128", text, size: 1024 }));
      expect(await readCodes(drawn, codeReader)).toEqual([{ format: "Code128", text }]);
    }
  });

  it("at the lowest bar height", async () => {
    const spec = codeSpec({ symbology: "ean13", text: "590123412345", size: 512, barHeight: 8 });
    expect(await readCodes(await draw(spec), codeReader)).toEqual([
      { format: "EAN13", text: "5901234123457" },
    ]);
  });
});

describe("random payloads", () => {
  it("are read back from QR codes with any characters", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.string({ unit: "grapheme", minLength: 1, maxLength: 60 }),
        fc.constantFrom(...ModuleShape.options),
        async (text, moduleShape) => {
          const drawn = await draw(codeSpec({ text, moduleShape, size: 400 }));
          expect(await readCodes(drawn, codeReader)).toEqual([{ format: "QRCode", text }]);
        },
      ),
      { numRuns: 60, seed: 7 },
    );
  });

  it("are read back from Code 128", async () => {
    const character = fc.integer({ min: 0x20, max: 0x7e }).map((code) => String.fromCharCode(code));
    await fc.assert(
      fc.asyncProperty(
        fc.string({ unit: character, minLength: 1, maxLength: 48 }),
        async (text) => {
          const drawn = await draw(codeSpec({ symbology: "code128", text, size: 700 }));
          expect(await readCodes(drawn, codeReader)).toEqual([{ format: "Code128", text }]);
        },
      ),
      { numRuns: 60, seed: 7 },
    );
  });

  it("are read back from EAN-13 with the check digit added", async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 0, max: 999_999_999_999 }), async (number) => {
        const text = String(number).padStart(12, "0");
        const drawn = await draw(codeSpec({ symbology: "ean13", text, size: 300 }));
        const [found] = await readCodes(drawn, codeReader);
        expect(found).toEqual({ format: "EAN13", text: drawn.text });
        expect(found?.text.slice(0, 12)).toBe(text);
      }),
      { numRuns: 40, seed: 7 },
    );
  });
});

describe("the SVG looks like the pixels", () => {
  const specs: [string, CodeSpec][] = [
    ...ModuleShape.options.map((moduleShape, i): [string, CodeSpec] => [
      moduleShape,
      codeSpec({
        moduleShape,
        eyeFrameShape: EyeFrameShape.options[i % 4]!,
        eyeBallShape: EyeBallShape.options[i % 5]!,
        codeColor: [20, 40, 90],
        eyeColor: [120, 20, 20],
        size: 300,
        ...(i % 2 === 0 ? { logo: svgLogo } : {}),
      }),
    ]),
    ["transparent", codeSpec({ backgroundColor: null, moduleShape: "heart" })],
    ["ean13", codeSpec({ symbology: "ean13", text: "590123412345", size: 400 })],
    ["code128", codeSpec({ symbology: "code128", text: "Hello, world! {42}", size: 400 })],
  ];
  it.each(specs)("%s", async (_name, spec) => {
    const drawn = await draw(spec);
    const other = await drawSvg(drawn.svg, Math.max(drawn.width, drawn.height), svgRenderer);
    expect([other.width, other.height]).toEqual([drawn.width, drawn.height]);
    expect((await readCodes(other, codeReader)).map(({ text }) => text)).toEqual([drawn.text]);
    let sum = 0;
    let far = 0;
    for (let i = 0; i < drawn.rgba.length; i++) {
      // A transparent pixel's color does not count.
      const clear = drawn.rgba[i | 3] === 0 && other.rgba[i | 3] === 0;
      const difference = clear ? 0 : Math.abs(drawn.rgba[i]! - other.rgba[i]!);
      sum += difference;
      far += difference > 64 ? 1 : 0;
    }
    // Anti-aliasing differs slightly between the two; a shape in another place fails.
    expect(sum / drawn.rgba.length).toBeLessThan(1);
    expect(far / drawn.rgba.length).toBeLessThan(0.002);
  });

  it("has few elements and no text element", async () => {
    const drawn = await draw(
      codeSpec({ text: "x".repeat(1_000), size: 1024, moduleShape: "star" }),
    );
    expect(drawn.svg.match(/<[a-z]/g)?.length).toBeLessThan(10);
    const bars = await draw(codeSpec({ symbology: "ean13", text: "590123412345" }));
    expect(bars.svg).not.toContain("<text");
  });
});

describe("the quiet zone", () => {
  it("is 4 modules around a QR code that just fits, and wider if pixels are left", async () => {
    // 25 modules and twice 4 make 33.
    expect((await draw(codeSpec({ text: "x".repeat(20), size: 33 * 5 }))).quietZone).toEqual([4]);
    expect((await draw(codeSpec({ text: "x".repeat(20), size: 33 * 5 + 4 }))).quietZone).toEqual([
      4.4,
    ]);
    // Round eyes extend a tenth of a module beyond the square, which no scanner minds.
    const round = codeSpec({ text: "x".repeat(20), size: 33 * 4, eyeFrameShape: "circle" });
    expect((await draw(round)).quietZone).toEqual([4]);
  });

  it("is 11 and 7 modules beside EAN-13, and 10 beside Code 128", async () => {
    const ean = codeSpec({ symbology: "ean13", text: "590123412345", size: 113 * 3 });
    expect((await draw(ean)).quietZone).toEqual([11, 7]);
    // Start, three characters, check and stop: 11 modules each and 2 more.
    const code128 = codeSpec({ symbology: "code128", text: "abc", size: (68 + 20) * 3 });
    expect((await draw(code128)).quietZone).toEqual([10, 10]);
  });
});

describe("the human-readable line", () => {
  /**
   * Dark pixels below the guard bars of an EAN with 3 px modules: 5 of margin, 69 of bars, 5 of
   * guard.
   */
  const inkBelow = ({ rgba, width }: Awaited<ReturnType<typeof draw>>): number => {
    let ink = 0;
    for (let at = 79 * 3 * width * 4; at < rgba.length; at += 4) {
      ink += rgba[at]! < 128 ? 1 : 0;
    }
    return ink;
  };

  it("is present by default, differs with the digits, and can be omitted", async () => {
    const ean = (text: string, humanReadableText = true) =>
      draw(codeSpec({ symbology: "ean13", text, size: 400, humanReadableText }));
    const ones = inkBelow(await ean("111111111111"));
    const eights = inkBelow(await ean("888888888888"));
    expect(ones).toBeGreaterThan(50);
    expect(eights).not.toBe(ones);
    const without = await ean("111111111111", false);
    expect(inkBelow(without)).toBe(0);
    expect(without.height).toBeLessThan((await ean("111111111111")).height);
  });

  it("follows bar_height", async () => {
    const high = (barHeight: number) =>
      draw(codeSpec({ symbology: "code128", text: "abc", size: 300, barHeight }));
    expect((await high(200)).height - (await high(100)).height).toBe(100);
  });
});

describe("a logo", () => {
  it("raises error correction to H", async () => {
    const spec = codeSpec({ logo: svgLogo, errorCorrection: "L" });
    expect((await draw(spec)).errorCorrection).toBe("H");
  });

  it("may be a PNG, which the SVG embeds", async () => {
    const side = 40;
    const rgba = new Uint8ClampedArray(side * side * 4).fill(255);
    for (let i = 0; i < rgba.length; i += 4) {
      rgba[i + 1] = i % 256;
    }
    const bytes = encodePng(rgba, side, side);
    const drawn = await draw(codeSpec({ logo: { bytes, contentType: "image/png" } }));
    expect(drawn.svg).toContain('<image x="');
    expect(await readCodes(drawn, codeReader)).toEqual([{ format: "QRCode", text: drawn.text }]);
  });

  it("that covers half of the side makes the code unreadable", async () => {
    const drawn = await draw(codeSpec({ logo: svgLogo, logoSizePercent: 50 }));
    expect(await readCodes(drawn, codeReader)).toEqual([]);
  });

  it("of damaged bytes is rejected with a fix", async () => {
    const logo = { bytes: new Uint8Array([1, 2, 3]), contentType: "image/png" };
    await expect(draw(codeSpec({ logo }))).rejects.toMatchObject({ code: "IMAGE_UNREADABLE" });
  });
});

describe("a code that cannot be drawn", () => {
  it("is rejected with the smallest size that works", async () => {
    await expect(draw(codeSpec({ text: "x".repeat(800), size: 100 }))).rejects.toMatchObject({
      code: "CODE_TOO_SMALL",
      message: expect.stringMatching(/at least \d+ px/) as string,
    });
    await expect(
      draw(codeSpec({ symbology: "code128", text: "x".repeat(48), size: 500 })),
    ).rejects.toMatchObject({ code: "CODE_TOO_SMALL" });
  });

  it("is rejected beyond version 40, with both numbers", async () => {
    const text = "é".repeat(1_200);
    await expect(draw(codeSpec({ text, size: 1024, errorCorrection: "M" }))).rejects.toThrow(
      /takes 2400 bytes.*holds at most 2331/,
    );
    await expect(draw(codeSpec({ text: "x".repeat(100_000) }))).rejects.toBeInstanceOf(NodeError);
  });

  it("the largest text at level L is drawn and read", async () => {
    const text = "x".repeat(2_953);
    const drawn = await draw(codeSpec({ text, errorCorrection: "L", size: 1024 }));
    expect(await readCodes(drawn, codeReader)).toEqual([{ format: "QRCode", text }]);
  });
});
