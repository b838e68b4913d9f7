/** What is read of a report that vitest's JSON reporter writes. */
export interface VitestReport {
  readonly testResults: readonly {
    readonly name: string;
    readonly status: string;
    readonly message?: string;
    readonly assertionResults: readonly { readonly fullName: string; readonly status: string }[];
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
  /** Empty when the run is good. */
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
