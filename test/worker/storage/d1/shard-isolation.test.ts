import { env } from "cloudflare:workers";
import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { findAccessFacts } from "../../../../src/storage/d1/access-facts-store.ts";
import * as keys from "../../../../src/storage/d1/api-key-store.ts";
import { AssetStore } from "../../../../src/storage/d1/asset-store.ts";
import * as plans from "../../../../src/storage/d1/billing-plan-store.ts";
import { ColorProfileStore } from "../../../../src/storage/d1/color-profile-store.ts";
import { believeHome, forgetHomes } from "../../../../src/storage/d1/databases.ts";
import { EmbedAssetStore } from "../../../../src/storage/d1/embed-asset-store.ts";
import { FolderStore } from "../../../../src/storage/d1/folder-store.ts";
import { FontObjectStore } from "../../../../src/storage/d1/font-object-store.ts";
import { FontStore } from "../../../../src/storage/d1/font-store.ts";
import { IdempotencyStore } from "../../../../src/storage/d1/idempotency-store.ts";
import * as defaults from "../../../../src/storage/d1/model-default-store.ts";
import { findOrganization } from "../../../../src/storage/d1/organization-store.ts";
import { PreviewStore } from "../../../../src/storage/d1/preview-store.ts";
import { ProviderStore, providersFor } from "../../../../src/storage/d1/provider-store.ts";
import { ScheduleRows } from "../../../../src/storage/d1/schedule-rows.ts";
import { ShareLinkStore } from "../../../../src/storage/d1/share-link-store.ts";
import { TemplateRows } from "../../../../src/storage/d1/template-rows.ts";
import { UploadSessionStore } from "../../../../src/storage/d1/upload-session-store.ts";
import { WebhookEndpointStore } from "../../../../src/storage/d1/webhook-endpoint-store.ts";
import { WorkflowStore } from "../../../../src/storage/d1/workflow-store.ts";
import { WorkflowTexts } from "../../../../src/storage/d1/workflow-texts.ts";
import { WorkflowVersions } from "../../../../src/storage/d1/workflow-versions.ts";
import { findWorkspace } from "../../../../src/storage/d1/workspace-row-store.ts";
import { newRecord, runMove } from "../../../support/moves.ts";
import { newShards, type Shards } from "../../../support/shards.ts";
import { NOW, ORG, ROWS, WS, insertRow } from "../../../support/tenant-rows.ts";

declare global {
  interface ImportMeta {
    /** Of Vite: the modules whose paths match. */
    glob(pattern: string): Readonly<Record<string, unknown>>;
  }
}

type Bindings = Shards & { readonly FILES: R2Bucket };

/** What each store finds of the rows above. A module without a store of a tenant's rows has the reason. */
const STORES: Readonly<Record<string, string | ((bindings: Bindings) => Promise<unknown>)>> = {
  "access-facts-store": async (bindings) => {
    const asked = { workspaceId: WS, keyId: "key_1", organizationId: ORG };
    const { key, plans: codes } = await findAccessFacts(bindings, asked);
    return [key ?? undefined, codes ?? undefined];
  },
  "api-key-store": async (bindings) => [
    await keys.findApiKey(bindings, "key_1"),
    (await keys.countLiveApiKeys(bindings, WS, NOW)) || undefined,
    (await keys.markApiKeyRevoked(bindings, WS, "key_1", NOW)) || undefined,
  ],
  "asset-store": (bindings) => new AssetStore(bindings, WS).find("a/1"),
  "billing-plan-store": async (bindings) => [await plans.findBillingPlanOfWorkspace(bindings, WS)],
  "color-profile-store": (bindings) => new ColorProfileStore(bindings, WS).find("g1"),
  databases: "chooses",
  "embed-asset-store": (bindings) => new EmbedAssetStore(bindings, WS).ownerOf("a/1"),
  "fits-quota": "a condition",
  "folder-store": (bindings) => new FolderStore(bindings, WS).find("fld_1"),
  "font-object-store": async (bindings) =>
    (await new FontObjectStore(bindings, WS).has("aa")) || undefined,
  "font-rows": "shapes of rows",
  "font-store": async (bindings) => {
    const store = new FontStore(bindings, WS);
    const [revision, file] = [await store.findRevision("fv_1"), (await store.filesOf(["fv_1"]))[0]];
    return [await store.find("ff_1"), revision, file];
  },
  "idempotency-store": async (bindings) => {
    // Of the workspace, and of an embed token.
    const find = (scope: string) =>
      new IdempotencyStore(bindings, { scope, route: "r", key: "k" }).find();
    return [await find(WS), await find(`${WS} et_1`)];
  },
  "inserted-asset": "columns",
  "later-database": "any database",
  "move-refusals": "messages",
  "list-pointers-behind": "rows of all shards",
  "list-unfinished": "rows of all shards",
  "model-default-store": async (bindings) => {
    const of = await defaults.modelConfigurationFor(bindings, WS);
    return [
      (await new defaults.ModelDefaultStore(bindings, WS).list())[0],
      of.providers[0],
      of.defaults[0],
    ];
  },
  "organization-store": (bindings) => findOrganization(bindings, ORG),
  "preview-store": async (bindings) => {
    await new PreviewStore(bindings, WS).forget("p/1");
    const left = bindings.DB_1.prepare("SELECT count(*) AS n FROM design_template_previews");
    return (await left.first("n")) === 0 ? "forgotten" : undefined;
  },
  "provider-store": async (bindings) => [
    await new ProviderStore(bindings, WS).find("own"),
    (await providersFor(bindings, WS))[0],
  ],
  "read-all": "rows of all shards",
  "read-page": "any database",
  "schedule-rows": (bindings) => new ScheduleRows(bindings, WS).find("sch_1"),
  "shard-store": "the directory",
  "share-link-entries": "rows of all shards",
  "share-link-store": (bindings) => new ShareLinkStore(bindings, WS).find("tpl_1", "sl_1"),
  "template-rows": (bindings) => new TemplateRows(bindings, WS).find("tpl_1"),
  "upload-session-store": async (bindings) =>
    (await new UploadSessionStore(bindings, WS).isHeld("up_1")) || undefined,
  "webhook-endpoint-store": (bindings) => new WebhookEndpointStore(bindings, WS).find("we_1"),
  "workflow-row": "shapes of rows",
  "workflow-store": (bindings) => new WorkflowStore(bindings, WS).find("wf_1"),
  "workflow-texts": async (bindings) =>
    (await new WorkflowTexts(bindings, WS).keyOf("wf_1")) ?? undefined,
  "workflow-versions": (bindings) => new WorkflowVersions(bindings, WS).read("wf_1", 1),
  "workspace-row-store": (bindings) => findWorkspace(bindings, WS),
};

