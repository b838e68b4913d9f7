/**
 * Plants faults in the code of sound, one after another, and runs the test that must find each:
 * `node scripts/mutate-media.ts`. Prints a line for each and fails if one is not found. It changes files of the working
 * tree and restores them, so nothing else may use the tree meanwhile.
 */
import { execFileSync, spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("..", import.meta.url));

interface Fault {
  readonly what: string;
  readonly file: string;
  readonly from: string;
  readonly to: string;
  /** File below test/unit/media, and the name of the test. */
  readonly test: readonly [file: string, name: string];
}

const FAULTS: readonly Fault[] = [
  {
    what: "the gate lets quieter blocks pass",
    file: "src/media/dsp/loudness.ts",
    from: "audible.filter((energy) => energy > gate)",
    to: "audible.filter((energy) => energy > gate / 10)",
    test: ["dsp/sound-meter.test.ts", "EBU Tech 3341"],
  },
  {
    what: "a frame of the edit list too many",
    file: "src/media/container/decode-track.ts",
    from: "duration === null ? null : Math.round(duration * ratio),\n  }));",
    to: "duration === null ? null : Math.round(duration * ratio) + 1,\n  }));",
    test: ["container/open-sound.test.ts", "has the length that a player presents"],
  },
  {
    what: "an edit begins one frame late",
    file: "src/media/container/decode-track.ts",
    from: "start === null ? null : Math.round(start * ratio),",
    to: "start === null ? null : Math.round(start * ratio) + 1,",
    test: ["container/open-sound.test.ts", "is aligned to its source to the frame"],
  },
  {
    what: "one frame of pre-skip is kept",
    file: "src/media/container/ogg/open-ogg.ts",
    from: "const skip = preSkip + Math.max(0, -start);",
    to: "const skip = preSkip - 1 + Math.max(0, -start);",
    test: ["container/open-sound.test.ts", "a sound"],
  },
  {
    what: "equal cues in the other order",
    file: "src/media/timeline/place-cues.ts",
    from: "a.start - b.start || a.index - b.index",
    to: "a.start - b.start || b.index - a.index",
    test: [
      "timeline/timeline.test.ts",
      "cues are placed by their start, equal ones by their index",
    ],
  },
  {
    what: "cues of subtitles in the order of the file",
    file: "src/media/subtitles/place-cues.ts",
    from: ".toSorted((a, b) => a.startMs - b.startMs)",
    to: ".toSorted(() => 0)",
    test: ["subtitles/subtitles.test.ts", "cues are sorted"],
  },
  {
    what: "halves are rounded up",
    file: "src/media/dsp/rounding.ts",
    from: "out[at] = value + ROUNDER - ROUNDER;",
    to: "out[at] = Math.round(value);",
    test: ["dsp/rounding.test.ts", "are rounded to the nearest, and halves to even"],
  },
  {
    what: "full scale is one step lower",
    file: "src/media/dsp/rounding.ts",
    from: "const max = scale - 1;",
    to: "const max = scale - 2;",
    test: ["dsp/rounding.test.ts", "samples that become integers"],
  },
  {
    what: "LAME keeps its own gain",
    file: "src/media/codec/lame-encoder.ts",
    from: "matrix.set([1, 0, 0, 1]);",
    to: "",
    test: ["codec/level.test.ts", "keeps its level"],
  },
  {
    what: "the resampler begins one frame late",
    file: "src/media/dsp/resampler.ts",
    from: "this.#filled = filter.taps / 2 - 1;",
    to: "this.#filled = filter.taps / 2;",
    test: ["dsp/resampler.test.ts", "undelayed"],
  },
  {
    what: "a computing task does not give its thread back",
    file: "src/workers/media/work-turns.ts",
    from: "await this.#giveTurn();",
    to: "",
    test: ["../workers/media/work-turns.test.ts", "other work has its turn"],
  },
];

/** Whether the test passes. */
function passes([file, name]: Fault["test"]): boolean {
  const args = ["run", "--project", "unit", `test/unit/media/${file}`, "-t", name];
  const { status, stdout } = spawnSync("npx", ["vitest", ...args, "--reporter", "json"], {
    cwd: ROOT,
    encoding: "utf8",
  });
  const { numPassedTests: passed = 0, numFailedTests: failed = 0 } = JSON.parse(
    stdout.slice(stdout.indexOf("{")),
  ) as { numPassedTests?: number; numFailedTests?: number };
  if (passed + failed === 0) {
    throw new Error(`${file} has no test ${name}.`);
  }
  return status === 0;
}

const changed = execFileSync("git", ["status", "--porcelain", "src"], {
  cwd: ROOT,
  encoding: "utf8",
});
if (changed !== "") {
  throw new Error(`Commit first; these files would be changed and restored:\n${changed}`);
}
for (const { what, file, from, to, test } of FAULTS) {
  const path = ROOT + file;
  const source = readFileSync(path, "utf8");
  if (source.split(from).length !== 2) {
    throw new Error(`${file} does not contain this once: ${from}`);
  }
  if (!passes(test)) {
    throw new Error(`${test.join(": ")} fails without a fault.`);
  }
  try {
    writeFileSync(path, source.replace(from, to));
    const isFound = !passes(test);
    console.log(`${isFound ? "found" : "NOT FOUND"}: ${what} (${test.join(": ")})`);
    if (!isFound) {
      process.exitCode = 1;
    }
  } finally {
    writeFileSync(path, source);
  }
}
