/** The pictures and fonts that an import brings along (docs/contract/templates.md#sharing). */
import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import { sweepUnfinishedAssets } from "../../../src/domain/assets/sweep-unfinished-assets.ts";
import { importTemplate } from "../../../src/domain/templates/share/import-template.ts";
import type { CallerContext } from "../../../src/platform/context.ts";
import { createContext } from "../../../src/platform/create-context.ts";
import { AssetStore } from "../../../src/storage/d1/asset-store.ts";
import { call, type Caller, newCaller, newWorkspace, operator } from "../../support/api-caller.ts";
import { keysOf, upload } from "../../support/asset-form.ts";
import { FontApi } from "../../support/fonts/font-api.ts";
import { documentOf, guid, TemplateApi, TEMPLATES } from "../../support/templates/template-api.ts";
import { HAS_SHARDS, HOME_DB, withHome } from "../../support/home-database.ts";

const SVG =
  '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><path d="M0 0h9v9z"/></svg>';

const box = (id: number, more: object) => ({ id: guid(id), width: 20, height: 20, ...more });

async function pair() {
  const callers = await Promise.all([newCaller(), newCaller()]);
  const [owner, other] = callers.map((caller) => ({
    caller,
    api: new TemplateApi(caller),
    fonts: new FontApi(caller),
  }));
  return { owner: owner!, other: other! };
}

const picture = async (caller: Caller, name: string): Promise<string> =>
  (await upload(caller, name, SVG)).json.path;

async function tokenOf(api: TemplateApi, content: object): Promise<string> {
  const { id } = await api.made(content);
  const published = await api.publish(id);
  if (published.status !== 201) {
    throw new Error(published.text);
  }
  const link = await api.send("POST", `${id}/share-links`, { json: { max_imports: 2 } });
  return link.json.token;
}

const importOf = (api: TemplateApi, token: string) =>
  api.send("POST", `${TEMPLATES}/import`, { json: { share_token: token } });

