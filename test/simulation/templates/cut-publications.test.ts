/** Publications that are cut off between any two of their steps, and faults that make one lose or repeat a revision. */
import { afterAll, describe, expect, test, vi } from "vitest";
import { buildEdited, type Edit } from "../planted/build-edited.ts";

type Built = typeof import("./cut-publication.ts");

const ENTRY = "test/simulation/templates/cut-publication.ts";
const PUBLISH = "src/domain/templates/publish-template.ts";
const OBJECT = "durable-objects/template-draft/template-draft-object.ts";
const STORE = "durable-objects/template-draft/template-store.ts";
const REVISIONS = [1, 2] as const;
/** Of one revision: what an attempt has written that died before its commit. */
const LEFT_FILES_MAX = 2;

// The object logs the calls that its world refuses.
const logs = (["log", "error", "warn"] as const).map((name) =>
  vi.spyOn(console, name).mockImplementation(() => undefined),
);
afterAll(() => {
  for (const log of logs) {
    log.mockRestore();
  }
});

/** Every cut of every step of both publications. */
async function* everyCut({ cutPublication, CUTS }: Built) {
  for (const revision of REVISIONS) {
    const { steps } = await cutPublication(revision, undefined);
    for (const [step, name] of steps.entries()) {
      for (const how of CUTS) {
        yield { name: `${name} ${how}`, ...(await cutPublication(revision, { step, how })) };
      }
    }
  }
}

describe("a publication", () => {
  test("takes these steps, and leaves nothing", async () => {
    const { cutPublication } = await buildEdited<Built>(ENTRY, undefined);
    const whole = await cutPublication(1, undefined);
    expect(whole).toEqual({
      problems: [],
      steps: [
        "object.open",
        "inspect",
        "render",
        "object.announceFiles",
        "put document.json",
        "put contract.json",
        "object.publish",
        "lists",
      ],
      first: "201",
      leftFiles: 0,
      leftFilesLater: 0,
    });
    expect(await cutPublication(2, undefined)).toMatchObject({ problems: [], leftFiles: 0 });
  });

  test("that is cut off anywhere is made whole by its repeat, as one revision with its files", async () => {
    const ends = new Map<string, number>();
    let leftSoon = 0;
    for await (const { name, problems, first, leftFiles, leftFilesLater } of everyCut(
      await buildEdited<Built>(ENTRY, undefined),
    )) {
      expect({ name, problems, leftFilesLater }).toEqual({ name, problems: [], leftFilesLater: 0 });
      expect(leftFiles, name).toBeLessThanOrEqual(LEFT_FILES_MAX);
      leftSoon += leftFiles;
      ends.set(first, (ends.get(first) ?? 0) + 1);
    }
    // A change that the lists have not taken is left to the alarm, and the publication succeeds.
    expect([...ends.keys()].toSorted()).toEqual(["201", "died", "error"]);
    expect(Math.min(...ends.values())).toBeGreaterThan(3);
    expect(leftSoon).toBeGreaterThan(0);
  });
});

const FAULTS: readonly (readonly [string, Edit])[] = [
  [
    "files are deleted although the commit may have succeeded",
    { file: PUBLISH, from: "isUsed ||= !(error instanceof AppError);", to: "" },
  ],
  [
    "a file that was not stored is not noticed",
    {
      file: PUBLISH,
      from: "contract: encoder.encode(JSON.stringify(contract)),\n  });",
      to: "contract: encoder.encode(JSON.stringify(contract)),\n  }).catch(() => undefined);",
    },
  ],
  [
    "the response is not kept with the revision",
    { file: OBJECT, from: "this.#remember(request, {", to: "void (request, {" },
  ],
  [
    "a revision that the lists did not take is forgotten",
    { file: STORE, from: "WHERE is_listed = 0 ORDER BY", to: "WHERE is_listed = 2 ORDER BY" },
  ],
  [
    "the lists are marked before they are written",
    {
      file: OBJECT,
      from: "    await this.#effects.list(record, {",
      to: "    this.#store.markListed(objectRevision);\n    await this.#effects.list(record, {",
    },
  ],
  [
    "the files are written before they are announced",
    {
      file: PUBLISH,
      from: "const folder = newTemplateFolder(record.workspace_id, record.id);",
      to: `const folder = newTemplateFolder(record.workspace_id, record.id);
        await putTemplateFiles(ctx.env.FILES, folder, { document: content, contract: content });`,
    },
  ],
  [
    "files are forgotten and not deleted",
    { file: OBJECT, from: "await this.#effects.deleteFiles(folder);", to: "" },
  ],
  [
    "the files of a revision are deleted",
    {
      file: OBJECT,
      from: "this.#store.forgetFolder(folder);\n      }\n      if (pub",
      to: "}\n      if (pub",
    },
  ],
  [
    "a publication uses files that are being deleted",
    { file: OBJECT, from: "request.is_announced === true &&", to: "false &&" },
  ],
  [
    "no alarm is set for the files",
    { file: OBJECT, from: "      this.#store.nextFolderMs,\n", to: "" },
  ],
];

test.each(FAULTS)("some cut finds the planted fault that %s", async (_name, edit) => {
  const found: string[] = [];
  for await (const { name, problems, leftFilesLater } of everyCut(
    await buildEdited<Built>(ENTRY, edit),
  )) {
    found.push(...problems.map((problem) => `${name}: ${problem}`));
    if (leftFilesLater > 0) {
      found.push(`${name}: ${String(leftFilesLater)} files are left for good`);
    }
  }
  expect(found).not.toEqual([]);
});
