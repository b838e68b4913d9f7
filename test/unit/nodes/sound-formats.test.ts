import { describe, expect, it } from "vitest";
import * as z from "zod";
import {
  BIT_DEPTHS,
  SOUND_FORMAT_ENTRIES,
  SOUND_FORMATS,
} from "../../../src/contracts/media/sound-formats.ts";
import { ExactNumber } from "../../../src/lib/json/exact-json.ts";
import {
  soundParameterIssues,
  soundParameters,
  sourceSoundParameters,
} from "../../../src/nodes/define-sound-formats.ts";

const params = z.strictObject(soundParameters);
const sourceParams = z.strictObject(sourceSoundParameters);
const paths = (given: object) =>
  soundParameterIssues(sourceParams.parse(given)).map(({ code, path }) => `${code} ${path}`);

describe("the common parameters of written sound", () => {
  it("have the format as their only default", () => {
    expect(params.parse({})).toEqual({ format: "wav" });
    expect(sourceParams.parse({})).toEqual({ format: "source" });
  });

  it("take the numbers of the contract and no others", () => {
    const accepts = (name: string, value: unknown) =>
      params.safeParse({ [name]: value }).success ? value : undefined;
    const taken = (name: string, values: readonly unknown[]) =>
      values.map((value) => accepts(name, value)).filter((value) => value !== undefined);
    expect(taken("bit_depth", [8, 16, 20, 24, 32, 64, "16"])).toEqual([16, 24, 32]);
    expect(taken("channels", [0, 1, 2, 3, 1.5])).toEqual([1, 2]);
    expect(taken("sample_rate", [7_999, 8_000, 44_100.5, 192_000, 192_001])).toEqual([
      8_000, 192_000,
    ]);
    expect(taken("bitrate_kbps", [15, 16, 96.5, 510, 511])).toEqual([16, 510]);
    expect(taken("format", ["wav", "flac", "mp3", "m4a", "ogg", "aac", "source"])).toEqual([
      ...SOUND_FORMATS,
    ]);
    expect(params.parse({ bit_depth: new ExactNumber("24.0") })).toMatchObject({ bit_depth: 24 });
  });

  it("fit each format exactly as its entry says", () => {
    for (const format of SOUND_FORMATS) {
      const { bitrate, bitDepths } = SOUND_FORMAT_ENTRIES[format];
      for (let kbps = 16; kbps <= 510; kbps++) {
        const fits = bitrate !== undefined && kbps >= bitrate.min && kbps <= bitrate.max;
        expect(paths({ format, bitrate_kbps: kbps }), `${format} ${kbps}`).toEqual(
          fits ? [] : ["INVALID_PARAMETER bitrate_kbps"],
        );
      }
      for (const depth of BIT_DEPTHS) {
        expect(paths({ format, bit_depth: depth }), `${format} ${depth}`).toEqual(
          bitDepths.includes(depth) ? [] : ["INVALID_PARAMETER bit_depth"],
        );
      }
      expect(paths({ format, sample_rate: 8_001, channels: 1 })).toEqual([]);
    }
    const lossless = SOUND_FORMATS.filter(
      (format) => SOUND_FORMAT_ENTRIES[format].bitrate === undefined,
    );
    expect(lossless).toEqual(["wav", "flac"]);
    expect([SOUND_FORMAT_ENTRIES.mp3.bitrate, SOUND_FORMAT_ENTRIES.ogg.bitrate]).toMatchObject([
      { min: 32, max: 320 },
      { min: 16, max: 510 },
    ]);
  });

  it("are refused all together where the source's format is kept", () => {
    expect(paths({ bitrate_kbps: 128, bit_depth: 16, sample_rate: 48_000, channels: 2 })).toEqual([
      "INVALID_PARAMETER bitrate_kbps",
      "INVALID_PARAMETER bit_depth",
      "INVALID_PARAMETER sample_rate",
      "INVALID_PARAMETER channels",
    ]);
    expect(paths({ format: "source" })).toEqual([]);
  });

  it("are refused with the value, the rule and the fix", () => {
    const messages = (given: object) =>
      soundParameterIssues(sourceParams.parse(given)).flatMap(({ message, suggestion }) => [
        message,
        suggestion,
      ]);
    expect(messages({ format: "flac", bit_depth: 32 })).toEqual([
      "bit_depth is 32, and flac takes 16 or 24.",
      "Set bit_depth to 16 or 24, or choose wav as format.",
    ]);
    expect(messages({ format: "mp3", bitrate_kbps: 16 })).toEqual([
      "bitrate_kbps is 16, and mp3 takes 32 to 320.",
      "Set bitrate_kbps to 32 to 320.",
    ]);
    expect(messages({ format: "wav", bitrate_kbps: 128 })).toEqual([
      "bitrate_kbps is 128, and wav is lossless: it has no bit rate.",
      "Leave bitrate_kbps out, or choose mp3, m4a, ogg as format.",
    ]);
  });
});