test("stored pictures are copied wherever the document names them, each once", async () => {
  const { owner, other } = await pair();
  const [plain, field, sample, row] = await Promise.all(
    ["plain.svg", "field.svg", "sample.svg", "row.svg"].map((name) => picture(owner.caller, name)),
  );
  const image = (code: string, id: number) => ({
    id: guid(id),
    name: code,
    code,
    placeholderType: "image",
  });
  const data = "data:image/png;base64,AAAA";
  const content = {
    ...documentOf(
      box(2, { $type: "image", src: plain }),
      box(3, { $type: "image", src: `storage://${plain}` }),
      box(4, {
        $type: "image",
        src: data,
        placeholder: { ...image("logo", 0x40), defaultValue: `storage://${field}` },
      }),
      box(5, {
        $type: "repeat_region",
        itemHeight: 20,
        placeholder: { ...image("rows", 0x50), placeholderType: "list" },
        children: [box(6, { $type: "image", src: null, placeholder: image("photo", 0x60) })],
      }),
    ),
    sampleSets: [{ id: guid(7), name: "One", values: { logo: sample, rows: [{ photo: row }] } }],
  };
  const made = await importOf(other.api, await tokenOf(owner.api, content));
  expect(made.status, made.text).toBe(201);
  const { json } = await other.api.get(`${made.json.id}/draft/content`);
  const [first, second, third] = json.pages[0].elements;
  const values = json.sampleSets[0].values;
  const copies = [first.src, third.placeholder.defaultValue, values.logo, values.rows[0].photo];
  expect([second.src, third.src]).toEqual([first.src, data]);
  expect(new Set(copies).size).toBe(4);
  for (const source of copies) {
    expect(source).toMatch(/^storage:\/\/assets\//);
    expect(JSON.stringify(content)).not.toContain(source.slice("storage://".length));
  }
  const assets = await call("GET", "/api/v1/assets", { token: other.caller.token });
  expect(assets.json.data.map(({ name }: { name: string }) => name).toSorted()).toEqual([
    "field.svg",
    "plain.svg",
    "row.svg",
    "sample.svg",
  ]);
  // Nothing of the document is left in the owner's workspace: it prints without problems.
  const readiness = await other.api.get(`${made.json.id}/draft/publish-readiness`);
  expect(readiness.json.checks.filter(({ code }: { code: string }) => /image/.test(code))).toEqual(
    [],
  );
});

test("workspace fonts are copied as the revision printed with them, under a free name", async () => {
  const { owner, other } = await pair();
  const [fallback] = (await owner.fonts.get("/api/v1/fonts?scope=system")).json.data;
  const chosen = { displayName: "Test Sans", systemFallbackFamilyGuid: fallback.familyGuid };
  const { familyGuid } = (await owner.fonts.create({ fields: chosen, files: [{ width: 300 }] }))
    .json;
  const [{ files }] = await owner.fonts.own();
  const text = (id: number, more: object) => box(id, { $type: "text", text: "A", ...more });
  const token = await tokenOf(
    owner.api,
    documentOf(
      text(2, { fontFamily: "test sans" }),
      text(3, { fontFamily: "Noto Sans", fallbackFonts: ["Test Sans"] }),
      text(4, { font: files[0].reference }),
    ),
  );
  const none = { ...chosen, systemFallbackFamilyGuid: "" };
  await owner.fonts.revise(familyGuid, { fields: none, files: [{ width: 900 }] });
  // The name is taken by other files.
  await other.fonts.create({ files: [{ width: 500 }] });

  for (const _attempt of [1, 2]) {
    const made = await importOf(other.api, token);
    expect(made.status, made.text).toBe(201);
    const families = await other.fonts.own();
    expect(families.map(({ displayName }) => displayName)).toEqual(["Test Sans", "Test Sans (2)"]);
    const copy = families[1];
    expect(copy.systemFallbackFamilyGuid).toBe(fallback.familyGuid);
    const { json } = await other.api.get(`${made.json.id}/draft/content`);
    const [first, second, third] = json.pages[0].elements;
    expect([first.fontFamily, second.fontFamily, second.fallbackFonts, third.font]).toEqual([
      "Test Sans (2)",
      "Noto Sans",
      ["Test Sans (2)"],
      copy.files[0].reference,
    ]);
    expect([copy.files[0].sha256, copy.familyGuid === familyGuid]).toEqual([
      files[0].sha256,
      false,
    ]);
    expect(await other.fonts.hashAt(copy.files[0].downloadUrl)).toBe(files[0].sha256);
    const readiness = await other.api.get(`${made.json.id}/draft/publish-readiness`);
    expect(readiness.json.can_publish, readiness.text).toBe(true);
  }
});

test("what the owner cannot read itself is not copied", async () => {
  const { owner, other } = await pair();
  const stranger = await newCaller();
  const secret = await picture(stranger, "secret.svg");
  const mine = await picture(owner.caller, "mine.svg");
  const { id } = await owner.api.made(documentOf(box(2, { $type: "image", src: mine })));
  await owner.api.publish(id);
  const link = await owner.api.send("POST", `${id}/share-links`);
  // A revision that names another workspace's picture, as if it had been published.
  const row = await HOME_DB.prepare(
    "SELECT folder FROM design_template_versions WHERE template_id = ?",
  )
    .bind(id)
    .first<{ folder: string }>();
  const key = `${row?.folder}document.json`;
  const text = await (await env.FILES.get(key))?.text();
  await env.FILES.put(key, text!.replace(mine, secret));
  const made = await importOf(other.api, link.json.token);
  const { json } = await other.api.get(`${made.json.id}/draft/content`);
  expect([made.status, json.pages[0].elements[0].src]).toEqual([201, secret]);
  expect(await keysOf(other.caller.workspaceId)).toEqual([]);
});

test("an import that comes too late, or does not fit into the quota, leaves no pictures", async () => {
  const { owner, other } = await pair();
  const src = await picture(owner.caller, "logo.svg");
  const token = await tokenOf(owner.api, documentOf(box(2, { $type: "image", src })));
  const replies = await Promise.all([1, 2, 3, 4, 5].map(() => importOf(other.api, token)));
  expect(replies.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([
    201, 201, 410, 410, 410,
  ]);
  expect(await keysOf(other.caller.workspaceId)).toHaveLength(2);
  const assets = await call("GET", "/api/v1/assets", { token: other.caller.token });
  expect(assets.json.total_count).toBe(2);

  const limits = { max_storage_bytes: 1, requests_per_minute: 10_000 };
  await operator("PUT", "/admin/v1/plans/one-byte-for-imports", { limits });
  const full = await newCaller({ workspaceId: await newWorkspace("one-byte-for-imports") });
  const link = await tokenOf(owner.api, documentOf(box(2, { $type: "image", src })));
  const refused = await importOf(new TemplateApi(full), link);
  expect([refused.status, refused.json.code]).toEqual([402, "quota_exceeded"]);
  expect(await keysOf(full.workspaceId)).toEqual([]);
  const list = await call("GET", `${TEMPLATES}?status=all`, { token: full.token });
  expect(list.json.total_count).toBe(0);
});

// The first batch is the transaction at which the process dies.
test.skipIf(HAS_SHARDS)(
  "pictures of an import that a crash cut off are found by nobody, count as reserved, and are swept",
  async () => {
    const { owner, other } = await pair();
    const src = await picture(owner.caller, "logo.svg");
    const token = await tokenOf(owner.api, documentOf(box(2, { $type: "image", src })));
    const { workspaceId, organizationId, clientId: keyId } = other.caller;
    const ctx = createContext(env, "test", "", () => undefined);
    const principal = { keyId, workspaceId, organizationId } as CallerContext["principal"];
    const cut = { ...ctx, env: diesAt(env, "batch"), principal };
    await expect(importTemplate(cut, { share_token: token }, undefined)).rejects.toThrow("died");
    ctx.memory.release();

    const keys = await keysOf(workspaceId);
    expect(keys).toHaveLength(1);
    const listed = () => call("GET", "/api/v1/assets", { token: other.caller.token });
    expect((await listed()).json.total_count).toBe(0);
    const store = new AssetStore(env, workspaceId);
    expect((await store.usage()).asset_bytes).toBeGreaterThan(0);

    // The next import is not confused by them, and neither is the sweep by the next import.
    expect((await importOf(other.api, token)).status).toBe(201);
    const later = { ...ctx, nowMs: () => Date.now() + 7 * 60 * 60 * 1_000 };
    await sweepUnfinishedAssets(later);
    const left = await keysOf(workspaceId);
    expect(left).toHaveLength(1);
    expect(left).not.toEqual(keys);
    expect((await listed()).json.total_count).toBe(1);
  },
);

/** Bindings of a process that dies when it calls this method of a binding: from then on it calls nothing. */
function diesAt(bindings: typeof env, method: string): typeof env {
  let isDead = false;
  const dying = <T extends object>(binding: T): T =>
    new Proxy(binding, {
      get: (target, name) => {
        const value: unknown = Reflect.get(target, name);
        if (typeof value !== "function") {
          return value;
        }
        return (...given: unknown[]) => {
          isDead ||= name === method;
          if (isDead) {
            throw new Error("The process died.");
          }
          return value.apply(target, given) as unknown;
        };
      },
    });
  return { ...bindings, ...withHome(dying(HOME_DB)), FILES: dying(bindings.FILES) };
}
