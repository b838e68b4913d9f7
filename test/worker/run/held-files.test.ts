/** Files of a run that are not objects in R2 but in rows and in packs: the addresses that open them, and those that do not. */
import { createHash } from "node:crypto";
import { env } from "cloudflare:workers";
import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { beforeAll, describe, expect, it, vi } from "vitest";
import { derivedToken } from "../../../durable-objects/run/run-host.ts";
import { RunStore } from "../../../durable-objects/run/state/run-store.ts";
import type { RunExportApi } from "../../../src/contracts/runs/zip-export.ts";
import type { LeasedTask, TaskOutcome } from "../../../src/contracts/runs/task.ts";
import { encodeValue } from "../../../src/engine/values.ts";
import { FileContent } from "../../../src/lib/files/file-content.ts";
import { FileRef } from "../../../src/lib/files/file-ref.ts";
import { unwrap } from "../../../src/lib/result.ts";
import { call } from "../../support/api-caller.ts";
import { waitUntil } from "../../support/wait-until.ts";
import { CODES, definitionJson, report, RunFixture, UNAVAILABLE } from "./run-fixture.ts";

const text = (n: number, sizeBytes: number) =>
  new Uint8Array(Buffer.from(`${String(n)}.`.repeat(sizeBytes)).subarray(0, sizeBytes));
const sha256 = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest("hex");

function fileOf(task: LeasedTask, bytes: Uint8Array, where: Partial<FileRef>) {
  return new FileRef({
    key: `${task.file_prefix}code.png`,
    name: "code.png",
    contentType: "image/png",
    sizeBytes: bytes.byteLength,
    sha256: sha256(bytes),
    ...where,
  });
}

const inRow = (task: LeasedTask, bytes: Uint8Array) =>
  fileOf(task, bytes, { content: FileContent.ofBytes(bytes) });

function made(image: FileRef): TaskOutcome {
  return {
    kind: "ok",
    outputs: [
      { port: "image", value: encodeValue(image) },
      { port: "check", value: '["j",{}]' },
    ],
  };
}

/** A run of this many elements, each reported with a file that is made from its task. */
async function runWith(n: number, make: (task: LeasedTask, at: number) => FileRef) {
  const run = new RunFixture();
  await run.start(CODES, { rows: Array.from({ length: n }, (_, i) => `row ${String(i)}`) });
  for (let left = n; left > 0;) {
    const { tasks } = await run.claim();
    await run.api.report({
      v: 1,
      reports: tasks.map((task) => report(task, made(make(task, task.indices[0]!)))),
    });
    left -= tasks.length;
  }
  const { outputs, status } = await run.ended();
  const addresses = outputs.flatMap(({ url }) =>
    url === undefined ? [] : [new URL(url).pathname],
  );
  return { run, status, addresses };
}

/** Files one after the other in one object, which begins with bytes that belong to no file. */
async function packed(run: string, files: readonly Uint8Array[]) {
  const key = `${run}/packs/${crypto.randomUUID()}`;
  const gap = new Uint8Array(64).fill(33);
  await env.FILES.put(key, new Uint8Array(Buffer.concat([gap, ...files])));
  let at = gap.byteLength;
  return files.map(({ byteLength }) => {
    const offset = at;
    at += byteLength;
    return { key, offset };
  });
}

const runPrefix = ({ file_prefix }: LeasedTask) => file_prefix.split("/", 3).join("/");

const SIZES = [0, 1, 300, 3_000, 4_096, 4_097, 8_192] as const;

/** Elements of an output: together more than an execution shows, so that the last ones have addresses. */
const LONG_ROWS = definitionJson({
  nodes: [
    { id: "rows", type: "input/json", label: "Rows" },
    { id: "out", type: "output/json", label: "Out" },
  ],
  links: ["rows.item > out.json"],
});

describe("a text in a row", () => {
  it("opens by its own address alone, or by one of an earlier release", async () => {
    const run = new RunFixture();
    const rows = Array.from({ length: 20 }, (_, i) => String(i).repeat(60_000).slice(0, 60_000));
    await run.start(LONG_ROWS, { rows });
    const { outputs } = await run.ended();
    const shown = outputs.findIndex(({ url }) => url !== undefined);
    const addresses = outputs.slice(shown).map(({ url }) => new URL(url ?? "").pathname);
    expect(addresses.length).toBeGreaterThan(1);
    for (const [i, address] of addresses.entries()) {
      expect((await call("GET", address)).json).toBe(rows[shown + i]);
    }
    // Each with the token of another file, and with the former token of the run.
    const tokenIn = (address: string) => address.split("/")[5]!;
    expect(new Set(addresses.map(tokenIn)).size).toBe(addresses.length);
    for (const [i, address] of addresses.entries()) {
      const other = tokenIn(addresses[(i + 1) % addresses.length]!);
      const { status } = await call("GET", address.replace(tokenIn(address), other));
      expect(status).toBe(404);
    }
    const former = await runInDurableObject(run.stub, (_, { storage }) =>
      derivedToken(String(new RunStore(storage, Date.now).getMetadata("seed")), "cells"),
    );
    const [first] = addresses;
    expect((await call("GET", first!.replace(tokenIn(first!), former))).json).toBe(rows[shown]);
  });
});

