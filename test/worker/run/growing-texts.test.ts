/** [E31] Texts of tasks in progress, as readers of the run's events receive them. */
import { runInDurableObject } from "cloudflare:test";
import { describe, expect, it } from "vitest";
import { eventsRequestUrl } from "../../../src/contracts/runs/run-events-request.ts";
import { unwrap } from "../../../src/lib/result.ts";
import { LIMITS } from "../../../src/lib/limits/limits-table.ts";
import { EventReader } from "../../support/read-events.ts";
import { CODES, drawn, report, RunFixture, UNAVAILABLE } from "./run-fixture.ts";

async function started(rows = 1) {
  const run = new RunFixture();
  await run.start(CODES, { rows: Array.from({ length: rows }, (_, row) => `row ${row}`) });
  const { tasks } = await run.claim();
  return { run, tasks };
}

async function watch(run: RunFixture): Promise<EventReader> {
  const address = eventsRequestUrl({ ...run.request, last_event_id: null });
  const { body } = await run.stub.fetch(address);
  return new EventReader(body!);
}

type Task = Awaited<ReturnType<typeof started>>["tasks"][number];

const emit = (run: RunFixture, { task_id, fence }: Task, at: number, text: string) =>
  run.api.emit({ v: 1, texts: [{ task_id, fence, at, text }] });

/** The text of an element as a reader has assembled it, and the number of restarts. */
function heard(reader: EventReader) {
  const texts = reader.events.filter(({ event }) => event === "text");
  let text = "";
  for (const { data } of texts) {
    text = data.reset ? data.delta : text + data.delta;
  }
  return { text, resets: texts.filter(({ data }) => data.reset).length };
}

const hears = (reader: EventReader, text: string) =>
  reader.until(() => heard(reader).text === text);

/** The number of rows in each table of a run. */
function rowsOf(run: RunFixture) {
  return runInDurableObject(run.stub, (_object, { storage }) => {
    const tables = storage.sql.exec<{ name: string }>(
      "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE '\\_cf%' ESCAPE '\\'",
    );
    return [...tables].map(({ name }) => [
      name,
      storage.sql.exec<{ n: number }>(`SELECT count(*) AS n FROM "${name}"`).one().n,
    ]);
  });
}

describe("a growing text", () => {
  it("[E31] is sent to readers, from its start to late ones, and no row is written", async () => {
    const { run, tasks } = await started();
    const early = await watch(run);
    const rows = () => rowsOf(run);
    const before = await rows();
    expect(await emit(run, tasks[0]!, 0, "Once ")).toEqual({ resend: [], stop: [] });
    await hears(early, "Once ");
    expect(early.events.at(-1)).toMatchObject({
      event: "text",
      id: early.events.findLast(({ event }) => event !== "text")!.id,
      data: { node_id: "code", input_indices: [0], seq: 0, delta: "Once ", reset: true },
    });
    await emit(run, tasks[0]!, 5, "upon");
    await hears(early, "Once upon");
    expect(early.events.at(-1)!.data).toMatchObject({ seq: 1, delta: "upon", reset: false });
    const late = await watch(run);
    await hears(late, "Once upon");
    expect(heard(late).resets).toBe(1);
    expect(await rows()).toEqual(before);
    await run.api.report({ v: 1, reports: [report(tasks[0]!, drawn("a.png"))] });
    for (const reader of [early, late]) {
      await reader.until((events) => events.some(({ event }) => event === "done"));
      const names = reader.events.map(({ event }) => event);
      expect(names.lastIndexOf("text")).toBeLessThan(names.lastIndexOf("node"));
    }
    // The replay of an ended run has none.
    const replay = await watch(run);
    await replay.until((events) => events.some(({ event }) => event === "done"));
    expect(heard(replay)).toEqual({ text: "", resets: 0 });
  });

  it("[E31] of ten thousand deltas writes no row, neither while it grows nor with its run", async () => {
    const DELTA = "word ";
    const [CALLS, IN_CALL] = [100, 100];
    const ended = async (deltas: boolean) => {
      const { run, tasks } = await started();
      const [task] = tasks;
      const reader = await watch(run);
      const before = await rowsOf(run);
      for (let call = 0; deltas && call < CALLS; call += 1) {
        const texts = Array.from({ length: IN_CALL }, (_, at) => ({
          task_id: task!.task_id,
          fence: task!.fence,
          at: (call * IN_CALL + at) * DELTA.length,
          text: DELTA,
        }));
        expect(await run.api.emit({ v: 1, texts })).toEqual({ resend: [], stop: [] });
      }
      await hears(reader, deltas ? DELTA.repeat(CALLS * IN_CALL) : "");
      expect(await rowsOf(run)).toEqual(before);
      await run.api.report({ v: 1, reports: [report(task!, drawn("a.png"))] });
      await reader.until((events) => events.some(({ event }) => event === "done"));
      return await rowsOf(run);
    };
    expect(await ended(true)).toEqual(await ended(false));
  });

  it("[E31] starts again with another attempt, without text of the previous one", async () => {
    const { run, tasks } = await started();
    const reader = await watch(run);
    await emit(run, tasks[0]!, 0, "first try");
    await hears(reader, "first try");
    await run.api.report({ v: 1, reports: [report(tasks[0]!, UNAVAILABLE)] });
    expect(await emit(run, tasks[0]!, 9, " more")).toEqual({
      resend: [],
      stop: [tasks[0]!.task_id],
    });
    const { tasks: again } = await run.claim(2);
    await emit(run, again[0]!, 0, "second");
    await hears(reader, "second");
    expect(heard(reader).resets).toBe(2);
    await reader.cancel();
  });

  it("[E31] counts a repeated piece once, and requests missing text", async () => {
    const { run, tasks } = await started();
    const reader = await watch(run);
    await emit(run, tasks[0]!, 0, "abc");
    await emit(run, tasks[0]!, 0, "abcd");
    await emit(run, tasks[0]!, 2, "cdef");
    expect(await emit(run, tasks[0]!, 40, "lost")).toEqual({
      resend: [tasks[0]!.task_id],
      stop: [],
    });
    await hears(reader, "abcdef");
    await reader.cancel();
  });

  it("[E31] above the limit, or of a cancelled run, is refused without harm", async () => {
    const { run, tasks } = await started(2);
    const [first, second] = tasks;
    const huge = "x".repeat(LIMITS.growing_text.value + 1);
    expect((await emit(run, first!, 0, huge)).stop).toEqual([first!.task_id]);
    expect((await emit(run, { ...first!, fence: 99 }, 0, "no")).stop).toEqual([first!.task_id]);
    unwrap(await run.api.cancel(run.request));
    expect((await emit(run, second!, 0, "late")).stop).toEqual([second!.task_id]);
  });
});
