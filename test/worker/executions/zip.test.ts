import { env } from "cloudflare:workers";
import { runInDurableObject } from "cloudflare:test";
import { beforeAll, describe, expect, it } from "vitest";
import { streamFiles } from "../../../durable-objects/zip-builder/stream-files.ts";
import { prepareExport } from "../../../durable-objects/zip-export/prepare-export.ts";
import { ZipStore } from "../../../durable-objects/zip-export/zip-store.ts";
import type {
  RunExportApi,
  StoredFile,
  ZipBuildApi,
  ZipClaim,
} from "../../../src/contracts/runs/zip-export.ts";
import { UPLOAD_PART_BYTES } from "../../../src/domain/exports/build-archive.ts";
import { ArchiveLayout } from "../../../src/domain/exports/archive-layout.ts";
import { runBuilder } from "../../../src/domain/exports/run-builder.ts";
import { call, type Caller, newCaller, ORIGIN } from "../../support/api-caller.ts";
import { publishedWorkflow } from "../../support/published-workflow.ts";
import { readZip } from "../../support/read-zip.ts";
import { waitUntil } from "../../support/wait-until.ts";
import { testInProof } from "../../support/in-proof.ts";

let caller: Caller;
beforeAll(async () => {
  caller = await newCaller();
});

const LINES = {
  nodes: [
    { id: "rows", type: "enumerate/range", parameters: { start: 1, end: 3 } },
    {
      id: "line",
      type: "text/template",
      parameters: { template: "line [n] é", placeholders: [{ inputPort: "n" }] },
    },
    { id: "lines", type: "output/text", parameters: { key: "lines" } },
    {
      id: "squares",
      type: "aggregate/json",
      parameters: { jsonAggregateConfig: { columns: [{ inputPort: "n" }] } },
    },
    { id: "all", type: "output/json", parameters: { key: "all" } },
  ],
  connections: [
    { from: { node: "rows", port: "value" }, to: { node: "line", port: "n" } },
    { from: { node: "line", port: "text" }, to: { node: "lines", port: "text" } },
    { from: { node: "rows", port: "value" }, to: { node: "squares", port: "n" } },
    { from: { node: "squares", port: "json" }, to: { node: "all", port: "json" } },
  ],
};

/** A text input of any length. */
const ECHO = {
  nodes: [
    { id: "in", type: "input/text", label: "words", parameters: { required: true } },
    {
      id: "out",
      type: "output/text",
      label: "said",
      parameters: { key: "../a:b", file_name: "../CON" },
    },
  ],
  connections: [{ from: { node: "in", port: "text" }, to: { node: "out", port: "text" } }],
};

async function endedRun(definition: unknown, inputs: unknown = {}): Promise<string> {
  const { token } = caller;
  const workflow = await publishedWorkflow(caller, definition);
  const run = await call("POST", "/api/v1/executions", { token, json: { workflow, inputs } });
  expect(run.status, run.text).toBe(202);
  await waitUntil("the run's end", async () => {
    const { json } = await call("GET", `/api/v1/executions/${run.json.id}`, { token });
    return json.completed_at !== null;
  });
  return run.json.id;
}

const post = (id: string, token = caller.token) =>
  call("POST", `/api/v1/executions/${id}/zip`, { token });
const status = (id: string, token = caller.token) =>
  call("GET", `/api/v1/executions/${id}/zip/status`, { token });
const download = (id: string, zip: number | string, token = caller.token) =>
  call("GET", `/api/v1/executions/${id}/zip/${zip}/download`, { token });

const zips = (id: string) =>
  env.ZIP_EXPORT.get(env.ZIP_EXPORT.idFromName(id)) as unknown as ZipBuildApi;

/** Builds an export as the runner's object does, since there is no runner here. The report of every part after the first `loseReports` is lost. */
async function build(
  id: string,
  { bucket = env.FILES, loseReports = 0, open = inOneCall(env.FILES) } = {},
): Promise<string[]> {
  const errors: string[] = [];
  let parts = 0;
  const object = zips(id);
  await runBuilder({
    bucket,
    zips: {
      claim: (request) => object.claim(request),
      entries: (request) => object.entries(request),
      report: async (request) => {
        if (loseReports > 0 && request.progress.kind === "part" && ++parts > loseReports) {
          return false;
        }
        return await object.report(request);
      },
    },
    run: (run) => env.RUN.get(env.RUN.idFromName(run)) as unknown as RunExportApi,
    openFiles: (_run, stored) => Promise.resolve(open(stored)),
    nowMs: Date.now,
    onError: (cause) => errors.push(cause),
  });
  return errors;
}