describe("a file in a row", () => {
  let at: Awaited<ReturnType<typeof runWith>>;
  const bytesOf = (n: number) => text(n, SIZES[n % SIZES.length]!);
  beforeAll(async () => {
    at = await runWith(2 * SIZES.length, (task, n) => inRow(task, bytesOf(n)));
  });

  it("is served completely, with the headers of a file, and without an object in R2", async () => {
    const { addresses, run, status } = at;
    expect([status, addresses.length]).toEqual(["completed", 2 * SIZES.length]);
    for (const [n, address] of addresses.entries()) {
      const response = await call("GET", address);
      expect([response.status, response.text]).toEqual([200, Buffer.from(bytesOf(n)).toString()]);
      expect(Object.fromEntries(response.headers)).toMatchObject({
        "content-type": "image/png",
        "content-length": String(bytesOf(n).byteLength),
        "content-disposition": 'inline; filename="code.png"',
        "cache-control": "public, max-age=3600, immutable",
        etag: `"${sha256(bytesOf(n)).slice(0, 32)}"`,
        "x-content-type-options": "nosniff",
      });
    }
    const { objects } = await env.FILES.list({ prefix: `${run.workspaceId}/` });
    expect(objects).toEqual([]);
  });

  it("is served in parts, by tag and by date", async () => {
    const address = at.addresses[2]!;
    const part = await call("GET", address, { headers: { range: "bytes=2-5" } });
    expect([part.status, part.text]).toEqual([206, "2.2."]);
    expect(part.headers.get("content-range")).toBe("bytes 2-5/300");
    const beyond = await call("GET", address, { headers: { range: "bytes=300-" } });
    expect([beyond.status, beyond.json.code]).toEqual([416, "range_not_satisfiable"]);
    const etag = part.headers.get("etag")!;
    const known = await call("GET", address, { headers: { "if-none-match": etag } });
    expect([known.status, known.text]).toEqual([304, ""]);
    const changed = await call("GET", address, { headers: { "if-match": '"other"' } });
    expect([changed.status, changed.json.code]).toEqual([412, "precondition_failed"]);
    const head = await call("HEAD", address);
    expect([head.status, head.text, head.headers.get("content-length")]).toEqual([200, "", "300"]);
    const since = part.headers.get("last-modified")!;
    expect((await call("GET", address, { headers: { "if-modified-since": since } })).status).toBe(
      304,
    );
  });

  it("opens by its own address alone", async () => {
    const [workspace, , run, token, place, name] = at.addresses[2]!.replace("/files/", "").split(
      "/",
    );
    const path = (of: { ws?: string; id?: string; key?: string; at?: string; as?: string }) =>
      `/files/${of.ws ?? workspace}/runs/${of.id ?? run}/${of.key ?? token}/${of.at ?? place}/${of.as ?? name}`;
    expect((await call("GET", path({}))).status).toBe(200);
    const [node, element] = place!.split("-");
    for (const wrong of [
      { at: `${node}-${String(Number(element) + 1)}` },
      { at: `${String(Number(node) - 1)}-${element}` },
      { at: "999999999-999999999" },
      { key: "A".repeat(43) },
      { ws: `ws_${"0".repeat(32)}` },
      { id: `run_${"0".repeat(32)}` },
      { as: "other.png" },
    ]) {
      const response = await call("GET", path(wrong));
      expect([JSON.stringify(wrong), response.status, response.json.code]).toEqual([
        JSON.stringify(wrong),
        404,
        "not_found",
      ]);
    }
  });

  it("is the same after its object was evicted, and deleted after its retention", async () => {
    const { run, addresses } = at;
    await evictDurableObject(run.stub);
    expect((await call("GET", addresses[6]!)).text).toBe(Buffer.from(bytesOf(6)).toString());
    await waitUntil("the outputs to be removed", async () => {
      await runDurableObjectAlarm(run.stub);
      const expiry = await run.api.expireOutputs({ v: 1, workspace_id: run.workspaceId });
      return expiry.ok && expiry.value.state === "removed" ? true : undefined;
    });
    for (const address of addresses) {
      expect((await call("GET", address)).status).toBe(404);
    }
    const { outputs } = await run.read();
    expect(outputs.filter(({ url }) => url !== undefined)).toEqual([]);
  });
});

