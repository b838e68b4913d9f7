/**
 * The real object of a design template against a small reference: edits, publications, archives, repeats and reused keys,
 * from two callers, with crashes between any two steps.
 */
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { sizeOf } from "../../support/sizes.ts";
import { buildEdited, type Edit } from "../planted/build-edited.ts";

interface Verdict {
  readonly problem: string | undefined;
  readonly crashes: number;
  readonly replays: number;
  readonly moved: number;
  readonly refused: number;
  readonly versions: number;
}

interface Built {
  readonly simulateTemplateSeed: (seed: number) => Promise<Verdict>;
}

const ENTRY = "test/simulation/templates/simulate-template-seed.ts";
const OBJECT = "durable-objects/template-draft/template-draft-object.ts";
const STORE = "durable-objects/template-draft/template-store.ts";
const DECIDE = "src/domain/templates/decide-template.ts";
const SEEDS = sizeOf("templateSeeds");
/** Each fault is found in fewer. */
const FAULT_SEEDS = 40;

// The object logs the calls that its world refuses.
const logs = (["log", "error", "warn"] as const).map((name) =>
  vi.spyOn(console, name).mockImplementation(() => undefined),
);
afterAll(() => {
  for (const log of logs) {
    log.mockRestore();
  }
});

describe("the object of a design template", () => {
  let built: Built;
  beforeAll(async () => {
    built = await buildEdited<Built>(ENTRY, undefined);
  });

  test("is what the reference is after each request, and the lists are in the end", async () => {
    const seen = { crashes: 0, replays: 0, moved: 0, refused: 0, versions: 0 };
    for (let seed = 1; seed <= SEEDS; seed += 1) {
      const { problem, ...counts } = await built.simulateTemplateSeed(seed);
      expect({ seed, problem }).toEqual({ seed, problem: undefined });
      for (const name of Object.keys(seen) as (keyof typeof seen)[]) {
        seen[name] += counts[name];
      }
    }
    // A quiet world would prove little.
    expect(Math.min(...Object.values(seen))).toBeGreaterThan(SEEDS / 4);
  });
});

const FAULTS: readonly (readonly [string, Edit])[] = [
  [
    "an edit of another revision than was read is committed",
    {
      file: OBJECT,
      from: "admitted.record.draft_revision !== request.base_revision",
      to: "admitted.record.draft_revision < 0",
    },
  ],
  [
    "a repeat is refused for its stale ETag",
    {
      file: OBJECT,
      from: "if (known !== undefined) {\n      const { status",
      to: "if (known !== undefined && refuseWrite(record, request.if_match) === undefined) {\n      const { status",
    },
  ],
  [
    "a key may be used for another request",
    { file: OBJECT, from: 'compareWithRecord(known, fingerprint) === "conflict"', to: "false" },
  ],
  [
    "the response is stored after the edit, not with it",
    {
      file: OBJECT,
      from: `      this.#remember(request, replay, request.body_sha256);
    });
    await this.#list();`,
      to: `    });
    await this.#list();
    this.#remember(request, replay, request.body_sha256);`,
    },
  ],
  [
    "the revision of the draft does not grow",
    { file: DECIDE, from: "draft_revision: record.draft_revision + 1,", to: "" },
  ],
  [
    "any publication after the first returns the latest revision",
    {
      file: DECIDE,
      from: "latest !== null && latest.content_hash === version.content_hash",
      to: "latest !== null",
    },
  ],
  [
    "an archived template can be edited",
    {
      file: DECIDE,
      from: `  if (record.status === "archived") {
    return archived(record);
  }
  if (ifMatch === null`,
      to: "  if (ifMatch === null",
    },
  ],
  [
    "a change that the lists did not take is forgotten",
    {
      file: STORE,
      from: 'this.#values.number("listed_revision") >= this.revision',
      to: 'this.#values.number("listed_revision") > 0',
    },
  ],
  [
    "a revision that the lists did not take is forgotten",
    { file: STORE, from: "WHERE is_listed = 0 ORDER BY", to: "WHERE is_listed = 2 ORDER BY" },
  ],
];

describe("the simulation finds the planted fault that", () => {
  test.each(FAULTS)(
    "%s",
    async (_name, edit) => {
      const { simulateTemplateSeed } = await buildEdited<Built>(ENTRY, edit);
      let found: string | undefined;
      for (let seed = 1; seed <= FAULT_SEEDS && found === undefined; seed += 1) {
        found = (await simulateTemplateSeed(seed)).problem;
      }
      expect(found).toBeDefined();
    },
    60_000,
  );
});
