/** The parts of a vitest JSON report that are used. */
export interface VitestReport {
  readonly testResults: readonly {
    readonly name: string;
    readonly status: string;
    readonly message?: string;
    /** Milliseconds since 1970. */
    readonly startTime?: number;
    readonly endTime?: number;
    readonly assertionResults: readonly {
      readonly fullName: string;
      readonly status: string;
      /** In milliseconds; null if the test did not run. */
      readonly duration?: number | null;
    }[];
  }[];
}

/** A test that may be skipped, with the reason. */
export interface AllowedSkip {
  readonly test: string;
  readonly reason: string;
}

export interface ReportSum {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
  /** Empty if the run succeeded. */
  readonly problems: readonly string[];
}

/** Adds reports up. A file that could not be loaded counts as one failure. */
export function sumReports(
  reports: readonly { path: string; report: VitestReport | undefined }[],
  allowed: readonly AllowedSkip[],
): ReportSum {
  const reasons = new Map(allowed.map(({ test, reason }) => [test, reason]));
  const problems: string[] = [];
  let [passed, failed, skipped] = [0, 0, 0];
  for (const { path, report } of reports) {
    const before = passed;
    for (const file of report?.testResults ?? []) {
      const statuses = file.assertionResults.map(({ status }) => status);
      for (const { fullName, status } of file.assertionResults) {
        if (status === "passed") {
          passed += 1;
        } else if (status === "failed") {
          failed += 1;
          problems.push(`failed: ${fullName} (${file.name})`);
        } else {
          skipped += 1;
          if ((reasons.get(fullName) ?? "") === "") {
            problems.push(
              `skipped, and not in test/allowed-skips.json with a reason: ${fullName} (${file.name})`,
            );
          }
        }
      }
      if (file.status === "failed" && !statuses.includes("failed")) {
        failed += 1;
        problems.push(`failed outside of its tests: ${file.name} ${file.message ?? ""}`.trimEnd());
      }
    }
    if (passed === before) {
      problems.push(`no test passed in ${path}: the report is missing or empty`);
    }
  }
  return { passed, failed, skipped, problems };
}

/** A test file or a test, and its duration. */
export interface Timed {
  readonly name: string;
  readonly ms: number;
}

/** Returns the slowest files and tests of all reports, slowest first; file names start at the folder `test`. */
export function findSlowest(
  reports: readonly { readonly path: string; readonly report: VitestReport | undefined }[],
  count: number,
): { readonly files: readonly Timed[]; readonly tests: readonly Timed[] } {
  const results = reports.flatMap(({ path, report }) =>
    (report?.testResults ?? []).map((file) => ({
      file,
      name: `${file.name.replace(/^.*?\/(?=test\/)/, "")} (${path.replace(/^.*\//, "")})`,
    })),
  );
  const slowest = (timed: readonly Timed[]) =>
    timed.toSorted((a, b) => b.ms - a.ms).slice(0, count);
  return {
    files: slowest(
      results.map(({ file, name }) => ({ name, ms: (file.endTime ?? 0) - (file.startTime ?? 0) })),
    ),
    tests: slowest(
      results.flatMap(({ file, name }) =>
        file.assertionResults.map(({ fullName, duration }) => ({
          name: `${name}: ${fullName}`,
          ms: duration ?? 0,
        })),
      ),
    ),
  };
}
