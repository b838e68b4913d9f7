import { describe, expect, it } from "vitest";
import { WasmCodec } from "../../../../src/images/codec/wasm-codec.ts";

const Memory = WebAssembly.Memory;

/** A codec of one page that counts its starts. */
function counted(pages = 1) {
  let starts = 0;
  const codec = new WasmCodec(() => {
    starts++;
    return Promise.resolve({
      exports: { number: starts },
      memory: new Memory({ initial: pages }),
    });
  });
  return { codec, starts: () => starts };
}

describe("WasmCodec", () => {
  it("starts with the first use and only once", async () => {
    const { codec, starts } = counted();
    expect(starts()).toBe(0);
    const numbers = await Promise.all(
      [1, 2, 3].map(() => codec.use(({ exports }) => exports.number)),
    );
    expect(numbers).toEqual([1, 1, 1]);
    expect(starts()).toBe(1);
  });

  it("restarts after a trap, also for calls that waited", async () => {
    const { codec } = counted();
    const trap = () => {
      throw new WebAssembly.RuntimeError("unreachable");
    };
    const [trapped, beside] = await Promise.allSettled([
      codec.use(trap),
      codec.use(({ exports }) => exports.number),
    ]);
    expect(trapped).toMatchObject({ status: "rejected" });
    expect(beside).toEqual({ status: "fulfilled", value: 2 });
  });

  it("drops an instance whose memory has grown large", async () => {
    const { codec, starts } = counted(513);
    await codec.use(() => undefined);
    await codec.use(() => undefined);
    expect(starts()).toBe(2);
  });

  it("retries after a failed start", async () => {
    let starts = 0;
    const codec = new WasmCodec(() =>
      ++starts === 1
        ? Promise.reject(new Error("no memory"))
        : Promise.resolve({ exports: starts, memory: new Memory({ initial: 1 }) }),
    );
    await expect(codec.use(({ exports }) => exports)).rejects.toThrow("no memory");
    expect(await codec.use(({ exports }) => exports)).toBe(2);
  });
});