/** Opens files as another builder object does in one call. */
const inOneCall = (bucket: R2Bucket) => (stored: readonly StoredFile[]) =>
  streamFiles(bucket, stored, (work) => {
    void work;
  });

/** Ends the lease, as if the builder had died. */
async function endLease(id: string): Promise<void> {
  await runInDurableObject(env.ZIP_EXPORT.get(env.ZIP_EXPORT.idFromName(id)), (_, state) => {
    state.storage.sql.exec("DELETE FROM fact WHERE name = 'lease'");
  });
}

async function files(id: string, zip = 1): Promise<Map<string, Uint8Array>> {
  const response = await download(id, zip);
  expect(response.status).toBe(302);
  const location = response.headers.get("location")!;
  expect(location.startsWith(`${ORIGIN}/files/`)).toBe(true);
  const key = decodeURIComponent(location.slice(`${ORIGIN}/files/`.length));
  return readZip(new Uint8Array(await (await env.FILES.get(key))!.arrayBuffer()));
}

const texts = (found: Map<string, Uint8Array>) =>
  Object.fromEntries([...found].map(([name, bytes]) => [name, new TextDecoder().decode(bytes)]));

async function storedFile(bytes: Uint8Array, name: string): Promise<string> {
  const key = `${caller.workspaceId}/runs/run_${"0".repeat(32)}/${"k".repeat(43)}/${name}`;
  await env.FILES.put(key, bytes);
  return key;
}

/** Replaces the planned files with others, larger than the files that nodes of these tests make. */
async function replaceEntries(
  id: string,
  entries: readonly { name: string; size: number; key: string }[],
  size: number,
): Promise<void> {
  await runInDurableObject(env.ZIP_EXPORT.get(env.ZIP_EXPORT.idFromName(id)), (_, state) => {
    const { sql } = state.storage;
    sql.exec("DELETE FROM entry");
    for (const [i, { name, size: bytes, key }] of entries.entries()) {
      sql.exec("INSERT INTO entry VALUES (?, 1, ?, ?, ?, 0, 0)", i + 1, name, bytes, key);
    }
    sql.exec("UPDATE archive SET size = ?", size);
  });
}

