import { expect, it } from "vitest";
import { NodeError } from "../../../../src/lib/errors/node-error.ts";
import { writeTaskFile } from "../../../../src/storage/r2/write-task-file.ts";

const MIB = 1024 * 1024;
const FILE = { key: "ws_1/runs/r/a.png", name: "a.png", contentType: "image/png" };

/** Content stored at once or in parts, and whether the upload was ended. */
function bucket(fails = false) {
  const stored = { bytes: 0, state: "none" };
  const take = (bytes: Uint8Array) => {
    if (fails) {
      throw new Error("the store is down");
    }
    stored.bytes += bytes.byteLength;
  };
  const end = (state: string) => () => {
    stored.state = state;
    return Promise.resolve({ etag: "e" });
  };
  const asBucket = {
    async put(_key: string, bytes: Uint8Array) {
      take(bytes);
      return end("put")();
    },
    createMultipartUpload: () =>
      Promise.resolve({
        async uploadPart(partNumber: number, bytes: Uint8Array) {
          take(bytes);
          return { partNumber, etag: "e" };
        },
        complete: end("completed"),
        abort: end("aborted"),
      }),
  };
  return { stored, asBucket: asBucket as unknown as R2Bucket };
}

function* pieces(count: number, failure?: Error) {
  for (let i = 0; i < count; i++) {
    yield new Uint8Array(MIB);
  }
  if (failure !== undefined) {
    throw failure;
  }
}

it("stores bytes at once, and pieces in parts as they arrive", async () => {
  const [whole, inParts] = [bucket(), bucket()];
  const file = await writeTaskFile(whole.asBucket, "ws_1", FILE, new Uint8Array(7));
  expect([file.sizeBytes, whole.stored]).toEqual([7, { bytes: 7, state: "put" }]);
  const large = await writeTaskFile(inParts.asBucket, "ws_1", FILE, pieces(12));
  expect([large.sizeBytes, inParts.stored]).toEqual([
    12 * MIB,
    { bytes: 12 * MIB, state: "completed" },
  ]);
});

it("passes on the error of reading the pieces, and stores nothing", async () => {
  const { stored, asBucket } = bucket();
  const failure = new NodeError("IMAGE_UNREADABLE", "The picture is damaged.");
  const writing = writeTaskFile(asBucket, "ws_1", FILE, pieces(12, failure));
  await expect(writing).rejects.toBe(failure);
  expect(stored.state).toBe("aborted");
});

it("rejects more than 64 MiB as soon as they are exceeded", async () => {
  const { stored, asBucket } = bucket();
  const writing = writeTaskFile(asBucket, "ws_1", FILE, pieces(1_000));
  await expect(writing).rejects.toMatchObject({ code: "FILE_TOO_LARGE" });
  expect(stored).toMatchObject({ state: "aborted" });
  expect(stored.bytes).toBeLessThanOrEqual(64 * MIB);
});

it("reports a retryable error if the store fails", async () => {
  for (const bytes of [new Uint8Array(7), pieces(12)]) {
    const writing = writeTaskFile(bucket(true).asBucket, "ws_1", FILE, bytes);
    await expect(writing).rejects.toMatchObject({ code: "STORAGE_UNAVAILABLE", retryable: true });
  }
});
