import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import { newId } from "../../../../src/platform/ids.ts";
import { WorkflowStore } from "../../../../src/storage/d1/workflow-store.ts";
import { WorkflowVersions } from "../../../../src/storage/d1/workflow-versions.ts";

const workspaceId = newId("workspace", Date.now());
const store = new WorkflowStore(env, workspaceId);
const versions = new WorkflowVersions(env, workspaceId);

async function inserted(text = "{}"): Promise<string> {
  const id = newId("workflow", Date.now());
  const isIn = await store.insert(
    {
      id,
      name: "W",
      description: "",
      tags: [],
      folderId: null,
      contentHash: "h1",
      definitionText: text,
      templatePins: null,
      nowMs: 1,
    },
    null,
  );
  expect(isIn).toBe(true);
  return id;
}

const change = (revision: number, text: string) => ({
  revision,
  text,
  contentHash: text,
  templatePins: null,
  nowMs: 2,
});
const frozen = (nowMs: number) => ({ templatePins: null, nowMs });
const START = { revision: 1, version: 0 };
const versionsOf = async (id: string) =>
  (await versions.list(id, 1_000_000, 100)).rows.map(({ version }) => version);

describe("of writers that read the same state", () => {
  test("exactly one replaces the working definition, and its text stays", async () => {
    const id = await inserted();
    const texts = ["a", "b", "c", "d"];
    const won = await Promise.all(texts.map((text) => store.replaceWorking(id, change(1, text))));
    expect(won.filter(Boolean)).toHaveLength(1);
    const working = await store.readWorking(id);
    expect(working).toMatchObject({ row: { revision: 2 }, text: texts[won.indexOf(true)] });
  });

  test("one large text is kept, those of the other writers are not", async () => {
    const id = await inserted();
    const large = ["a", "b", "c"].map((letter) => letter.repeat(600_000));
    const won = await Promise.all(large.map((text) => store.replaceWorking(id, change(1, text))));
    expect(won.filter(Boolean)).toHaveLength(1);
    const { objects } = await env.FILES.list({
      prefix: `workspaces/${workspaceId}/workflows/${id}/`,
    });
    expect(objects).toHaveLength(1);
    expect((await store.readWorking(id))?.text).toBe(large[won.indexOf(true)]);
  });

  test("exactly one makes the next version", async () => {
    const id = await inserted();
    const won = await Promise.all(
      [1, 2, 3, 4].map((ms) => store.insertVersion(id, START, frozen(ms))),
    );
    expect(won.filter(Boolean)).toHaveLength(1);
    expect(await versionsOf(id)).toEqual([1]);
    expect(await store.find(id)).toMatchObject({ version: 1, status: "published", pointer_seq: 2 });
  });

  test("a publish never freezes a definition other than the checked one", async () => {
    const id = await inserted("first");
    expect(await store.replaceWorking(id, change(1, "second"))).toBe(true);
    expect(await store.insertVersion(id, START, frozen(2))).toBe(false);
    expect(await versionsOf(id)).toEqual([]);
    expect(await store.find(id)).toMatchObject({ status: "draft", version: 0 });
  });

  test("none publishes or reverts a workflow that was archived meanwhile", async () => {
    const id = await inserted();
    expect(await store.insertVersion(id, START, frozen(2))).toBe(true);
    const seen = { revision: 1, version: 1, status: "published" } as const;
    expect(await store.setStatus(id, seen, "archived", 3)).toBe(true);
    expect(await store.setStatus(id, seen, "draft", 4)).toBe(false);
    expect(await store.insertVersion(id, seen, frozen(4))).toBe(false);
    expect(await store.restoreVersion(id, seen, 1, 4)).toBe(false);
    expect(await store.replaceWorking(id, change(1, "x"))).toBe(false);
    expect(await versionsOf(id)).toEqual([1]);
    expect(await store.find(id)).toMatchObject({ status: "archived", version: 1, revision: 1 });
  });

  test("only the newest pointer counts as received", async () => {
    const id = await inserted();
    await store.insertVersion(id, START, frozen(2));
    await store.updateMetadata(id, { name: "New" }, 3);
    expect(await store.markPointerSynced(id, 2)).toBe(false);
    expect(await store.find(id)).toMatchObject({ pointer_seq: 3, pointer_synced_seq: 1 });
    expect(await store.markPointerSynced(id, 3)).toBe(true);
  });
});

describe("another workspace's store", () => {
  test("finds, changes and counts nothing of this workspace's", async () => {
    const id = await inserted("mine");
    await store.insertVersion(id, START, frozen(2));
    const otherId = newId("workspace", Date.now());
    const other = new WorkflowStore(env, otherId);
    const otherVersions = new WorkflowVersions(env, otherId);
    const seen = { revision: 1, version: 1, status: "published" } as const;
    expect(await other.find(id)).toBe("elsewhere");
    expect(await other.findEvenDeleted(id)).toBeUndefined();
    expect(await other.readWorking(id)).toBeUndefined();
    expect(await otherVersions.read(id, 1)).toBeUndefined();
    expect(await otherVersions.contentHash(id, 1)).toBeUndefined();
    expect(await otherVersions.list(id, 10, 10)).toEqual({ rows: [], total: 0 });
    expect(
      await other.list({ status: null, name: null, tag: null, belowSeq: null, limit: 9 }),
    ).toEqual({
      rows: [],
      total: 0,
    });
    expect(await other.replaceWorking(id, change(1, "theirs"))).toBe(false);
    expect(await other.insertVersion(id, seen, frozen(3))).toBe(false);
    expect(await other.setStatus(id, seen, "archived", 3)).toBe(false);
    expect(await other.restoreVersion(id, seen, 1, 3)).toBe(false);
    expect(await other.updateMetadata(id, { name: "Theirs" }, 3)).toBe(false);
    expect(await other.remove(id, 3)).toBe(false);
    expect(await store.readWorking(id)).toMatchObject({
      row: { name: "W", ...seen },
      text: "mine",
    });
    expect(await versions.read(id, 1)).toEqual({ text: "mine", templatePins: null });
  });
});