describe("an export", () => {
  it("contains every present output under its key, elements in a folder", async () => {
    const id = await endedRun(LINES);
    expect((await status(id)).json).toMatchObject({ status: "not_requested", zips: [] });
    const asked = await post(id);
    expect([asked.status, asked.json.status]).toEqual([202, "building"]);
    expect(await build(id)).toEqual([]);
    const { json } = await status(id);
    expect(json).toMatchObject({
      status: "completed",
      progress_percent: 100,
      total_outputs: 4,
      completed_at: expect.stringMatching(/^\d{4}-/),
      zips: [{ zip_id: 1, part_index: 1, total_parts: 1, file_count: 4 }],
    });
    expect(texts(await files(id))).toEqual({
      "lines/0.txt": "line 1 é",
      "lines/1.txt": "line 2 é",
      "lines/2.txt": "line 3 é",
      "all.json": `[{"n":1},{"n":2},{"n":3}]`,
    });
    const again = await post(id);
    expect([again.status, again.json]).toEqual([200, json]);
  });

  it("contains a JSON text that is too long for its row as JSON", async () => {
    const long = "é".repeat(50_000);
    const id = await endedRun(
      {
        nodes: [
          { id: "in", type: "input/json_value", label: "in" },
          { id: "out", type: "output/json", parameters: { key: "out" } },
        ],
        connections: [{ from: { node: "in", port: "json" }, to: { node: "out", port: "json" } }],
      },
      { in: { value: JSON.stringify(long) } },
    );
    await post(id);
    expect(await build(id)).toEqual([]);
    expect(texts(await files(id))).toEqual({ "out.json": JSON.stringify(long) });
  });

  it("is served by its address to anyone who has it, as a ZIP download", async () => {
    const id = await endedRun(LINES);
    await post(id);
    await build(id);
    const { zips: made } = (await status(id)).json;
    const location = (await download(id, made[0].zip_id)).headers.get("location")!;
    const head = await call("HEAD", location.slice(ORIGIN.length));
    expect(head.headers.get("content-type")).toBe("application/zip");
    expect(head.headers.get("content-length")).toBe(String(made[0].size_bytes));
    expect(head.headers.get("content-disposition")).toContain(made[0].download_file_name);
  });

  it("accepts the id in either form", async () => {
    const id = await endedRun(LINES);
    const bare = id.slice("run_".length);
    expect((await post(bare)).status).toBe(202);
    await build(id);
    expect((await status(bare)).json.status).toBe("completed");
    expect((await download(bare, 1)).status).toBe(302);
    expect((await post("run_x")).json.code).toBe("invalid_id");
  });

  it("names files so that no archive can write outside its folder", async () => {
    const id = await endedRun(ECHO, { words: { value: JSON.stringify("hello") } });
    await post(id);
    await build(id);
    expect(texts(await files(id))).toEqual({ "_CON.txt": "hello" });
  });

  it("of a run without outputs is an empty archive", async () => {
    const id = await endedRun({
      nodes: [
        { id: "in", type: "input/text", label: "words", parameters: { required: false } },
        { id: "out", type: "output/text", label: "said", parameters: {} },
      ],
      connections: [{ from: { node: "in", port: "text" }, to: { node: "out", port: "text" } }],
    });
    expect((await post(id)).status).toBe(202);
    await build(id);
    const { json } = await status(id);
    expect(json).toMatchObject({ status: "completed", total_outputs: 0 });
    expect(json.zips).toMatchObject([{ file_count: 0, size_bytes: 22 }]);
    expect((await files(id)).size).toBe(0);
  });

  it("of a run that failed, or does not exist, is rejected", async () => {
    const id = await endedRun({
      nodes: [
        { id: "in", type: "input/number", label: "n", parameters: { default: 0 } },
        { id: "calc", type: "utility/calculate", parameters: { expression: "1 / x" } },
        { id: "out", type: "output/json", label: "said", parameters: {} },
      ],
      connections: [
        { from: { node: "in", port: "number" }, to: { node: "calc", port: "x" } },
        { from: { node: "calc", port: "result" }, to: { node: "out", port: "json" } },
      ],
    });
    const refused = await post(id);
    expect([refused.status, refused.json.code]).toEqual([400, "invalid_status"]);
    expect((await status(id)).json.status).toBe("not_requested");
    const unknown = `run_${"0".repeat(32)}`;
    for (const response of [
      await post(unknown),
      await status(unknown),
      await download(unknown, 1),
    ]) {
      expect([response.status, response.json.code]).toEqual([404, "not_found"]);
    }
  });

  it("of a partial success contains the present outputs", async () => {
    const id = await endedRun({
      nodes: [
        { id: "rows", type: "enumerate/range", parameters: { start: -1, end: 1 } },
        { id: "calc", type: "utility/calculate", parameters: { expression: "1 / x" } },
        { id: "out", type: "output/json", label: "said", parameters: { key: "said" } },
      ],
      connections: [
        { from: { node: "rows", port: "value" }, to: { node: "calc", port: "x" } },
        { from: { node: "calc", port: "result" }, to: { node: "out", port: "json" } },
      ],
    });
    expect((await post(id)).status).toBe(202);
    await build(id);
    expect(texts(await files(id))).toEqual({ "said/0.json": "-1", "said/2.json": "1" });
  });

  it("belongs to its workspace", async () => {
    const id = await endedRun(LINES);
    await post(id);
    await build(id);
    const { token } = await newCaller();
    for (const response of [
      await post(id, token),
      await status(id, token),
      await download(id, 1, token),
    ]) {
      expect([response.status, response.json.code]).toEqual([403, "forbidden"]);
    }
  });

  it("counts in the workspace's usage as files of a run", async () => {
    const own = await newCaller();
    const workflow = await publishedWorkflow(own, LINES);
    const { json } = await call("POST", "/api/v1/executions", {
      token: own.token,
      json: { workflow },
    });
    await waitUntil("the run's end", async () => {
      const run = await call("GET", `/api/v1/executions/${json.id}`, { token: own.token });
      return run.json.completed_at !== null;
    });
    await post(json.id, own.token);
    await build(json.id);
    const [zip] = (await status(json.id, own.token)).json.zips;
    const usage = await call("GET", "/api/v1/storage/usage", { token: own.token });
    expect(usage.json.breakdown).toContainEqual({
      category: "outputs",
      total_bytes: zip.size_bytes,
      file_count: 1,
    });
  });

  it("has only its own archives", async () => {
    const id = await endedRun(LINES);
    await post(id);
    expect((await download(id, 1)).json.code, "not yet built").toBe("not_found");
    await build(id);
    expect((await download(id, 2)).json.code).toBe("not_found");
    expect((await download(id, "x")).json.code).toBe("invalid_id");
  });
});

