/** Which runs a run asks before it deletes its files, and what it remembers of them. */
import { describe, expect, it, vi } from "vitest";
import { SourceHolds } from "../../../../durable-objects/run/retry/source-holds.ts";
import type { HoldState } from "../../../../src/contracts/runs/run-source.ts";
import type { Env } from "../../../../src/platform/env.ts";

function made(stateOf: (id: string) => HoldState) {
  const kept = new Map<string, string | number>();
  const putMetadata = vi.fn((name: string, value: string | number) => {
    kept.set(name, value);
  });
  const asked: string[] = [];
  let [underWay, most] = [0, 0];
  const RUN = {
    idFromName: (id: string) => id,
    get: (id: string) => ({
      holdState: async () => {
        asked.push(id);
        most = Math.max(most, ++underWay);
        await Promise.resolve();
        underWay--;
        return stateOf(id);
      },
    }),
  };
  const holds = new SourceHolds({ RUN } as unknown as Pick<Env, "RUN">, {
    getMetadata: (name) => kept.get(name),
    putMetadata,
  });
  return { holds, putMetadata, asked, most: () => most };
}

const ids = Array.from({ length: 1_000 }, (_, at) => `run_${at}`);

describe("runs that have taken files from the cache", () => {
  it("are written once, whatever their number, and read no values", () => {
    const { holds, putMetadata } = made(() => "keeping");
    holds.addTakers(ids);
    holds.addTakers(ids);
    expect(putMetadata).toHaveBeenCalledTimes(1);
    expect(holds.has("run_1")).toBe(false);
  });

  it("are asked in pages, up to the first that keeps the files", async () => {
    const { holds, asked, most } = made((id) => (id === "run_120" ? "reading" : "gone"));
    holds.addTakers(ids);
    expect(await holds.strongest("ws")).toBe("keeping");
    expect(asked).toEqual(ids.slice(0, 150));
    expect(most()).toBe(50);
    expect(await holds.strongest("ws")).toBe("keeping");
    expect(asked.slice(150)).toEqual(["run_120", ...ids.slice(150, 199)]);
  });

  it("are forgotten when they are gone", async () => {
    const { holds, asked } = made(() => "gone");
    holds.addTakers(ids);
    expect(await holds.strongest("ws")).toBe("gone");
    expect(await holds.strongest("ws")).toBe("gone");
    expect(asked).toEqual(ids);
  });
});

describe("retries", () => {
  it("are all asked until one reads, because values stay for it", async () => {
    const { holds, asked } = made((id) => (id === "run_70" ? "reading" : "keeping"));
    ids.slice(0, 200).forEach((id) => {
      holds.add(id);
    });
    expect(holds.has("run_199")).toBe(true);
    expect(await holds.strongest("ws")).toBe("reading");
    expect(asked).toHaveLength(100);
  });

  it("that come while others are asked stay", async () => {
    const { holds } = made((id) => {
      holds.add("run_later");
      return id === "run_later" ? "keeping" : "gone";
    });
    holds.add("run_1");
    expect(await holds.strongest("ws")).toBe("gone");
    expect(holds.has("run_later")).toBe(true);
    expect(await holds.strongest("ws")).toBe("keeping");
  });
});
