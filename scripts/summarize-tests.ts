/**
 * Lists the slowest test files and tests of vitest's JSON reports, and ends with one line that sums them up, `N passed,
 * N failed, N skipped`. Fails on a failed test or file, on a skip that test/allowed-skips.json does not list, and on a
 * missing or empty report.
 */
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import {
  findSlowest,
  sumReports,
  type AllowedSkip,
  type Timed,
  type VitestReport,
} from "./sum-reports.ts";

const ALLOWED = fileURLToPath(new URL("../test/allowed-skips.json", import.meta.url));

const SLOWEST = 20;

const allowed = JSON.parse(await readFile(ALLOWED, "utf8")) as AllowedSkip[];
const reports = await Promise.all(process.argv.slice(2).map(readReport));
const sum = sumReports(reports, allowed);
const slowest = findSlowest(reports, SLOWEST);
printTimes("slowest files", slowest.files);
printTimes("slowest tests", slowest.tests);
for (const problem of sum.problems) {
  console.error(problem);
}
console.log(`${sum.passed} passed, ${sum.failed} failed, ${sum.skipped} skipped`);
process.exit(sum.problems.length === 0 ? 0 : 1);

async function readReport(
  path: string,
): Promise<{ path: string; report: VitestReport | undefined }> {
  try {
    return { path, report: JSON.parse(await readFile(path, "utf8")) as VitestReport };
  } catch {
    return { path, report: undefined };
  }
}

function printTimes(title: string, timed: readonly Timed[]): void {
  console.log(`== the ${timed.length} ${title}`);
  for (const { name, ms } of timed) {
    console.log(`${(ms / 1000).toFixed(1).padStart(7)} s ${name}`);
  }
}