describe("a build", () => {
  const bytes = new Uint8Array(UPLOAD_PART_BYTES * 2 + 12_345);
  for (let i = 0; i < bytes.length; i += 65_536) {
    crypto.getRandomValues(bytes.subarray(i, Math.min(i + 65_536, bytes.length)));
  }
  // As client-zip writes them: two headers, the name twice, a data descriptor, the end.
  const overhead = (name: string) => 30 + 16 + 46 + 2 * name.length;

  async function largeExport(): Promise<string> {
    const id = await endedRun(LINES);
    await post(id);
    await zips(id).claim({ v: 1 });
    await endLease(id);
    const key = await storedFile(bytes, "large.bin");
    const named = ["a.bin", "b.bin"].map((name) => ({ name, key, size: bytes.length }));
    const size = named.reduce((sum, { name }) => sum + bytes.length + overhead(name), 22);
    await replaceEntries(id, named, size);
    return id;
  }

  it("that exceeds 2 GB is split, each part an archive of its own", async () => {
    const id = await endedRun(LINES);
    await post(id);
    await runInDurableObject(env.ZIP_EXPORT.get(env.ZIP_EXPORT.idFromName(id)), (_, state) => {
      const run = env.RUN.get(env.RUN.idFromName(id)) as unknown as RunExportApi;
      // The same as with 2 GB, with a bound that four short lines reach.
      return prepareExport(new ZipStore(state.storage), run, 300);
    });
    expect(await build(id)).toEqual([]);
    const { json } = await status(id);
    expect(json.zips).toMatchObject([
      { zip_id: 1, part_index: 1, total_parts: 2, file_count: 2 },
      { zip_id: 2, part_index: 2, total_parts: 2, file_count: 2 },
    ]);
    expect(json.zips[1].download_file_name).toMatch(/-part-2-of-2\.zip$/);
    expect(Object.keys(texts(await files(id, 1)))).toEqual(["lines/0.txt", "lines/1.txt"]);
    expect(Object.keys(texts(await files(id, 2)))).toEqual(["lines/2.txt", "all.json"]);
  });

  async function openParts(id: string): Promise<number> {
    return await runInDurableObject(
      env.ZIP_EXPORT.get(env.ZIP_EXPORT.idFromName(id)),
      (_, state) => state.storage.sql.exec("SELECT * FROM part").toArray().length,
    );
  }

  it("that was interrupted continues after the stored parts, and makes the same archive", async () => {
    const id = await largeExport();
    await build(id, { loseReports: 2 });
    expect((await status(id)).json.status).toBe("building");
    expect(await openParts(id)).toBe(2);
    expect((await status(id)).json.progress_percent).toBeGreaterThan(0);
    await endLease(id);
    const uploaded: number[] = [];
    const bucket = counting(env.FILES, uploaded);
    expect(await build(id, { bucket })).toEqual([]);
    expect(uploaded, "only what was missing").toEqual([3, 4, 5]);
    const found = await files(id);
    expect([...found.keys()]).toEqual(["a.bin", "b.bin"]);
    for (const [name, got] of found) {
      expect(Buffer.compare(got, bytes), name).toBe(0);
    }
  });

  it("has one builder at a time; a builder whose lease has ended changes nothing", async () => {
    const id = await endedRun(LINES);
    await post(id);
    const first = (await zips(id).claim({ v: 1 })) as ZipClaim;
    expect(await zips(id).claim({ v: 1 })).toBeNull();
    await endLease(id);
    const second = (await zips(id).claim({ v: 1 })) as ZipClaim;
    expect(second.fence).toBeGreaterThan(first.fence);
    const late = { v: 1, fence: first.fence, progress: { kind: "completed" } } as const;
    expect(await zips(id).report(late)).toBe(false);
    expect((await status(id)).json.status).toBe("building");
  });

  testInProof(
    "of more stored files than one invocation may read succeeds, with most pages read in one call",
    async () => {
      const FILES = 9_500;
      const { id, name, key } = await manyFiles(FILES);
      const content = new TextEncoder().encode("ten bytes.");
      const asked = { direct: 0, pages: [] as number[] };
      const bucket = {
        ...env.FILES,
        put: (...given: Parameters<R2Bucket["put"]>) => env.FILES.put(...given),
        // Read from memory, since so many reads of the store take long.
        get: () => {
          asked.direct += 1;
          return Promise.resolve({ size: 10, body: new Blob([content]).stream() });
        },
      } as unknown as R2Bucket;
      const open = (stored: readonly StoredFile[]) => {
        asked.pages.push(stored.length);
        return new Blob(stored.map(() => content)).stream();
      };
      expect(await build(id, { bucket, open })).toEqual([]);
      expect(asked.direct).toBeGreaterThan(3_000);
      expect(asked.direct).toBeLessThanOrEqual(4_000);
      expect(Math.max(...asked.pages)).toBeLessThanOrEqual(64);
      expect(asked.direct + asked.pages.reduce((sum, count) => sum + count)).toBe(FILES);
      const found = await files(id);
      expect([...found.keys()]).toEqual(Array.from({ length: FILES }, (_, i) => name(i)));
      expect([...found.values()].every((got) => Buffer.compare(got, content) === 0)).toBe(true);

      // A page whose files are in the real store, except one that was deleted.
      const other = await manyFiles(FILES);
      await runInDurableObject(
        env.ZIP_EXPORT.get(env.ZIP_EXPORT.idFromName(other.id)),
        (_, state) => {
          state.storage.sql.exec(
            "UPDATE entry SET key = key || '.gone' WHERE name = ?",
            name(9_400),
          );
        },
      );
      const direct = (stored: readonly StoredFile[]) =>
        stored.some(({ key: each }) => each !== key && each !== other.key)
          ? inOneCall(env.FILES)(stored)
          : open(stored);
      expect(await build(other.id, { bucket, open: direct })).toHaveLength(1);
      expect((await status(other.id)).json).toMatchObject({
        status: "failed",
        error_message: expect.stringContaining(`"${name(9_400)}" can no longer be read`),
      });
    },
  );

  it("fails with the reason if an output is missing, and can be requested again", async () => {
    const id = await largeExport();
    await env.FILES.delete(await storedFile(bytes, "large.bin"));
    expect(await build(id)).toHaveLength(1);
    const { json } = await status(id);
    expect(json).toMatchObject({
      status: "failed",
      error_message: expect.stringContaining(`"a.bin" can no longer be read`),
      zips: [],
    });
    expect((await post(id)).status).toBe(202);
    expect(await build(id)).toEqual([]);
    expect((await status(id)).json.status).toBe("completed");
    expect((await files(id)).size).toBe(4);
  });
});

