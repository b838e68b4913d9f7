import { expect, test } from "vitest";
import type { ResolvedReference, ResolveReferences } from "../../../src/contracts/references.ts";
import { keepDefaultModels } from "../../../src/domain/executions/retry/keep-default-models.ts";
import { References } from "../../../src/engine/compile/references.ts";

const model = (slug: string, cost = 1) => ({ model: slug, revision: "1", cost });
const defaults = (content: object): ResolvedReference => ({
  kind: "default_models",
  id: "text,image",
  revision: null,
  version: JSON.stringify(content),
  content: content as ResolvedReference["content"],
});
/** The workspace has `old` at a new price, and `new`. */
const resolve: ResolveReferences = async (references) =>
  references.flatMap((reference) =>
    ["old", "new"].includes(reference.id)
      ? [{ ...reference, version: reference.id, content: model(reference.id, 7) }]
      : [],
  );

async function kept(before: object, now: object) {
  const { list } = await keepDefaultModels(
    new References([defaults(now)]),
    [defaults(before)],
    resolve,
  );
  return list[0];
}

test("a retry has the default models of its source, as they are today", async () => {
  const reference = await kept(
    { text: model("old"), image: model("new", 7) },
    { text: model("new", 7), image: model("new", 7) },
  );
  expect(reference?.content).toEqual({ text: model("old", 7), image: model("new", 7) });
  expect(reference?.version).toMatch(/^[0-9a-f]{64}$/);
});

test("a default model that the workspace does not have any more is today's", async () => {
  const now = { text: model("new", 7) };
  expect((await kept({ text: model("gone") }, now))?.content).toEqual(now);
  expect(await kept(now, now)).toEqual(defaults(now));
});
