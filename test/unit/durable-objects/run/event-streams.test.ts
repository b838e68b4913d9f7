/** Streams of a run's events between commits, with a clock set by the test. */
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { EventStreams } from "../../../../durable-objects/run/views/event-streams.ts";
import { LiveTexts } from "../../../../durable-objects/run/views/live-texts.ts";
import type { LiveRun } from "../../../../durable-objects/run/live-run.ts";
import type { LoggedDelta } from "../../../../src/engine/events/delta-text.ts";
import type { RunLog } from "../../../../durable-objects/run/views/run-log.ts";

const HEARTBEAT_MS = 15_000;

/** A run that exists and does nothing. */
const idle = {
  metadata: { created_at_ms: 0 },
  state: { status: "running" },
} as unknown as LiveRun;

function streams({
  log = { head: 0 },
  sync = () => Promise.resolve(),
}: { log?: { head: number }; sync?: () => Promise<void> } = {}): EventStreams {
  const rows = Object.assign(log, { from: () => [] }) as unknown as RunLog;
  return new EventStreams(rows, { sync } as unknown as DurableObjectStorage, new LiveTexts());
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

/** Counts the timers of a heartbeat that are started from now on; the process may have other timers. */
function countBeats(): () => number {
  let started = 0;
  const start = globalThis.setTimeout;
  globalThis.setTimeout = Object.assign((...[run, ms, ...given]: Parameters<typeof setTimeout>) => {
    started += ms === HEARTBEAT_MS ? 1 : 0;
    return start(run, ms, ...given);
  }, start);
  stopCounting = () => {
    globalThis.setTimeout = start;
  };
  return () => started;
}

let stopCounting: (() => void) | undefined;

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  stopCounting?.();
  stopCounting = undefined;
  vi.useRealTimers();
});

describe("an idle stream", () => {
  it("begins with the retry time and the run's creation, and sends a heartbeat every 15 s", async () => {
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
      // A comment: no client reads it as an event, or its position as another's.
      expect(heard).toEqual([": still here\n\n"]);
    }
    await stream.cancel();
  });

  it("shares its heartbeat with all others: a thousand streams have one timer", async () => {
    const events = streams();
    const beatsStarted = countBeats();
    const all = Array.from({ length: 1_000 }, () => openOf(events));
    await Promise.all(all.map(({ read }) => read()));
    const beats = all.map(({ read }) => read());
    await vi.advanceTimersByTimeAsync(0);
    expect([beatsStarted(), events.waitingCount]).toEqual([1, 1_000]);
    await vi.advanceTimersByTimeAsync(HEARTBEAT_MS);
    expect(new Set(await Promise.all(beats))).toEqual(new Set([": still here\n\n"]));
    // No stream has been read since: a client that disconnects silently never reads again.
    expect([beatsStarted(), events.waitingCount]).toEqual([1, 0]);
  });

  it("is removed at once when its reader cancels", async () => {
    const events = streams();
    const [one, other] = [openOf(events), openOf(events)];
    await Promise.all([one.read(), other.read()]);
    const next = [one.read(), other.read()];
    await vi.advanceTimersByTimeAsync(0);
    expect(events.waitingCount).toBe(2);
    await one.cancel();
    expect(events.waitingCount).toBe(1);
    await vi.advanceTimersByTimeAsync(HEARTBEAT_MS);
    expect(await Promise.all(next)).toEqual(["", ": still here\n\n"]);
  });

  it("is aborted, and does not end, when rows cannot be written to disk", async () => {
    const log = { head: 0 };
    const events = streams({ log, sync: () => Promise.reject(new Error("the disk is gone")) });
    const stream = openOf(events);
    await stream.read();
    const next = stream.read();
    const caught = expect(next).rejects.toThrow("the disk is gone");
    await vi.advanceTimersByTimeAsync(0);
    log.head = 1;
    events.committed({ delta: { status: null } } as unknown as LoggedDelta);
    await caught;
  });

  it("requests no more heartbeats when all readers have gone", async () => {
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