describe("a file in a pack", () => {
  const bytesOf = (n: number) => text(n, 9_000 + n);

  it("is served completely and in parts, without a byte of its neighbors", async () => {
    const { addresses } = await packedRun(4);
    for (const [n, address] of addresses.entries()) {
      const response = await call("GET", address);
      expect([response.status, response.text]).toEqual([200, Buffer.from(bytesOf(n)).toString()]);
      expect(response.headers.get("content-length")).toBe(String(9_000 + n));
      const last = await call("GET", address, { headers: { range: "bytes=-4" } });
      expect(last.text).toBe(Buffer.from(bytesOf(n)).subarray(-4).toString());
      const wide = await call("GET", address, { headers: { range: "bytes=8998-99999" } });
      expect([wide.status, wide.text.length]).toEqual([206, 2 + n]);
      const beyond = await call("GET", address, {
        headers: { range: `bytes=${String(9_000 + n)}-` },
      });
      expect([beyond.status, beyond.json.code]).toEqual([416, "range_not_satisfiable"]);
    }
  });

  it("is not opened by an address of its pack", async () => {
    const { run } = await packedRun(1);
    const [pack] = (await env.FILES.list({ prefix: `${run.workspaceId}/` })).objects;
    expect(pack).toBeDefined();
    expect((await call("GET", `/files/${pack!.key}`)).status).toBe(404);
  });

  it.each([
    ["is missing", (key: string) => env.FILES.delete(key)],
    ["is short", (key: string) => env.FILES.put(key, new Uint8Array(9_100))],
    ["is empty", (key: string) => env.FILES.put(key, new Uint8Array(0))],
  ])("whose pack %s returns a problem, and the run is unchanged", async (_, harm) => {
    const { run, addresses } = await packedRun(2);
    const [pack] = (await env.FILES.list({ prefix: `${run.workspaceId}/` })).objects;
    await harm(pack!.key);
    const response = await call("GET", addresses[1]!);
    expect([response.status, response.json.code]).toEqual([404, "not_found"]);
    expect(response.json.detail).toContain("no longer stored");
    expect((await run.read()).status).toBe("completed");
    const contents = await exported(run);
    expect(contents).toHaveLength(2);
  });

  it("of another run is copied before an output keeps it", async () => {
    const run = new RunFixture();
    await run.start(CODES, { rows: ["a"] });
    const [task] = (await run.claim()).tasks;
    const key = `${run.workspaceId}/runs/run_${"0".repeat(32)}/packs/a`;
    const file = fileOf(task!, bytesOf(0), { pack: { key, offset: 64 } });
    await run.api.report({ v: 1, reports: [report(task!, made(file))] });
    expect((await run.claim()).tasks).toMatchObject([{ node_type: "output/image" }]);
    const { outputs } = await run.read();
    expect(outputs.filter(({ url }) => url !== undefined)).toEqual([]);
  });

  async function packedRun(n: number) {
    const run = new RunFixture();
    await run.start(CODES, { rows: Array.from({ length: n }, (_, i) => `row ${String(i)}`) });
    const { tasks } = await run.claim();
    const places = await packed(
      runPrefix(tasks[0]!),
      tasks.map((_, i) => bytesOf(i)),
    );
    await run.api.report({
      v: 1,
      reports: tasks.map((task, i) =>
        report(task, made(fileOf(task, bytesOf(i), { pack: places[i]! }))),
      ),
    });
    const { outputs } = await run.ended();
    return {
      run,
      addresses: outputs.flatMap(({ url }) => (url === undefined ? [] : [new URL(url).pathname])),
    };
  }
});

async function exported(run: RunFixture) {
  const api = run.api as unknown as RunExportApi;
  const asked = { v: 1, workspace_id: run.workspaceId } as const;
  const { entries } = unwrap(await api.exportEntries({ ...asked, from: { position: 0, ord: 0 } }));
  const files = entries.filter(({ file }) => file !== null);
  return unwrap(await api.exportContents({ ...asked, elements: files }));
}

