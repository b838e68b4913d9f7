/** ICC profiles of presses (docs/contract/templates.md#color-profiles): what is read, and every kind of damage. */
import { describe, expect, it, test } from "vitest";
import { pressProfile } from "../../../../scripts/press-profile.ts";
import { readPressProfile } from "../../../../src/formats/icc/read-press-profile.ts";
import { expectWithin } from "../../../support/expect-within.ts";

/** A copy with these bytes replaced. */
function changed(
  ...changes: readonly (readonly [at: number, value: number | string])[]
): Uint8Array {
  return changedIn(pressProfile(), ...changes);
}

/** Numbers are written as 32 bits. */
function changedIn(
  bytes: Uint8Array,
  ...changes: readonly (readonly [at: number, value: number | string])[]
): Uint8Array {
  const copy = Buffer.from(bytes);
  for (const [at, value] of changes) {
    if (typeof value === "string") {
      copy.write(value, at, "latin1");
    } else {
      copy.writeUInt32BE(value, at);
    }
  }
  return copy;
}

function problemOf(bytes: Uint8Array): string {
  const read = readPressProfile(bytes);
  return "problem" in read ? read.problem : `read as ${read.space}`;
}

/** Position of a tag's entry in the tag table. */
function entryOf(name: string, bytes = pressProfile()): number {
  return Buffer.from(bytes).indexOf(name, 132, "latin1");
}

function dataOf(name: string, bytes = pressProfile()): number {
  return Buffer.from(bytes).readUInt32BE(entryOf(name, bytes) + 4);
}

/** A profile with one tag in place of A2B0. */
function withTable(data: Uint8Array): Uint8Array {
  const base = pressProfile();
  const whole = Buffer.concat([base, data]);
  return changedIn(
    whole,
    [0, whole.length],
    [entryOf("A2B0") + 4, base.length],
    [entryOf("A2B0") + 8, data.length],
  );
}

/** `lutAToBType` from 4 channels to 3, with curves of a gamma and a grid of 2 points. */
function stages(): Buffer {
  const curve = Buffer.concat([
    Buffer.from("para\0\0\0\0\0\0\0\0", "latin1"),
    Buffer.from([0, 1, 0, 0]),
  ]);
  const curves = (count: number) => Buffer.concat(Array.from({ length: count }, () => curve));
  const grid = Buffer.concat([
    Buffer.from([2, 2, 2, 2, ...Array.from({ length: 12 }, () => 0), 1, 0, 0, 0]),
    Buffer.alloc(16 * 3),
  ]);
  const head = Buffer.alloc(32);
  head.write("mAB ", 0, "latin1");
  head[8] = 4;
  head[9] = 3;
  const parts = [curves(3), Buffer.alloc(48), curves(3), grid, curves(4)];
  let at = 32;
  for (const [index, part] of parts.entries()) {
    head.writeUInt32BE(at, 12 + 4 * index);
    at += part.length;
  }
  return Buffer.concat([head, ...parts]);
}

/** A copy of `stages()` with another number. */
function staged(at: number, value: number): Uint8Array {
  return withTable(changedIn(stages(), [at, value]));
}

