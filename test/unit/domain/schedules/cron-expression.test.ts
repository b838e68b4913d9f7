import { describe, expect, it } from "vitest";
import { parseCron } from "../../../../src/domain/schedules/times/cron-expression.ts";

const valuesOf = (text: string) => {
  const parsed = parseCron(text);
  return "problem" in parsed
    ? parsed.problem
    : Object.values(parsed.cron).map(({ values }) => values);
};
const all = (least: number, most: number) =>
  Array.from({ length: most - least + 1 }, (_, i) => least + i);

describe("a cron expression", () => {
  it.each([
    ["0 0 1 1 0", [[0], [0], [1], [1], [0]]],
    ["* * * * *", [all(0, 59), all(0, 23), all(1, 31), all(1, 12), all(0, 6)]],
    [
      "*/20 9-17/4 */10 */5 */2",
      [
        [0, 20, 40],
        [9, 13, 17],
        [1, 11, 21, 31],
        [1, 6, 11],
        [0, 2, 4, 6],
      ],
    ],
    ["05,5,1-3 0 31 jan,FEB,Dec sun-Tue,7", [[1, 2, 3, 5], [0], [31], [1, 2, 12], [0, 1, 2]]],
    ["0\t0   1 * 5-7", [[0], [0], [1], all(1, 12), [0, 5, 6]]],
    ["0 0 * * 0-7", [[0], [0], all(1, 31), all(1, 12), all(0, 6)]],
    ["*,5 0 * * *", [all(0, 59), [0], all(1, 31), all(1, 12), all(0, 6)]],
    [" @weekly ", [[0], [0], all(1, 31), all(1, 12), [0]]],
    ["@annually", [[0], [0], [1], [1], all(0, 6)]],
    ["0 0 30 2 MON", [[0], [0], [30], [2], [1]]],
    ["0 0 31 2,4,5 *", [[0], [0], [31], [2, 4, 5], all(0, 6)]],
  ])("%s has the values of its fields", (text, expected) => {
    expect(valuesOf(text)).toEqual(expected);
  });

  it.each([
    ["", "has 0 fields"],
    ["* * * *", "has 4 fields"],
    ["0 * * * * *", "has 6 fields"],
    ["60 * * * *", 'minute "60"'],
    ["* 24 * * *", 'hour "24"'],
    ["* * 0 * *", 'day-of-month "0"'],
    ["* * 32 * *", 'day-of-month "32"'],
    ["* * * 13 *", 'month "13"'],
    ["* * * 0 *", 'month "0"'],
    ["* * * * 8", 'day-of-week "8"'],
    ["-1 * * * *", 'minute "-1"'],
    ["1.5 * * * *", 'minute "1.5"'],
    ["1e1 * * * *", 'minute "1e1"'],
    ["005 * * * *", 'minute "005"'],
    ["١ * * * *", "minute"],
    ["JAN * * * *", 'minute "JAN"'],
    ["* * * JANUARY *", 'month "JANUARY"'],
    ["* * * * MON-", "day-of-week"],
    ["*/0 * * * *", "step"],
    ["*/61 * * * *", "from 1 to 60"],
    ["* * * * */8", "from 1 to 7"],
    ["*/ * * * *", "step"],
    ["*/5/5 * * * *", "minute"],
    ["5/15 * * * *", "minute"],
    ["*-5 * * * *", "minute"],
    ["1-2-3 * * * *", "minute"],
    ["30-10 * * * *", "backwards"],
    ["* * * * FRI-SUN", "end it with 7"],
    ["1,,2 * * * *", 'minute ""'],
    [",1 * * * *", "minute"],
    ["? * * * *", "minute"],
    ["* * L * *", "day-of-month"],
    ["* * 15W * *", "day-of-month"],
    ["* * * * 5#2", "day-of-week"],
    ["@reboot", "not a shorthand"],
    ["@DAILY", "not a shorthand"],
    ["0 0 31 2 *", "never fires"],
    ["0 0 30 2 */2", "never fires"],
    ["0 0 31 4,6,9,11 *", "never fires"],
    ["9".repeat(100_000), "at most 512"],
    ["0 0 1 1 *\n", "accepted"],
  ])("%s is rejected", (text, reason) => {
    expect(valuesOf(text)).toContain(reason);
  });
});
