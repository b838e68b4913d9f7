/** [E33] What an aggregator's task reads, whatever its pages are like. */
import { describe, expect, it } from "vitest";
import { ElementFeed } from "../../../../durable-objects/executor/element-feed.ts";
import type { ElementPage } from "../../../../src/contracts/runs/task.ts";
import type { InputPort } from "../../../../src/nodes/define-ports.ts";
import { NodeError } from "../../../../src/lib/errors/node-error.ts";

const element = (value: string) => [{ port: "text", value: JSON.stringify(["j", value]) }];

/** Elements by pages of this many, as a run object that looks at so many of them. */
function pagesOf(values: readonly (string | null)[], visits: number) {
  return (from: number): ElementPage => {
    const to = Math.min(from + visits, values.length);
    const given = values.slice(from, to).flatMap((value) => (value === null ? [] : [value]));
    return { elements: given.map(element), next: to < values.length ? to : null };
  };
}

function feedOf(
  readPage: (from: number) => ElementPage | null,
  throwIfAborted: () => void = () => {},
  ports: readonly InputPort[] = [{ name: "text", type: "text" }],
) {
  const asked: number[] = [];
  const feed = new ElementFeed({
    readPage: (from) => {
      asked.push(from);
      // Like a call into another object: errors of the call are rejections.
      return new Promise((resolve) => {
        resolve(readPage(from));
      });
    },
    throwIfAborted,
    files: {} as R2Bucket,
    workspaceId: "ws_1",
    ports,
    makeRoom: () => Promise.resolve(),
  });
  const read = async () => {
    const texts: string[] = [];
    for await (const inputs of feed) {
      texts.push(inputs.text("text"));
    }
    return texts;
  };
  return { feed, asked, read };
}

describe("the elements of an aggregator's task", () => {
  it("are the same, with one digest, over pages of any size, empty ones included", async () => {
    const values = ["a", null, null, null, null, "b", "c", null];
    const digests = new Set<string>();
    for (const visits of [1, 2, 3, 100]) {
      const { feed, read } = feedOf(pagesOf(values, visits));
      expect(await read()).toEqual(["a", "b", "c"]);
      digests.add(feed.digestWith("once"));
      // A second pass reads them again and does not count.
      expect(await read()).toEqual(["a", "b", "c"]);
      digests.add(feed.digestWith("once"));
    }
    expect(digests.size).toBe(1);
    const { feed, read } = feedOf(pagesOf(["a", "b"], 100));
    await read();
    expect(digests).not.toContain(feed.digestWith("once"));
  });

  it("[E34] have their places and count the failed ones, which belong to the digest where a column may fail", async () => {
    const mayFail = { name: "text", type: "text", mayFail: true } as const;
    const read = async (page: Omit<ElementPage, "elements" | "next">, ports?: InputPort[]) => {
      const pages = pagesOf(["a", "b"], 9);
      const { feed } = feedOf((from) => ({ ...pages(from), ...page }), undefined, ports);
      const places: number[] = [];
      for await (const _inputs of feed) {
        places.push(feed.place);
      }
      return { places, failed: feed.failed, digest: feed.digestWith("once") };
    };
    const plain = await read({});
    expect(plain).toMatchObject({ places: [0, 1], failed: 0 });
    const told = await read({ places: [2, 5], failed: 3 });
    expect(told).toEqual({ places: [2, 5], failed: 3, digest: plain.digest });
    const pages = [
      await read({}, [mayFail]),
      await read({ places: [2, 5], failed: 3 }, [mayFail]),
      await read({ places: [2, 5], failed: 4 }, [mayFail]),
    ];
    expect(new Set([...pages, plain].map(({ digest }) => digest)).size).toBe(4);
  });

  it("are asked for again where a page fails, and end where another has the lease", async () => {
    let faults = 1;
    const again = feedOf((from) => {
      if (faults-- > 0) {
        throw new Error("the connection broke");
      }
      return pagesOf(["a"], 1)(from);
    });
    expect(await again.read()).toEqual(["a"]);
    expect(again.asked).toEqual([0, 0]);
    const lost = feedOf((from) => (from === 0 ? pagesOf(["a", "b"], 1)(from) : null));
    await expect(lost.read()).rejects.toMatchObject({ code: "LEASE_LOST", retryable: true });
    expect(lost.asked).toEqual([0, 1]);
  });

  it("are not asked for, nor loaded, once the task is over", async () => {
    const cancelled = new NodeError("CANCELLED", "The run was cancelled.");
    let isOver = false;
    const seen: string[] = [];
    const { feed, asked } = feedOf(pagesOf(["a", "b", "c", "d"], 2), () => {
      if (isOver) {
        throw cancelled;
      }
    });
    const reading = (async () => {
      for await (const inputs of feed) {
        seen.push(inputs.text("text"));
        isOver = seen.length === 1;
      }
    })();
    await expect(reading).rejects.toBe(cancelled);
    expect([seen, asked]).toEqual([["a"], [0]]);
  });
});
