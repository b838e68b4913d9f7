import { describe, expect, it, vi } from "vitest";
import { ReportFiles } from "../../../../durable-objects/executor/report-files.ts";
import type { TaskReport } from "../../../../src/contracts/runs/task.ts";
import { decodeValue, isSpilled } from "../../../../src/engine/values.ts";
import { FileContent } from "../../../../src/lib/files/file-content.ts";
import { FileRef } from "../../../../src/lib/files/file-ref.ts";
import { PACK_BYTES_MAX } from "../../../../src/lib/files/held-file-sizes.ts";

const KIB = 1024;
const RUN = "ws_1/runs/run_1";

function fileOf(n: number, sizeBytes: number) {
  const content = FileContent.ofBytes(new Uint8Array(sizeBytes).fill(n));
  const name = `${n}.png`;
  return new FileRef({
    key: `${RUN}/t${n}/${name}`,
    name,
    contentType: "image/png",
    sizeBytes,
    sha256: `sha${n}`,
    content,
  });
}

const reportOf = (task_id: number): TaskReport => ({
  task_id,
  fence: 1,
  duration_ms: 1,
  outcome: {
    kind: "ok",
    outputs: [
      { port: "check", value: '["j",1]' },
      { port: "image", value: "" },
    ],
  },
});

/** Reports of tasks that each created a file of this many KiB, with a bucket in memory. */
function world(kib: readonly number[], isDown = false) {
  const objects = new Map<string, { bytes: Uint8Array; options: R2PutOptions }>();
  const put = vi.fn(async (key: string, bytes: Uint8Array, options: R2PutOptions) => {
    await Promise.resolve();
    if (isDown) {
      throw new Error("down");
    }
    objects.set(key, { bytes, options });
  });
  const files = new ReportFiles({
    bucket: { put } as unknown as R2Bucket,
    workspaceId: "ws_1",
    runId: "run_1",
  });
  const released: number[] = [];
  const reports = kib.map((size, i) => {
    const file = { index: 1, file: fileOf(i + 1, size * KIB), isSpilled: false };
    files.keep(i + 1, [file], () => released.push(i + 1));
    return reportOf(i + 1);
  });
  return { files, reports, objects, put, released };
}

function fileIn({ outcome }: TaskReport): FileRef {
  const value = decodeValue(outcome.kind === "ok" ? outcome.outputs[1]!.value : "");
  return (isSpilled(value) ? value.spilled : value) as FileRef;
}

describe("files that are reported together", () => {
  it("are in one object, each at the range in its reference, and their memory is released", async () => {
    const { files, reports, objects, released } = world([9, 100, 20]);
    const stored = await files.store(reports);
    const [[key, { bytes, options }]] = [...objects] as [
      [string, { bytes: Uint8Array; options: R2PutOptions }],
    ];
    expect(key).toMatch(/^ws_1\/runs\/run_1\/packs\/[0-9a-f-]{36}$/);
    expect(options.customMetadata).toEqual({ files: "3" });
    for (const [i, report] of stored.entries()) {
      const { pack, sizeBytes, content, sha256, key: own } = fileIn(report);
      expect([own, sha256, content]).toEqual([
        `${RUN}/t${i + 1}/${i + 1}.png`,
        `sha${i + 1}`,
        undefined,
      ]);
      expect(pack?.key).toBe(key);
      const range = bytes.subarray(pack!.offset, pack!.offset + sizeBytes);
      expect([range.byteLength, new Set(range)]).toEqual([
        [9, 100, 20][i]! * KIB,
        new Set([i + 1]),
      ]);
    }
    expect(released).toEqual([1, 2, 3]);
  });

  it("are no more than one object may contain", async () => {
    const { files, reports, objects } = world(Array(18).fill(1_024));
    await files.store(reports);
    expect([...objects.values()].map(({ bytes }) => bytes.byteLength)).toEqual([
      PACK_BYTES_MAX,
      2 * 1_024 * KIB,
    ]);
  });

  it("are stored once, however often the reports are sent", async () => {
    const { files, reports, put } = world([9, 9]);
    const first = await files.store(reports);
    const again = await files.store(reports.slice(0, 1));
    expect(again[0]).toBe(first[0]);
    expect(put).toHaveBeenCalledTimes(1);
  });
});

describe("a single file", () => {
  it("is an object under its own key", async () => {
    const { files, reports, objects } = world([9]);
    const [report] = await files.store(reports);
    expect([...objects.keys()]).toEqual([`${RUN}/t1/1.png`]);
    expect(fileIn(report!)).toMatchObject({ key: `${RUN}/t1/1.png`, pack: undefined });
    expect(objects.get(`${RUN}/t1/1.png`)!.options.httpMetadata).toEqual({
      contentType: "image/png",
    });
  });
});

describe("a file without storage", () => {
  const unavailable = { kind: "failed", code: "STORAGE_UNAVAILABLE", retryable: true };

  it("fails its task with a retryable error if the store is down", async () => {
    const { files, reports, released } = world([9, 9], true);
    const stored = await files.store(reports);
    expect(stored.map(({ outcome }) => outcome)).toMatchObject([unavailable, unavailable]);
    expect(stored[0]).not.toHaveProperty("charge");
    expect(released).toEqual([1, 2]);
  });

  it("fails its task if its content was dropped: an empty value is never sent", async () => {
    const { files, reports, released } = world([9, 9]);
    files.forget(1);
    const [lost, kept] = await files.store(reports);
    expect(lost!.outcome).toMatchObject(unavailable);
    expect(kept!.outcome.kind).toBe("ok");
    expect(released).toEqual([1, 2]);
  });
});
