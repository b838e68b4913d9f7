/** Faults planted in code that the random graphs do not reach: the check of its rule finds each. */
import { describe, expect, it } from "vitest";
import { buildEdited, type Edit } from "./build-edited.ts";

const SEEDS = 100;
const TEXTS = "durable-objects/run/views/live-texts.ts";

const ofTexts: readonly (readonly [name: string, from: string, to: string])[] = [
  ["a piece after a gap is accepted", "piece.at > length", "piece.at > length + 1_000"],
  ["a repeated piece is added again", "text.slice(before.length - at)", "text"],
  [
    "an attempt continues the text of the previous one",
    "return known?.fence === fence ? known : undefined;",
    "return known;",
  ],
  ["a reader is not told to start again", "reset: length === undefined", "reset: false"],
];

const ofReferences: readonly (readonly [name: string, edit: Edit])[] = [
  [
    "a run continues with a later stored version",
    {
      file: "durable-objects/run/wake-run.ts",
      from: "known?.references.agreesOn(known.needed, references) === true",
      to: "known !== undefined",
    },
  ],
  [
    "the versions are not in the fingerprint",
    {
      file: "src/engine/plan/plan-fingerprint.ts",
      from: "...(node.references === undefined",
      to: "...(node !== undefined",
    },
  ],
  [
    "a reference in a submit is not fetched",
    {
      file: "src/domain/references/run-references.ts",
      from: "if (!overrides.some(refers)) {",
      to: "if (overrides.some(refers) || overrides.length === 0) {",
    },
  ],
];

type Texts = typeof import("./follow-texts.ts");
type Kept = typeof import("./keep-references.ts");

async function heardWrongly(edit: Edit | undefined): Promise<string | undefined> {
  const { followTexts } = await buildEdited<Texts>("test/simulation/planted/follow-texts.ts", edit);
  for (let seed = 1; seed <= SEEDS; seed++) {
    const problem = followTexts(seed);
    if (problem !== undefined) {
      return problem;
    }
  }
  return undefined;
}

async function keptWrongly(edit: Edit | undefined): Promise<string | undefined> {
  const built = await buildEdited<Kept>("test/simulation/planted/keep-references.ts", edit);
  return built.keepReferences().catch((error: unknown) => String(error));
}

describe("[E31] texts as they grow", () => {
  it("reach readers unchanged", async () => {
    expect(await heardWrongly(undefined)).toBeUndefined();
  });

  it.each(ofTexts)("and a fault is found: %s", async (_name, from, to) => {
    expect(await heardWrongly({ file: TEXTS, from, to })).toBeDefined();
  });
});

describe("[E32] references to what is stored elsewhere", () => {
  it("are kept by a run", async () => {
    expect(await keptWrongly(undefined)).toBeUndefined();
  });

  it.each(ofReferences)("and a fault is found: %s", async (_name, edit) => {
    expect(await keptWrongly(edit)).toBeDefined();
  });
});