describe("readPressProfile", () => {
  it.each([
    ["CMYK", "CMYK"],
    ["RGB ", "RGB"],
    ["GRAY", "GRAY"],
  ] as const)("reads a profile of %s", (space, name) => {
    expect(readPressProfile(pressProfile(space))).toEqual({ space: name });
  });

  it("reads version 4, with tables in stages", () => {
    expect(problemOf(changed([8, 0x04_40_00_00]))).toBe("read as CMYK");
    expect(problemOf(withTable(stages()))).toBe("read as CMYK");
  });

  it("reads RGB with curves and primaries in place of tables", () => {
    const rgb = pressProfile("RGB ");
    const xyz = dataOf("wtpt", rgb);
    const curve = Buffer.from("curv\0\0\0\0\0\0\0\0", "latin1");
    const whole = Buffer.concat([rgb, curve]);
    const names = ["rXYZ", "gXYZ", "bXYZ", "rTRC", "gTRC", "bTRC"];
    const old = ["A2B0", "B2A0", "A2B1", "B2A1", "A2B2", "B2A2"];
    const matrix = changedIn(
      whole,
      [0, whole.length],
      ...names.flatMap((name, i) => {
        const entry = entryOf(old[i]!, rgb);
        const [at, size] = name.endsWith("XYZ") ? [xyz, 20] : [rgb.length, curve.length];
        return [[entry, name] as const, [entry + 4, at] as const, [entry + 8, size] as const];
      }),
    );
    expect(problemOf(matrix)).toBe("read as RGB");
    // An identity has no entries; a curve with more entries than bytes is cut short.
    expect(problemOf(changedIn(matrix, [rgb.length + 8, 9]))).toBe(
      "Its tag rTRC is not a whole curve",
    );
    expect(problemOf(changedIn(matrix, [xyz, "text"]))).toMatch(/is not a color in XYZ/);
    expect(problemOf(changedIn(matrix, [entryOf("A2B2", rgb), "xTRC"]))).toMatch(/It lacks/);
  });

  test.each<[string, Uint8Array, RegExp]>([
    ["nothing", new Uint8Array(), /not those of an ICC profile/],
    ["a header alone", pressProfile().subarray(0, 128), /not those of an ICC profile/],
    ["another signature", changed([36, "acsq"]), /not those of an ICC profile/],
    ["a size that is too large", changed([0, 0xff_ff_ff_ff]), /says that it has 4294967295 bytes/],
    ["a size that is too small", changed([0, 132]), /says that it has 132 bytes/],
    ["a file cut short", pressProfile().subarray(0, -4), /Its header says/],
    ["bytes after the end", Buffer.concat([pressProfile(), Buffer.alloc(4)]), /Its header says/],
    ["version 5", changed([8, 0x05_00_00_00]), /version 5/],
    ["version 0", changed([8, 0]), /version 0/],
    ["the class of monitors", changed([12, "mntr"]), /class prtr/],
    ["the class of links", changed([12, "link"]), /class prtr/],
    ["six colors", changed([16, "6CLR"]), /neither CMYK nor RGB nor gray/],
    ["Lab as the press's colors", changed([16, "Lab "]), /neither CMYK/],
    ["another connection space", changed([20, "RGB "]), /neither Lab nor XYZ/],
    ["no tags", changed([128, 0]), /It lacks the tables/],
    ["more tags than bytes", changed([128, 0xff_ff_ff_ff]), /4294967295 tags/],
    ["201 tags", changed([128, 201]), /201 tags/],
    ["a tag in the header", changed([entryOf("A2B0") + 4, 64]), /outside of the file/],
    ["a tag behind the end", changed([entryOf("A2B0") + 4, 0xff_ff_ff_f0]), /outside of the file/],
    [
      "a tag that is too long",
      changed([entryOf("A2B0") + 8, 0xff_ff_ff_ff]),
      /outside of the file/,
    ],
    ["an empty tag", changed([entryOf("desc") + 8, 0]), /outside of the file/],
    ["a tag twice", changed([entryOf("A2B1"), "A2B0"]), /has the name of an earlier one/],
    ["no way back from Lab", changed([entryOf("B2A0"), "xxxx"]), /It lacks the tables/],
    ["no way to Lab", changed([entryOf("A2B0"), "xxxx"]), /It lacks the tables/],
    ["a table that is a text", changed([dataOf("A2B0"), "text"]), /A2B0 has another type/],
    ["a table of 3 channels", changed([dataOf("A2B0") + 8, 0x03_03_05_00]), /4 channels to 3/],
    ["a table to 4 channels", changed([dataOf("A2B0") + 8, 0x04_04_05_00]), /4 channels to 3/],
    ["inks of another number", changed([dataOf("B2A0") + 8, 0x03_03_09_00]), /3 channels to 4/],
    ["a grid of one point", changed([dataOf("A2B0") + 8, 0x04_03_01_00]), /one point/],
    ["a grid of 255⁴ points", changed([dataOf("A2B0") + 8, 0x04_03_ff_00]), /A2B0 is cut short/],
    ["a table whose tag is short", changed([entryOf("A2B0") + 8, 1_000]), /A2B0 is cut short/],
    ["a table of a few bytes", changed([entryOf("A2B2") + 8, 16]), /A2B2 does not convert/],
    ["a white that is a text", changed([dataOf("wtpt"), "text"]), /wtpt is not a color/],
    ["16 bits where there are 8", changed([dataOf("A2B0"), "mft2"]), /A2B0 (?:has|is)/],
    ["stages without curves", staged(12, 0), /lacks its curves/],
    ["stages without a table", staged(24, 0), /lacks its curves or its table/],
    ["stages with curves behind the end", staged(12, 0xff_ff_ff_00), /is cut short/],
    ["stages with a matrix behind the end", staged(16, 0x7f_ff_ff_ff), /is cut short/],
    ["stages with a table behind the end", staged(24, 0x7f_ff_ff_ff), /is cut short/],
    [
      "a table in stages of 255⁴ points",
      staged(stages().readUInt32BE(24), 0xff_ff_ff_ff),
      /cut short/,
    ],
    ["values of 9 bytes", staged(stages().readUInt32BE(24) + 16, 0x09_00_00_00), /is cut short/],
    ["a stage's curve that is a text", staged(stages().readUInt32BE(12), 0x74657874), /cut short/],
    ["a curve of 4 billion entries", staged(stages().readUInt32BE(28), 0x63757276), /cut short/],
    [
      "a curve of an unknown function",
      staged(stages().readUInt32BE(28) + 8, 0xff_ff_00_00),
      /cut short/,
    ],
  ])("refuses %s", (_what, bytes, problem) => {
    expect(problemOf(bytes)).toMatch(problem);
  });

  it("reads gray by its curve", () => {
    const gray = pressProfile("GRAY");
    const curve = dataOf("kTRC", gray);
    expect(problemOf(changedIn(gray, [curve + 8, 70_000]))).toMatch(/kTRC is not a whole curve/);
    expect(problemOf(changedIn(gray, [entryOf("kTRC", gray), "xTRC"]))).toMatch(/It lacks/);
  });

  it("takes any damage without an exception, and in bounded time", async () => {
    const whole = pressProfile();
    await expectWithin(2_000, () => {
      let random = 7;
      const next = (below: number) => {
        random = (Math.imul(random, 1_103_515_245) + 12_345) >>> 0;
        return Math.floor((random / 2 ** 32) * below);
      };
      for (let round = 0; round < 3_000; round++) {
        const bytes = whole.slice(0, round % 3 === 0 ? next(whole.length) : whole.length);
        for (let change = 0; change <= next(4); change++) {
          // The parts that are read: header, tag table and the heads of tables.
          bytes[next(600)] = next(256);
        }
        expect(typeof problemOf(bytes)).toBe("string");
      }
    });
  });
});
