import { abortAllDurableObjects } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, describe, expect, it, vi } from "vitest";
import { PartRows } from "../../../durable-objects/run/blocks/part-rows.ts";
import { encodeValue } from "../../../src/engine/values.ts";
import { unwrap } from "../../../src/lib/result.ts";
import { FileRef } from "../../../src/lib/files/file-ref.ts";
import { definitionJson, RunFixture } from "./run-fixture.ts";

const ROWS = 3_000;

const COUNTED = definitionJson({
  nodes: [
    {
      id: "rows",
      type: "input/json",
      label: "Rows",
      parameters: {
        jsonConfig: { properties: [{ path: "$.n", outputPort: "n", outputType: "number" }] },
      },
    },
    {
      id: "all",
      type: "aggregate/json",
      parameters: { jsonAggregateConfig: { columns: [{ inputPort: "n" }] } },
    },
    { id: "out", type: "output/json", label: "Out", parameters: { key: "out" } },
    { id: "count", type: "output/json", label: "Count", parameters: { key: "count" } },
  ],
  links: ["rows.n > all.n", "all.json > out.json", "all.count > count.json"],
});

afterEach(() => {
  vi.restoreAllMocks();
});

/** Makes the first `calls` reads of this file fail; reads of other files succeed at once. */
function refuse(key: string, calls: number): { asked: () => number } {
  const bucket = Object.getPrototypeOf(env.FILES) as R2Bucket;
  // oxlint-disable-next-line typescript/unbound-method -- called with the bucket's own `this` below
  const real = bucket.get as (this: R2Bucket, ...given: unknown[]) => Promise<unknown>;
  let asked = 0;
  vi.spyOn(bucket, "get").mockImplementation(function (this: R2Bucket, ...given: unknown[]) {
    if (given[0] === key && ++asked <= calls) {
      return Promise.reject(new Error("get: We encountered an internal error. (10001)"));
    }
    return real.apply(this, given);
  } as never);
  return { asked: () => asked };
}

async function startOnFile(run: RunFixture): Promise<string> {
  const key = `${run.workspaceId}/assets/token/rows.json`;
  const rows = Array.from({ length: ROWS }, (_, n) => ({ n, filler: "x".repeat(300) }));
  const { etag, size } = (await env.FILES.put(key, JSON.stringify(rows)))!;
  const file = new FileRef({
    key,
    name: "rows.json",
    contentType: "application/json",
    sizeBytes: size,
    etag,
  });
  const stored = encodeValue(file);
  const start = () => run.start(COUNTED, {}, { input_files: [{ node_id: "rows", stored }] });
  await start();
  return key;
}

async function traceOf(run: RunFixture) {
  const trace = unwrap(await run.api.readTrace(run.request));
  return trace.nodes.find(({ node_id }) => node_id === "rows")!;
}

describe("rows of a file that the store does not return", () => {
  it("[E20] are read again, three times, and the node shows the number", async () => {
    const run = new RunFixture();
    const key = `${run.workspaceId}/assets/token/rows.json`;
    const store = refuse(key, 3);
    await startOnFile(run);
    expect((await run.ended()).status).toBe("completed");
    // Three failed reads, then the beginning of the file and the whole file.
    expect(store.asked()).toBe(5);
    const { by_key } = (await run.result())["result"] as {
      by_key: Record<string, { value: unknown }>;
    };
    expect(by_key["count"]!.value).toBe(ROWS);
    expect(await traceOf(run)).toMatchObject({ retry_count: 3, attempt_count: 4, error: null });
  });

  it("leave no run if their count cannot be written: the start is refused, and its repeat creates the run", async () => {
    const run = new RunFixture();
    refuse(`${run.workspaceId}/assets/token/rows.json`, 1);
    const flush = vi.spyOn(PartRows.prototype, "flush").mockImplementationOnce(() => {
      throw new Error("database or disk is full");
    });
    await expect(startOnFile(run)).rejects.toThrow("The run could not be stored.");
    expect(flush).toHaveBeenCalledTimes(1);
    await startOnFile(run);
    expect((await run.ended()).status).toBe("completed");
    expect(await traceOf(run)).toMatchObject({ state: "completed" });
  });

  it("[E20] fail the node with the file's name after exactly four attempts", async () => {
    const run = new RunFixture();
    const key = `${run.workspaceId}/assets/token/rows.json`;
    const store = refuse(key, Number.POSITIVE_INFINITY);
    await startOnFile(run);
    expect(await run.ended()).toMatchObject({
      status: "failed",
      error_code: "STORAGE_UNAVAILABLE",
      error_message: "The file store did not respond.",
    });
    expect(store.asked()).toBe(4);
    expect(await traceOf(run)).toMatchObject({ retry_count: 3, state: "failed" });
  });

  it("[E20] get no additional attempts from a crash in between", async () => {
    const run = new RunFixture();
    const key = `${run.workspaceId}/assets/token/rows.json`;
    const store = refuse(key, Number.POSITIVE_INFINITY);
    await startOnFile(run);
    await vi.waitFor(() => {
      expect(store.asked()).toBeGreaterThanOrEqual(2);
    });
    await abortAllDurableObjects();
    expect(await run.ended()).toMatchObject({ error_code: "STORAGE_UNAVAILABLE" });
    // Each attempt is counted before the next: at most one is repeated by the crash.
    expect(store.asked()).toBeLessThanOrEqual(5);
  });

  it("[E20] that break off in the middle leave every row exactly once", async () => {
    const run = new RunFixture();
    const key = `${run.workspaceId}/assets/token/rows.json`;
    const bucket = Object.getPrototypeOf(env.FILES) as R2Bucket;
    // oxlint-disable-next-line typescript/unbound-method -- called with the bucket's own `this` below
    const real = bucket.get as (this: R2Bucket, ...given: unknown[]) => Promise<R2ObjectBody>;
    let broken = 0;
    vi.spyOn(bucket, "get").mockImplementation(async function (
      this: R2Bucket,
      ...given: unknown[]
    ) {
      const object = await real.apply(this, given);
      const { range } = given[1] as R2GetOptions;
      if (given[0] !== key || range !== undefined || broken === 2) {
        return object;
      }
      broken += 1;
      const body = breakOff(object.body as ReadableStream<Uint8Array>, 600_000);
      return { size: object.size, etag: object.etag, body };
    } as never);
    await startOnFile(run);
    expect((await run.ended()).status).toBe("completed");
    expect(broken).toBe(2);
    const { by_key } = (await run.result())["result"] as {
      by_key: Record<string, { value: { n: number }[] }>;
    };
    expect(by_key["out"]!.value.map(({ n }) => n)).toEqual(
      Array.from({ length: ROWS }, (_, n) => n),
    );
  });
});

/** The stream's first bytes, then an error, as when the connection to the store is lost. */
function breakOff(
  body: ReadableStream<Uint8Array>,
  afterBytes: number,
): ReadableStream<Uint8Array> {
  let passed = 0;
  return body.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        passed += chunk.byteLength;
        if (passed > afterBytes) {
          controller.error(new Error("Network connection lost."));
        } else {
          controller.enqueue(chunk);
        }
      },
    }),
  );
}
