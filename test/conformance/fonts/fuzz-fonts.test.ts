/** Thousands of broken fonts: each is either refused with its code or valid. */
import { expect, test } from "vitest";
import { tryFont } from "../../../src/workers/runner/try-font.ts";
import { inspectFont } from "../../../src/formats/font/inspect-font.ts";
import { FONT_TRIAL } from "../../support/fonts/font-trial.ts";
import { FontSurgery } from "../../support/fonts/font-surgery.ts";
import { fuzzFonts, type FontFuzzReport } from "../../support/fonts/fuzz-fonts.ts";
import { openType, trueType } from "../../support/fonts/real-fonts.ts";
import { smallCidFont, smallOpenType, smallTrueType } from "../../support/fonts/small-fonts.ts";
import { sizeOf } from "../../support/sizes.ts";

const SMALL = [smallTrueType(), smallOpenType(), smallCidFont()];
const REAL = [trueType(), openType()];

const inspected = (bytes: Uint8Array) => Promise.resolve().then(() => inspectFont(bytes));

/** Shown with --reporter=verbose. */
function summary(what: string, report: FontFuzzReport): string {
  const refusals = [...report.refused].map(([code, count]) => `${count} ${code}`).join(", ");
  return (
    `${what}: ${report.executions} fonts in ${report.seconds.toFixed(1)} s, slowest ${report.slowestMs.toFixed(0)} ms; ` +
    `${report.accepted} accepted, ${refusals}; ${report.reasons} different reasons`
  );
}

test(
  "the inspection refuses or describes each of thousands of broken fonts",
  { timeout: 600_000 },
  async ({ annotate }) => {
    const report = await fuzzFonts({
      seed: 1,
      executions: sizeOf("damagedSmallFonts"),
      bases: SMALL,
      judge: inspected,
    });
    await annotate(summary("inspectFont, small fonts", report));
    expect(report.findings).toEqual([]);
    // The mutations pass the directory and the checksums and reach every reader.
    expect(report.reasons).toBeGreaterThan(60);
    expect(report.accepted).toBeGreaterThan(report.executions / 50);
  },
);

test(
  "the inspection refuses or describes real fonts with broken bytes",
  { timeout: 600_000 },
  async ({ annotate }) => {
    const report = await fuzzFonts({
      seed: 2_000_000,
      executions: sizeOf("damagedRealFonts"),
      bases: REAL,
      judge: inspected,
    });
    await annotate(summary("inspectFont, real fonts", report));
    expect(report.findings).toEqual([]);
  },
);

test(
  "HarfBuzz draws and shapes every font that the inspection takes, or refuses it",
  { timeout: 600_000 },
  async ({ annotate }) => {
    let trials = 0;
    const report = await fuzzFonts({
      seed: 3_000_000,
      executions: sizeOf("damagedOutlines"),
      bases: SMALL,
      judge: async (bytes) => {
        const metadata = inspectFont(bytes);
        trials++;
        await tryFont(bytes, metadata, FONT_TRIAL);
        return metadata;
      },
    });
    await annotate(summary(`HarfBuzz after inspectFont (${trials} trials)`, report));
    expect(report.findings).toEqual([]);
    expect(trials).toBeGreaterThan(report.executions / 50);
  },
);

test.for([
  ["TrueType", trueType],
  ["CFF", openType],
] as const)(
  "HarfBuzz survives fonts that the inspection would have refused: %s",
  { timeout: 600_000 },
  async ([name, base], { annotate }) => {
    const metadata = inspectFont(base());
    const report = await fuzzFonts({
      seed: 4_000_000,
      executions: sizeOf("triedFonts"),
      bases: [base()],
      judge: async (bytes) => {
        await tryFont(bytes, metadata, FONT_TRIAL);
        return metadata;
      },
    });
    await annotate(summary(`HarfBuzz without inspectFont, ${name}`, report));
    expect(report.findings).toEqual([]);
    expect(report.accepted).toBeGreaterThan(report.executions / 10);
  },
);

test("the fuzzer detects a reader that trusts a font's numbers, and one that passes on names unchanged", async () => {
  const trusting = await fuzzFonts({
    seed: 1,
    executions: 2_000,
    bases: SMALL,
    judge: async (bytes) => {
      const view = new DataView(bytes.buffer);
      // The fault: the first table is read at any offset that the directory names.
      view.getUint32(view.getUint32(20));
      return inspectFont(bytes);
    },
  });
  expect(trusting.findings.some((finding) => finding.includes("threw RangeError"))).toBe(true);
  const passing = await fuzzFonts({
    seed: 1,
    executions: 2_000,
    bases: SMALL,
    judge: async (bytes) => {
      const metadata = inspectFont(bytes);
      const names = new FontSurgery(bytes).view("name");
      // The fault: a name is passed on unchanged.
      const letter = String.fromCharCode(names.getUint16(names.getUint16(4)));
      return { ...metadata, family: letter + metadata.family };
    },
  });
  expect(passing.findings.some((finding) => finding.includes("accepted the name"))).toBe(true);
});
