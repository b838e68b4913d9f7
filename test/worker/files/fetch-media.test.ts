/** Where a task's fetched file is kept until the task's report: in its reference, or in R2. */
import { env } from "cloudflare:workers";
import { afterEach, describe, expect, it, vi } from "vitest";
import { encodeOutputs } from "../../../durable-objects/executor/encode-outputs.ts";
import { ReportFiles } from "../../../durable-objects/executor/report-files.ts";
import { TaskRoom } from "../../../durable-objects/executor/task-room.ts";
import type { TaskReport } from "../../../src/contracts/runs/task.ts";
import { decodeValue } from "../../../src/engine/values.ts";
import { FileRef } from "../../../src/lib/files/file-ref.ts";
import { sha256HexOfBytes } from "../../../src/lib/sha256.ts";
import { readTaskFile } from "../../../src/storage/r2/read-task-file.ts";
import { createFetchMedia } from "../../../src/workers/shared/fetch-media.ts";
import { newWorkspace } from "../../support/api-caller.ts";
import { keysOf } from "../../support/asset-form.ts";
import { POLYGLOTS, WHOLE_FILES } from "../../support/polyglots/polyglot-files.ts";

const KIB = 1024;
const MIB = 1024 * KIB;
/** Polyglots of every format and of every kind of tail are among these. */
const STEP = 3;

/** A picture of this size: data after its end is accepted. */
function picture(sizeBytes: number): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(sizeBytes);
  bytes.set(WHOLE_FILES["png"]!);
  return bytes;
}

const outside = (body: BodyInit) =>
  vi.spyOn(globalThis, "fetch").mockImplementation(() => Promise.resolve(new Response(body)));

/** A task that fetches, with the memory that it asks for its files. */
async function world({ takesFiles = true, memory = Infinity, bucket = env.FILES } = {}) {
  const workspaceId = await newWorkspace();
  const asked: number[] = [];
  const room = new TaskRoom(takesFiles, (bytes) => {
    asked.push(bytes);
    return bytes > memory
      ? undefined
      : { bytes, shrink: () => undefined, release: () => undefined };
  });
  const exchanged: number[] = [];
  const filePrefix = `${workspaceId}/runs/run_x/${"t".repeat(43)}/`;
  const fetchMedia = createFetchMedia(Object.create(env, { FILES: { value: bucket } }) as never, {
    workspaceId,
    filePrefix,
    room,
    signal: new AbortController().signal,
    exchangeMemory: (bytes) => {
      exchanged.push(bytes);
      return Promise.resolve();
    },
  });
  const fetchPicture = (name = "a.png") => fetchMedia(`https://files.example/${name}`, "image");
  return { workspaceId, filePrefix, room, asked, exchanged, fetchPicture };
}

afterEach(() => {
  vi.restoreAllMocks();
});