/** An export of this many files of ten bytes, all of them the same stored file. */
async function manyFiles(count: number) {
  const id = await endedRun(LINES);
  await post(id);
  await runInDurableObject(env.ZIP_EXPORT.get(env.ZIP_EXPORT.idFromName(id)), (_, state) => {
    const run = env.RUN.get(env.RUN.idFromName(id)) as unknown as RunExportApi;
    return prepareExport(new ZipStore(state.storage), run);
  });
  const key = await storedFile(new TextEncoder().encode("ten bytes."), `${id}.txt`);
  const name = (index: number) => `files/${String(index)}.txt`;
  const plan = new ArchiveLayout();
  const entries = Array.from({ length: count }, (_, i) => ({ name: name(i), size: 10, key }));
  for (const entry of entries) {
    plan.add(entry.name, entry.size);
  }
  await replaceEntries(id, entries, plan.archives[0]!.size_bytes);
  return { id, name, key };
}

function counting(bucket: R2Bucket, parts: number[]): R2Bucket {
  return {
    get: (key: string) => bucket.get(key),
    head: (key: string) => bucket.head(key),
    resumeMultipartUpload: (key: string, id: string) => {
      const upload = bucket.resumeMultipartUpload(key, id);
      return {
        uploadPart: (number: number, body: Uint8Array) => {
          parts.push(number);
          return upload.uploadPart(number, body);
        },
        complete: (all: R2UploadedPart[]) => upload.complete(all),
      };
    },
  } as unknown as R2Bucket;
}
