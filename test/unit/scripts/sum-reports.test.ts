import { describe, expect, it } from "vitest";
import { findSlowest, sumReports } from "../../../scripts/sum-reports.ts";

const file = (status: string, results: [string, string][]) => ({
  name: "a.test.ts",
  status,
  assertionResults: results.map(([fullName, state]) => ({ fullName, status: state })),
});

describe("sumReports", () => {
  it("adds the tests of all reports", () => {
    const sum = sumReports(
      [
        {
          path: "1",
          report: {
            testResults: [
              file("passed", [
                ["a", "passed"],
                ["b", "passed"],
              ]),
            ],
          },
        },
        { path: "2", report: { testResults: [file("passed", [["c", "passed"]])] } },
      ],
      [],
    );
    expect(sum).toEqual({ passed: 3, failed: 0, skipped: 0, problems: [] });
  });

  it("reports a failed test as a problem", () => {
    const report = {
      testResults: [
        file("failed", [
          ["a", "passed"],
          ["b", "failed"],
        ]),
      ],
    };
    const sum = sumReports([{ path: "1", report }], []);
    expect(sum).toMatchObject({ passed: 1, failed: 1 });
    expect(sum.problems).toHaveLength(1);
  });

  it("counts a file that could not be loaded as a failure", () => {
    const report = { testResults: [file("passed", [["a", "passed"]]), file("failed", [])] };
    expect(sumReports([{ path: "1", report }], [])).toMatchObject({ passed: 1, failed: 1 });
  });

  it("accepts only skips that are listed with a reason", () => {
    const report = {
      testResults: [
        file("passed", [
          ["a", "passed"],
          ["b", "skipped"],
          ["c", "todo"],
        ]),
      ],
    };
    const sum = sumReports(
      [{ path: "1", report }],
      [
        { test: "b", reason: "needs a device" },
        { test: "c", reason: "" },
      ],
    );
    expect(sum.skipped).toBe(2);
    expect(sum.problems.map((problem) => problem.slice(-14))).toEqual([" c (a.test.ts)"]);
  });

  it("does not count a missing or empty report as a success", () => {
    expect(sumReports([{ path: "1", report: undefined }], []).problems).toHaveLength(1);
    expect(sumReports([{ path: "1", report: { testResults: [] } }], []).problems).toHaveLength(1);
  });
});

describe("findSlowest", () => {
  const timed = (name: string, seconds: number, tests: [string, number | null][]) => ({
    name: `/some/where/test/unit/${name}`,
    status: "passed",
    startTime: 1_000,
    endTime: 1_000 + seconds * 1_000,
    assertionResults: tests.map(([fullName, duration]) => ({
      fullName,
      status: "passed",
      duration,
    })),
  });
  const reports = [
    {
      path: "dist/test.json",
      report: {
        testResults: [
          timed("quick.test.ts", 1, [["skipped", null]]),
          timed("slow.test.ts", 9, [
            ["a", 8_000],
            ["b", 20],
          ]),
        ],
      },
    },
    {
      path: "dist/proof.json",
      report: { testResults: [timed("slow.test.ts", 60, [["a", 59_000]])] },
    },
    { path: "dist/missing.json", report: undefined },
  ];

  it("lists the slowest files and tests of all reports, each with its report", () => {
    expect(findSlowest(reports, 2)).toEqual({
      files: [
        { name: "test/unit/slow.test.ts (proof.json)", ms: 60_000 },
        { name: "test/unit/slow.test.ts (test.json)", ms: 9_000 },
      ],
      tests: [
        { name: "test/unit/slow.test.ts (proof.json): a", ms: 59_000 },
        { name: "test/unit/slow.test.ts (test.json): a", ms: 8_000 },
      ],
    });
  });
});
