/** Exports whose outputs cannot be listed, or that end while their outputs are listed. */
import { env } from "cloudflare:workers";
import { runInDurableObject } from "cloudflare:test";
import { expect, test } from "vitest";
import { prepareExport } from "../../../durable-objects/zip-export/prepare-export.ts";
import type { ZipExportObject } from "../../../durable-objects/zip-export/zip-export-object.ts";
import { ZipStore } from "../../../durable-objects/zip-export/zip-store.ts";
import type {
  RunExportApi,
  RunExportPage,
  ZipExportObjectApi,
  ZipRequest,
} from "../../../src/contracts/runs/zip-export.ts";
import type { Result } from "../../../src/lib/result.ts";

const WORKSPACE = "ws_planning";

function requestOf(run: string): ZipRequest {
  return {
    v: 1,
    run_id: run,
    workspace_id: WORKSPACE,
    workflow_name: "w",
    run_completed_at_ms: 0,
  };
}

const objectOf = (run: string) => env.ZIP_EXPORT.get(env.ZIP_EXPORT.idFromName(run));

/** An export of a run that does not exist, so that its outputs cannot be listed. */
async function unlistable() {
  const run = `run_${crypto.randomUUID().replaceAll("-", "")}`;
  const object = objectOf(run);
  await (object as unknown as ZipExportObjectApi).request(requestOf(run));
  return object;
}

const failuresOf = (state: DurableObjectState) =>
  state.storage.sql
    .exec<{ value: number }>("SELECT value FROM fact WHERE name = 'failures'")
    .toArray()[0]?.value;

test("two concurrent builders count one failure of the listing", async () => {
  const object = await unlistable();
  await runInDurableObject(object, async (given, state) => {
    const instance = given as ZipExportObject;
    await Promise.all([instance.claim({ v: 1 }), instance.claim({ v: 1 })]);
    expect(failuresOf(state)).toBe(1);
    await instance.claim({ v: 1 });
    expect(failuresOf(state)).toBe(2);
  });
});

test("an export whose run has expired stays ended if its listing fails", async () => {
  const object = await unlistable();
  await runInDurableObject(object, async (given, state) => {
    const instance = given as ZipExportObject;
    for (let failure = 1; failure < 5; failure++) {
      await instance.claim({ v: 1 });
    }
    const claim = instance.claim({ v: 1 });
    await instance.end({ v: 1, workspace_id: WORKSPACE });
    expect(await claim).toBeNull();
    expect(new ZipStore(state.storage).phase).toBe("ended");
    expect(await instance.status({ v: 1, workspace_id: WORKSPACE })).toBeNull();
  });
});

const page = (element: number, next: RunExportPage["next"]): Result<RunExportPage> => ({
  ok: true,
  value: {
    entries: [
      {
        node: 0,
        ord: element,
        output_key: "out",
        is_iterated: true,
        indices: [element],
        file_name: null,
        is_json: false,
        size_bytes: 1,
        file: null,
      },
    ],
    next,
  },
});

test("an export that ends while its outputs are listed stores no rows", async () => {
  const object = await unlistable();
  await runInDurableObject(object, async (_, state) => {
    const store = new ZipStore(state.storage);
    const run: RunExportApi = {
      exportContents: () => Promise.reject(new Error("Not asked.")),
      exportEntries: ({ from }) => {
        if (from.ord === 1) {
          store.end();
        }
        return Promise.resolve(page(from.ord, { position: 0, ord: from.ord + 1 }));
      },
    };
    await prepareExport(store, run);
    expect(store.phase).toBe("ended");
    for (const table of ["entry", "archive"]) {
      expect(state.storage.sql.exec(`SELECT * FROM ${table}`).toArray(), table).toEqual([]);
    }
  });
});

test("failures of the listing do not count as failures of the build", async () => {
  const object = await unlistable();
  await runInDurableObject(object, async (given, state) => {
    const instance = given as ZipExportObject;
    for (let failure = 1; failure < 5; failure++) {
      await instance.claim({ v: 1 });
    }
    expect(failuresOf(state)).toBe(4);
    const run: RunExportApi = {
      exportContents: () => Promise.reject(new Error("Not asked.")),
      exportEntries: () => Promise.resolve(page(0, null)),
    };
    await prepareExport(new ZipStore(state.storage), run);
    const claim = await instance.claim({ v: 1 });
    const progress = { kind: "failed", message: "No luck.", is_retryable: true } as const;
    await instance.report({ v: 1, fence: claim?.fence ?? 0, progress });
    expect(new ZipStore(state.storage).phase).toBe("building");
  });
});