describe("a fetched file", () => {
  it.each([
    ["8 KiB is in its reference, without a write", 8 * KIB, []],
    ["more than 8 KiB waits in memory that it has asked for twice", 8 * KIB + 1, [16 * KIB + 2]],
    ["1 MiB waits in memory too", MIB, [2 * MIB]],
  ])("of %s", async (_title, sizeBytes, askedFor) => {
    const { workspaceId, filePrefix, room, asked, fetchPicture } = await world();
    const bytes = picture(sizeBytes);
    outside(bytes);
    const file = await fetchPicture();
    expect(file).toMatchObject({
      key: `${filePrefix}a.png`,
      name: "a.png",
      contentType: "image/png",
      sizeBytes,
      sha256: await sha256HexOfBytes(bytes),
    });
    expect(Buffer.from(file.content!.bytes).equals(bytes)).toBe(true);
    expect([asked, room.files]).toEqual([askedFor, [file]]);
    expect(await keysOf(workspaceId)).toEqual([]);
  });

  it.each([
    ["is larger than 1 MiB", MIB + 1, {}],
    ["finds no memory", 9 * KIB, { memory: 9 * KIB }],
    ["belongs to a run that takes no files in reports", 100, { takesFiles: false }],
  ])("that %s is stored at once, completely", async (_title, sizeBytes, how) => {
    const { workspaceId, filePrefix, room, fetchPicture } = await world(how);
    const bytes = picture(sizeBytes);
    outside(bytes);
    const file = await fetchPicture();
    expect(file).toMatchObject({ sizeBytes, sha256: await sha256HexOfBytes(bytes) });
    expect([file.isObject, room.files]).toEqual([true, []]);
    expect(await keysOf(workspaceId)).toEqual([`${filePrefix}a.png`]);
    const stored = await env.FILES.get(`${filePrefix}a.png`);
    expect(stored?.httpMetadata?.contentType).toBe("image/png");
    expect(Buffer.from(await stored!.arrayBuffer()).equals(bytes)).toBe(true);
  });

  it("is stored at once where the report has 64 KiB of small files already", async () => {
    const { workspaceId, room, fetchPicture } = await world();
    outside(picture(8 * KIB));
    for (let n = 0; n < 9; n++) {
      await fetchPicture(`${n}.png`);
    }
    expect(room.files).toHaveLength(8);
    expect(await keysOf(workspaceId)).toHaveLength(1);
  });

  it("that is an SVG is kept as it was cleaned, in memory for the cleaning", async () => {
    const { workspaceId, exchanged, fetchPicture } = await world();
    const drawing = '<svg xmlns="http://www.w3.org/2000/svg"><path d="M0 0h9"/></svg>';
    outside(drawing.replace("<path", "<script>alert(1)</script><path"));
    const file = await fetchPicture("a.svg");
    const text = Buffer.from(file.content!.bytes).toString();
    expect(text).toContain('<path d="M0 0h9"/>');
    expect(text).not.toContain("script");
    expect(file.sizeBytes).toBe(text.length);
    expect(exchanged).toHaveLength(1);
    expect(await keysOf(workspaceId)).toEqual([]);
  });

  it("is rejected if it is another format too, and nothing of it is kept", async () => {
    const { workspaceId, room, fetchPicture } = await world();
    const pictures = POLYGLOTS.filter(
      ({ extension }, at) =>
        at % STEP === 0 && extension !== "pdf" && WHOLE_FILES[extension] !== undefined,
    );
    expect(pictures.length).toBeGreaterThan(10);
    for (const { title, extension, bytes } of pictures) {
      outside(bytes);
      await expect(fetchPicture(`x.${extension}`), title).rejects.toMatchObject({
        code: "MEDIA_TYPE_MISMATCH",
        retryable: false,
      });
    }
    expect([room.files, await keysOf(workspaceId)]).toEqual([[], []]);
  });

  it("that breaks off is not kept", async () => {
    const { workspaceId, room, fetchPicture } = await world();
    const begun = picture(4 * KIB);
    outside(
      new ReadableStream<Uint8Array>({
        start(controller) {
          controller.enqueue(begun);
        },
        pull(controller) {
          controller.error(new Error("Network connection lost."));
        },
      }),
    );
    await expect(fetchPicture()).rejects.toThrow();
    expect([room.files, await keysOf(workspaceId)]).toEqual([[], []]);
  });

  it("is tried again where the store does not accept it", async () => {
    const put = () => Promise.reject(new Error("the store is down"));
    const { fetchPicture } = await world({ takesFiles: false, bucket: { put } as never });
    outside(picture(100));
    await expect(fetchPicture()).rejects.toMatchObject({
      code: "STORAGE_UNAVAILABLE",
      retryable: true,
    });
  });
});

describe("files that tasks of a chunk have fetched", () => {
  it("are one object in R2 with their reports, and small ones none", async () => {
    const { workspaceId, filePrefix, room, fetchPicture } = await world();
    const files = new ReportFiles({ bucket: env.FILES, workspaceId, runId: "run_x" });
    const reports: TaskReport[] = [];
    const sizes = [9 * KIB, 100, 70 * KIB, 300 * KIB];
    for (const [at, sizeBytes] of sizes.entries()) {
      outside(picture(sizeBytes));
      const outputs = new Map([["media", await fetchPicture(`${at}.png`)]]);
      const { outcome, files: unstored } = await encodeOutputs(
        outputs,
        env.FILES,
        workspaceId,
        filePrefix,
        room,
      );
      files.keep(at, unstored, () => undefined);
      reports.push({ task_id: at, fence: 1, duration_ms: 1, outcome });
    }
    const stored = await files.store(reports);
    const keys = await keysOf(workspaceId);
    expect(keys).toEqual([expect.stringContaining(`${workspaceId}/runs/run_x/packs/`)]);
    for (const [at, { outcome }] of stored.entries()) {
      const file = decodeValue(outcome.kind === "ok" ? outcome.outputs[0]!.value : "");
      expect(file).toBeInstanceOf(FileRef);
      const { pack, content } = file as FileRef;
      expect([pack?.key, content === undefined]).toEqual(
        sizes[at]! > 8 * KIB ? [keys[0], true] : [undefined, false],
      );
      const read = await readTaskFile(env.FILES, workspaceId, file as FileRef);
      expect(Buffer.from(read).equals(picture(sizes[at]!))).toBe(true);
    }
  });
});
