/** Pins of template nodes (docs/contract/templates.md#pins), and the faults of saving and of running that would move one. */
import { expect, test } from "vitest";
import { testInProof } from "../../support/in-proof.ts";
import { buildEdited, type Edit } from "../planted/build-edited.ts";

type Story = typeof import("./pin-story.ts");

const ENTRY = "test/simulation/templates/pin-story.ts";
const PIN = "src/domain/templates/pin-templates.ts";
const RESOLVE = "src/domain/references/resolve-templates.ts";

test("the pins of a workflow stay what they were when they were saved", async () => {
  const { pinStory } = await buildEdited<Story>(ENTRY, undefined);
  expect(await pinStory()).toEqual([]);
});

const FAULTS: readonly (readonly [string, Edit])[] = [
  [
    "a pin is not kept when a definition is saved again",
    { file: PIN, from: "before.get(nameOf(node)) ?? current", to: "current" },
  ],
  [
    "a new node has the pin of another one",
    { file: PIN, from: "JSON.stringify([node.id, templateIdOf(node)])", to: '"any"' },
  ],
  [
    "a pin is lost when its node changes its type",
    {
      file: PIN,
      from: "JSON.stringify([node.id, templateIdOf(node)])",
      to: "JSON.stringify([node.type, node.id, templateIdOf(node)])",
    },
  ],
  [
    "what was frozen with a pin is lost when the template is archived",
    {
      file: PIN,
      from: "known.find((pin) => pin.template_id === id && pin.revision === revision)",
      to: "undefined",
    },
  ],
  [
    "a run takes the revision that is current by then",
    { file: RESOLVE, from: "? String(frozen.revision)", to: "? named" },
  ],
  [
    "a run does not compare the revision with what was frozen",
    { file: RESOLVE, from: "frozen !== undefined && !isSame(frozen, pinned)", to: "false" },
  ],
  [
    "a run compares the content alone",
    { file: RESOLVE, from: "pin.contract_hash === hashOf(version.contract_hash)", to: "true" },
  ],
];

testInProof.each(FAULTS)("the story finds the planted fault that %s", async (_name, edit) => {
  const { pinStory } = await buildEdited<Story>(ENTRY, edit);
  expect(await pinStory()).not.toEqual([]);
});
