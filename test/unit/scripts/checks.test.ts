import { expect, test } from "vitest";
import { runChecks } from "../../../scripts/checks.ts";

/** Steps are programs of Node in this test. */
async function checked(programs: readonly string[]): Promise<{ failed: string[]; text: string }> {
  let text = "";
  const failed = await runChecks(programs, {
    print: (part) => {
      text += part;
    },
    commandOf: (program) => [process.execPath, "-e", program],
  });
  return { failed, text };
}

const fails = "console.log('one'); console.error('two'); process.exitCode = 3";
const passes = "console.log('three')";
const isKilled = "process.kill(process.pid, 'SIGKILL')";

test("a step that fails hides no other, and each one's output is together", async () => {
  const { failed, text } = await checked([fails, passes, isKilled, "4"]);
  expect(failed).toEqual([fails, isKilled]);
  expect(text).toMatch(/FAILED after \d+\.\d s\n(?:one\ntwo|two\none)\n/);
  expect(text).toMatch(/passed after \d+\.\d s\nthree\n/);
  expect(text.match(/ after /g)).toHaveLength(4);
});

test("steps that all pass leave no name, and no steps at all do not fail", async () => {
  expect((await checked([passes, "1", "2"])).failed).toEqual([]);
  expect((await checked([])).failed).toEqual([]);
});

test("a command that does not exist is a failure", async () => {
  let text = "";
  const failed = await runChecks(["absent"], {
    print: (part) => {
      text += part;
    },
    commandOf: () => ["edgeloom-has-no-such-command"],
  });
  expect([failed, text]).toEqual([["absent"], expect.stringContaining("ENOENT")]);
});