describe("a report", () => {
  it.each([
    ["content of another length", { inline: "AAAA", sizeBytes: 5 }],
    ["content that is not base64", { inline: "****", sizeBytes: 3 }],
    ["content beyond 8 KiB", { inline: "A".repeat(12_000), sizeBytes: 9_000 }],
    ["a pack of another workspace", { pack: { key: `ws_x/runs/run_x/packs/a`, offset: 0 } }],
    ["a pack that is not a pack", { pack: { key: "$run/token/a.png", offset: 0 } }],
    ["a place before the pack", { pack: { key: "$run/packs/a", offset: -1 } }],
    ["a place that is not a number", { pack: { key: "$run/packs/a", offset: "0" } }],
    [
      "a file beyond 1 MiB in a pack",
      { pack: { key: "$run/packs/a", offset: 0 }, sizeBytes: 2 ** 21 },
    ],
    [
      "content and a pack",
      { inline: "AAAA", pack: { key: "$run/packs/a", offset: 0 }, sizeBytes: 3 },
    ],
  ])("with %s fails its element, and no other", async (_, file) => {
    const run = new RunFixture();
    await run.start(CODES, { rows: ["a", "b"] });
    const { tasks } = await run.claim();
    const [bad, good] = tasks;
    const value = JSON.stringify([
      "f",
      {
        key: `${bad!.file_prefix}a.png`,
        name: "a.png",
        contentType: "image/png",
        sizeBytes: 1,
        ...file,
      },
    ]).replaceAll("$run", runPrefix(bad!));
    await run.api.report({
      v: 1,
      reports: [
        report(bad!, {
          kind: "ok",
          outputs: [
            { port: "image", value },
            { port: "check", value: '["j",{}]' },
          ],
        }),
        report(good!, made(inRow(good!, text(1, 10)))),
      ],
    });
    const { status, outputs } = await run.ended();
    expect(status).toBe("partial_success");
    const pictures = outputs.filter(({ type }) => type === "image");
    expect(pictures.map(({ presence }) => presence).toSorted()).toEqual(["missing", "present"]);
    const { nodes } = unwrap(await run.api.readTrace(run.request));
    expect(JSON.stringify(nodes)).toContain("INTERNAL_NODE_ERROR");
  });
});

describe("polls of a live run", () => {
  const ROWS = 110;
  /** A run of which all elements but those of `left` are reported. */
  async function partly(left: readonly number[]) {
    const run = new RunFixture();
    await run.start(CODES, { rows: Array.from({ length: ROWS }, (_, i) => `row ${String(i)}`) });
    const open: LeasedTask[] = [];
    for (let seen = 0; seen < ROWS;) {
      const { tasks } = await run.claim();
      const isLeft = (task: LeasedTask) => left.includes(task.indices[0]!);
      open.push(...tasks.filter(isLeft));
      const done = tasks.filter((task) => !isLeft(task));
      await run.api.report({
        v: 1,
        reports: done.map((task) => report(task, made(inRow(task, text(1, 10))))),
      });
      seen += tasks.length;
    }
    const settled = await waitUntil("the reports", async () => {
      const execution = await run.read();
      return execution.outputs_total === ROWS - left.length ? execution : undefined;
    });
    return { run, open, settled };
  }

  it("read the first outputs once", async () => {
    const { run, open, settled } = await partly([104, 109]);
    expect(settled.outputs).toHaveLength(100);
    await run.api.report({
      v: 1,
      reports: [report(open[0]!, made(inRow(open[0]!, text(1, 10))))],
    });
    const files = vi.spyOn(RunStore.prototype, "fileCellsBetween");
    const next = await waitUntil("the next report", async () => {
      const execution = await run.read();
      return execution.outputs_total === ROWS - 1 ? execution : undefined;
    });
    expect(next.outputs).toEqual(settled.outputs);
    expect(files).not.toHaveBeenCalled();
    files.mockRestore();
    await run.api.report({
      v: 1,
      reports: [report(open[1]!, made(inRow(open[1]!, text(1, 10))))],
    });
    const { outputs, status } = await run.ended();
    expect([status, outputs.slice(0, 100)]).toEqual(["completed", settled.outputs]);
  });

  it("show an output that ends before the others in its place", async () => {
    const { run, open, settled } = await partly([3, 109]);
    expect(settled.outputs.map(({ input_indices }) => input_indices[0])).not.toContain(3);
    await run.api.report({
      v: 1,
      reports: [report(open[0]!, made(inRow(open[0]!, text(1, 10))))],
    });
    const next = await waitUntil("the report", async () => {
      const execution = await run.read();
      return execution.outputs_total === ROWS - 1 ? execution : undefined;
    });
    expect(next.outputs[3]?.input_indices).toEqual([3]);
  });
});

describe("a worker of older code", () => {
  it("gets no task of a run that has files in rows", async () => {
    const run = new RunFixture();
    await run.start(CODES, { rows: ["a", "b"] });
    const { tasks } = await run.claim();
    await run.api.report({
      v: 1,
      reports: [
        report(tasks[0]!, made(inRow(tasks[0]!, text(1, 10)))),
        report(tasks[1]!, UNAVAILABLE),
      ],
    });
    await waitUntil("the retry", async () => {
      await runDurableObjectAlarm(run.stub);
      for (let chunk = 1; chunk < 10; chunk++) {
        expect(await run.api.claim({ v: 1, chunk, executor: "old" })).toBeNull();
      }
      for (let chunk = 1; chunk < 10; chunk++) {
        const claim = await run.api.claim({ v: 1, chunk, executor: "new", takes_files: true });
        if (claim !== null) {
          return claim;
        }
      }
      return undefined;
    });
  });
});
