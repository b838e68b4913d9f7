/** Streams of a run's events between commits, under a clock that the test moves. */
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { EventStreams } from "../../../../durable-objects/run/event-streams.ts";
import type { LiveRun } from "../../../../durable-objects/run/live-run.ts";
import type { RunLog } from "../../../../durable-objects/run/run-log.ts";

const HEARTBEAT_MS = 15_000;

/** A run that is there and does nothing. */
const idle = {
  facts: { created_at_ms: 0 },
  driver: { state: { status: "running" } },
} as unknown as LiveRun;

function streams(): EventStreams {
  const log = { head: 0, from: () => [] } as unknown as RunLog;
  const storage = { sync: () => Promise.resolve() } as unknown as DurableObjectStorage;
  return new EventStreams(log, storage);
}

function openOf(events: EventStreams) {
  const opened = events.open(() => idle, null);
  if (!opened.ok || opened.value === null) {
    throw new Error("no stream");
  }
  const reader = opened.value.getReader();
  const decoder = new TextDecoder();
  return {
    read: async () => decoder.decode((await reader.read()).value),
    cancel: () => reader.cancel(),
  };
}

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

describe("a stream on which nothing happens", () => {
  it("begins with how soon to come back and the run's birth, and says every 15 s that it is alive", async () => {
    const events = streams();
    const stream = openOf(events);
    const first = await stream.read();
    expect(first).toMatch(/^retry: 1000\n\nid: 0-0\nevent: status\n/);
    for (let beat = 0; beat < 3; beat++) {
      const heard: string[] = [];
      const next = stream.read().then((text) => heard.push(text));
      await vi.advanceTimersByTimeAsync(HEARTBEAT_MS - 1);
      expect(heard).toEqual([]);
      await vi.advanceTimersByTimeAsync(1);
      await next;
      // A comment: no client takes it for an event, nor its place for another.
      expect(heard).toEqual([": still here\n\n"]);
    }
    await stream.cancel();
    expect(events.openCount).toBe(0);
  });

  it("shares its heartbeat with all others: a thousand streams have one timer", async () => {
    const events = streams();
    const all = Array.from({ length: 1_000 }, () => openOf(events));
    await Promise.all(all.map(({ read }) => read()));
    const beats = all.map(({ read }) => read());
    await vi.advanceTimersByTimeAsync(0);
    expect(vi.getTimerCount()).toBe(1);
    await vi.advanceTimersByTimeAsync(HEARTBEAT_MS);
    expect(new Set(await Promise.all(beats))).toEqual(new Set([": still here\n\n"]));
    expect(events.openCount).toBe(1_000);
  });

  it("asks for no more heartbeats once everybody has gone", async () => {
    const stream = openOf(streams());
    await stream.read();
    const next = stream.read();
    await vi.advanceTimersByTimeAsync(0);
    await stream.cancel();
    await next.catch(() => undefined);
    await vi.advanceTimersByTimeAsync(10 * HEARTBEAT_MS);
    expect(vi.getTimerCount()).toBe(0);
  });
});
