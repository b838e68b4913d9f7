/** Two Workers that run tasks, in one workerd: each has the executor objects of its own isolate. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { scriptedTask as task, ScriptedRunner } from "../support/node/scripted-runner.ts";

let runner: ScriptedRunner;

beforeAll(async () => {
  runner = await ScriptedRunner.start(
    "test/support/executor/routing-runner.ts",
    "test/support/executor/test-renderer.ts",
  );
});

afterAll(() => runner.stop());

const inputs = [{ port: "value", value: '["j","a"]' }];

describe("a hint that names a Worker", () => {
  test("is run by that Worker's executor objects, and hints for other Workers by theirs", async () => {
    const [pages, echoes] = [runner.newRun(), runner.newRun()];
    await pages.script([task(1, "test/page", { text: "One" })]);
    await echoes.script([task(1, "test/echo", {}, { inputs })]);
    await runner.tell({
      do: "send",
      messages: [{ ...pages.hint(0), worker: "renderer" }, echoes.hint(0)],
    });
    const [page] = await pages.reports(1);
    expect(page!.outcome).toEqual({
      kind: "ok",
      outputs: [{ port: "page", value: '["j","One, drawn by the renderer"]' }],
    });
    const [echo] = await echoes.reports(1);
    expect(echo!.outcome).toMatchObject({ kind: "ok" });
  });

  test("that does not exist yet is kept, and holds up no other", async () => {
    const [lost, echoes] = [runner.newRun(), runner.newRun()];
    await lost.script([task(1, "test/echo", {}, { inputs })]);
    await echoes.script([task(1, "test/echo", {}, { inputs })]);
    await runner.tell({
      do: "send",
      messages: [{ ...lost.hint(0), worker: "of-tomorrow" }, echoes.hint(0)],
    });
    await echoes.reports(1);
    expect((await lost.log()).claims).toHaveLength(0);
  });
});

describe("a Worker", () => {
  test.each([
    ["without the tools of a node that it knows", "test/page", undefined],
    ["that does not know a node", "test/echo", "renderer"],
  ])("%s gives the task back, and fails nothing", async (_why, node, worker) => {
    const run = runner.newRun();
    const given = node === "test/page" ? { text: "One" } : {};
    await run.script([task(1, node, given, { inputs }), task(2, node, given, { inputs })]);
    const message = { ...run.hint(0), ...(worker !== undefined && { worker }) };
    await runner.tell({ do: "send", messages: [message] });
    const outcomes = (await run.reports(2)).map(({ outcome }) => outcome);
    expect(outcomes).toEqual([
      { kind: "given_back", reason: "wrong_worker" },
      { kind: "given_back", reason: "wrong_worker" },
    ]);
  });
});

test("with an invalid environment accepts nothing, and the others continue", async () => {
  const other = await ScriptedRunner.start(
    "test/support/executor/routing-runner.ts",
    "test/support/executor/test-renderer.ts",
    { BOOT_ID: "" },
  );
  try {
    const [pages, echoes] = [other.newRun(), other.newRun()];
    await pages.script([task(1, "test/page", { text: "One" })]);
    await echoes.script([task(1, "test/echo", {}, { inputs })]);
    await other.tell({
      do: "send",
      messages: [{ ...pages.hint(0), worker: "renderer" }, echoes.hint(0)],
    });
    await echoes.reports(1);
    expect((await pages.log()).claims).toEqual([]);
  } finally {
    await other.stop();
  }
});