let bindings: Bindings;

beforeAll(async () => {
  bindings = { ...(await newShards()), FILES: env.FILES };
  const { DB } = bindings;
  await DB.prepare("INSERT INTO organization_homes VALUES (?, 1)").bind(ORG).run();
  await DB.prepare("INSERT INTO key_organizations VALUES ('key_1', ?)").bind(ORG).run();
});

beforeEach(async () => {
  const { DB_1 } = bindings;
  for (const [table] of ROWS.toReversed()) {
    await DB_1.prepare(`DELETE FROM ${table}`).run();
  }
  for (const [table, row] of ROWS) {
    await insertRow(DB_1, table, row);
  }
});

/** The directory says that the organization is at home there. */
async function atHomeOn(shard: number): Promise<void> {
  await bindings.DB.prepare("UPDATE organization_homes SET shard = ?").bind(shard).run();
  forgetHomes();
}

test("every module of src/storage/d1 and every table of a tenant's rows is asked here", async () => {
  const modules = Object.keys(import.meta.glob("../../../../src/storage/d1/*.ts"));
  expect(Object.keys(STORES).toSorted()).toEqual(
    modules.map((path) => path.replace(/^.*\/|\.ts$/g, "")).toSorted(),
  );
  const { results } = await bindings.DB_1.prepare(
    "SELECT name FROM sqlite_master WHERE type = 'table' AND sql LIKE '%workspace_id%' ORDER BY name",
  ).all<{ name: string }>();
  expect(results.length).toBeGreaterThan(15);
  // Rows of these come with others, and no store reads a single one.
  const others = ["design_template_versions", "provider_models", "storage_usage", "upload_keys"];
  const asked = new Set([...ROWS.map(([table]) => table), ...others]);
  expect(results.map(({ name }) => name).filter((name) => !asked.has(name))).toEqual([]);
});

describe.each(Object.entries(STORES).filter(([, ask]) => typeof ask !== "string"))(
  "%s",
  (_module, ask) => {
    const found = async (): Promise<readonly unknown[]> => {
      const answer = await (ask as (bindings: Bindings) => Promise<unknown>)(bindings);
      return Array.isArray(answer) ? answer : [answer];
    };

    test("finds its rows on their shard, and nothing on another one", async () => {
      for (const wrong of [0, 2]) {
        await atHomeOn(wrong);
        expect((await found()).filter((row) => row !== undefined)).toEqual([]);
      }
      await atHomeOn(1);
      expect(await found()).not.toContain(undefined);
    });
  },
);

test("every store finds the rows of an organization that has moved, where the former home has them still and is believed", async () => {
  await atHomeOn(1);
  const moved = await runMove(bindings, newRecord(2));
  expect([moved.phase, moved.errorMessage]).toEqual(["moved", null]);
  const left = await bindings.DB_1.prepare("SELECT count(*) AS n FROM workflows").first("n");
  expect(left).toBe(1);
  // What shows that they read the new home: the former one has other rows.
  await bindings.DB_1.batch([
    bindings.DB_1.prepare("UPDATE organization_moves SET state = 'loading'"),
    ...ROWS.toReversed().map(([table]) => bindings.DB_1.prepare(`DELETE FROM ${table}`)),
    bindings.DB_1.prepare("UPDATE organization_moves SET state = 'moved'"),
  ]);
  for (const [module, ask] of Object.entries(STORES)) {
    if (typeof ask !== "string" && module !== "preview-store") {
      believeHome(ORG, 1);
      const answer = await ask(bindings);
      const found = Array.isArray(answer) ? answer : [answer];
      // `findOrganization` reads rows that never change, and the operator's routes ask the directory for changes.
      const isChecked = module !== "organization-store";
      expect([module, isChecked && found.includes(undefined)]).toEqual([module, false]);
    }
  }
  believeHome(ORG, 1);
  await new PreviewStore(bindings, WS).forget("p/1");
  const previews = bindings.DB_2.prepare("SELECT count(*) AS n FROM design_template_previews");
  expect(await previews.first("n")).toBe(0);
});
