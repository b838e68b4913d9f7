import type * as z from "zod";
import type { ValidationReport } from "../../src/contracts/workflows/workflow.ts";
import { required } from "./arguments.ts";
import type { Given } from "./command.ts";
import { tableText } from "./print-response.ts";
import { readJsonFile } from "./read-json-file.ts";
import type { Session } from "./session.ts";

/** Checks a definition, or a workflow file that contains one. With an id, checks it as a change of that workflow. */
export async function validateFile(session: Session, { args, flags }: Given): Promise<unknown> {
  const content = (await readJsonFile(required(args[0], "FILE"))) as {
    readonly definition?: unknown;
  };
  const path =
    args[1] === undefined
      ? "/api/v1/workflows/validate"
      : `/api/v1/workflows/${encodeURIComponent(args[1])}/validate`;
  const report = await session.call<z.infer<typeof ValidationReport>>("POST", path, {
    json: { definition: content.definition ?? content },
  });
  process.exitCode = report.valid ? 0 : 1;
  if (flags["json"] === true) {
    return report;
  }
  const rows = [
    ...report.errors.map((issue) => ["error", issue.field, issue.message, issue.suggestion ?? ""]),
    ...report.warnings.map((issue) => [
      "warning",
      issue.field,
      issue.message,
      issue.suggestion ?? "",
    ]),
  ];
  return rows.length === 0
    ? "The definition is valid."
    : tableText(["severity", "field", "message", "suggestion"], rows);
}
