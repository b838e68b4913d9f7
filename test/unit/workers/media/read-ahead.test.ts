import { describe, expect, it } from "vitest";
import type { ByteSource } from "../../../../src/lib/files/byte-source.ts";
import { FileRef } from "../../../../src/lib/files/file-ref.ts";
import { ReadAhead } from "../../../../src/workers/media/read-ahead.ts";

const HEAD_BYTES = 100;

function filesOf(count: number, sizeBytes = 250): readonly FileRef[] {
  return Array.from({ length: count }, (_none, i) => {
    const name = `${i}.wav`;
    return new FileRef({ key: name, name, contentType: "audio/wav", sizeBytes });
  });
}

/** A store that lists its requests and responds when it is told to. */
class Store {
  readonly requests: string[] = [];
  readonly #waiting: (() => void)[] = [];
  failing: string | undefined;

  readonly open = (file: FileRef): Promise<ByteSource> =>
    Promise.resolve({
      sizeBytes: file.sizeBytes,
      etag: file.key,
      read: async (from: number, to: number) => {
        this.requests.push(`${file.key} ${from}-${to}`);
        await new Promise<void>((resolve) => {
          this.#waiting.push(resolve);
        });
        if (this.failing === file.key) {
          throw new Error("The store is down.");
        }
        return Uint8Array.from({ length: to - from }, (_none, i) => (from + i) % 251);
      },
      stream: () => Promise.reject(new Error("Not read as a stream.")),
    });

  async respond(): Promise<void> {
    // Requests begin in a later turn than the call that leads to them.
    await new Promise((resolve) => {
      setImmediate(resolve);
    });
    for (const answer of this.#waiting.splice(0)) {
      answer();
    }
    await new Promise((resolve) => {
      setImmediate(resolve);
    });
  }
}

describe("files that are read ahead", () => {
  it("are requested once each, at most four before the one that is read", async () => {
    const store = new Store();
    const files = filesOf(12);
    const ahead = new ReadAhead(files, store.open, () => HEAD_BYTES);
    for (const [place, file] of files.entries()) {
      const taken = ahead.take(file);
      await store.respond();
      const source = await taken;
      expect([...(await source.read(0, 3))]).toEqual([0, 1, 2]);
      expect([...(await source.read(97, 100))]).toEqual([97, 98, 99]);
      const begun = files.slice(0, place + 5).map(({ key }) => `${key} 0-${HEAD_BYTES}`);
      expect(store.requests).toEqual(begun);
    }
  });

  it("have the same bytes behind those that were requested, and across them", async () => {
    const store = new Store();
    const [file] = filesOf(1);
    const taken = new ReadAhead([file!], store.open, () => HEAD_BYTES).take(file!);
    await store.respond();
    const source = await taken;
    const read = source.read(98, 103);
    await store.respond();
    expect([...(await read)]).toEqual([98, 99, 100, 101, 102]);
    expect(store.requests).toEqual(["0.wav 0-100", "0.wav 98-103"]);
  });

  it("are a whole small file, whose end may be asked for beyond it", async () => {
    const store = new Store();
    const [file] = filesOf(1, 7);
    const taken = new ReadAhead([file!], store.open, () => HEAD_BYTES).take(file!);
    await store.respond();
    expect([...(await (await taken).read(5, 50))]).toEqual([5, 6]);
    expect([...(await (await taken).read(9, 50))]).toEqual([]);
    expect(store.requests).toEqual(["0.wav 0-7"]);
  });

  it("fail for the one that reads them, and for nobody else", async () => {
    const store = new Store();
    const files = filesOf(3);
    store.failing = files[1]!.key;
    const ahead = new ReadAhead(files, store.open, () => HEAD_BYTES);
    const first = ahead.take(files[0]!);
    await store.respond();
    expect((await first).sizeBytes).toBe(250);
    await expect(ahead.take(files[1]!)).rejects.toThrow("The store is down.");
    expect((await ahead.take(files[2]!)).sizeBytes).toBe(250);
  });

  it("may be read again, and others are opened as they are", async () => {
    const store = new Store();
    const files = filesOf(3);
    const [other] = filesOf(1, 9);
    const ahead = new ReadAhead(files.slice(0, 2), store.open, () => HEAD_BYTES);
    for (const file of [files[0]!, files[1]!, files[0]!]) {
      const taken = ahead.take(file);
      await store.respond();
      await taken;
    }
    expect(store.requests.filter((request) => request.startsWith("0.wav"))).toHaveLength(2);
    expect((await ahead.take(other!)).sizeBytes).toBe(9);
    expect(store.requests.some((request) => request.endsWith("0-9"))).toBe(false);
  });
});
