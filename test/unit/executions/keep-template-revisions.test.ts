import { describe, expect, test } from "vitest";
import type { Reference, ResolvedReference } from "../../../src/contracts/references.ts";
import type { ReferencedTemplate } from "../../../src/contracts/templates/template-reference.ts";
import { keepTemplateRevisions } from "../../../src/domain/executions/retry/keep-template-revisions.ts";
import { templateReference } from "../../../src/domain/references/resolve-templates.ts";
import { References } from "../../../src/engine/compile/references.ts";

const FOLLOWS: Reference = { kind: "template", id: "tpl_1", revision: "1+" };

function revision(number: number | null, more: Partial<ReferencedTemplate> = {}) {
  return {
    template_id: "tpl_1",
    name: "Label",
    status: "published",
    revision: number,
    version_id: number === null ? null : `tplv_${number}`,
    content_hash: `sha256:${number}`,
    contract_hash: "sha256:c",
    changed_at_ms: 0,
    document_key: `document-${number}`,
    font_pins: [],
    fields: [],
    ...more,
  } satisfies ReferencedTemplate;
}

const refers = (content: ReferencedTemplate, reference = FOLLOWS) =>
  templateReference(reference, content);

/** What a retry prints if its source printed `before`, `now` is the highest revision and `stored` are there. */
async function kept(
  before: readonly ResolvedReference[],
  now: ResolvedReference,
  stored: readonly ReferencedTemplate[] = [revision(1), revision(2), revision(3)],
) {
  const asked: Reference[] = [];
  const { list } = await keepTemplateRevisions(new References([now]), before, async (wanted) => {
    asked.push(...wanted);
    return wanted.flatMap((one) =>
      stored
        .filter((content) => String(content.revision) === one.revision)
        .map((content) => templateReference(one, content)),
    );
  });
  return { reference: list[0], asked: asked.map(({ revision: named }) => named) };
}

describe("a retry", () => {
  test("prints the compatible revision that its source took, also of an archived template", async () => {
    const newest = refers(revision(3));
    const { reference } = await kept([refers(revision(2))], newest);
    expect(reference).toEqual(refers(revision(2)));
    // It is still the reference of the node, which names no number.
    expect(reference).toMatchObject(FOLLOWS);
    const archived = revision(2, { status: "archived" });
    const later = await kept([refers(revision(2))], refers(revision(1)), [archived]);
    expect(later.reference).toEqual(refers(archived));
  });

  test("asks for nothing if its source took the same, or had no such node", async () => {
    const newest = refers(revision(3));
    expect(await kept([newest], newest)).toEqual({ reference: newest, asked: [] });
    expect(await kept([], newest)).toEqual({ reference: newest, asked: [] });
    const other = refers(revision(2), { ...FOLLOWS, id: "tpl_2" });
    expect(await kept([other], newest)).toEqual({ reference: newest, asked: [] });
  });

  test.each([
    ["a pinned revision", "2"],
    ["the current revision", "current"],
    ["the draft", null],
  ])("takes %s as it is", async (_what, named) => {
    const reference = { ...FOLLOWS, revision: named };
    const now = refers(revision(named === null ? null : 3), reference);
    const before = refers(revision(named === null ? null : 2), reference);
    expect(await kept([before], now)).toEqual({ reference: now, asked: [] });
  });

  test.each<[string, Partial<ReferencedTemplate>]>([
    ["identity", { version_id: "tplv_another" }],
    ["document", { content_hash: "sha256:another" }],
    ["contract", { contract_hash: "sha256:another" }],
  ])("does not print a revision of another %s", async (_what, more) => {
    const { reference } = await kept([refers(revision(2))], refers(revision(3)), [
      revision(2, more),
    ]);
    expect(reference?.content).toMatchObject({
      revision: 2,
      unavailable: expect.stringContaining("Revision 2"),
    });
    expect(reference?.version).not.toBe(refers(revision(2, more)).version);
  });

  test("stays unavailable where its pin is", async () => {
    const broken = refers(revision(1, { unavailable: "gone" }));
    expect(await kept([refers(revision(2))], broken)).toEqual({ reference: broken, asked: [] });
    const newest = refers(revision(3));
    expect((await kept([refers(revision(2))], newest, [])).reference).toEqual(newest);
  });
});
