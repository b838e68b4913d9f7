import type { LayoutReport } from "../../../contracts/templates/layout-report.ts";
import type { LayoutFacts } from "./account.ts";

/** Adds to the facts what only the caller knows. */
export function completeReport(
  facts: LayoutFacts,
  origin: Pick<LayoutReport, "template_id" | "revision" | "version_id" | "duration_ms">,
): LayoutReport {
  const { status, ...rest } = facts;
  const { template_id, revision, version_id, duration_ms } = origin;
  return {
    schema: "svc.template-layout-report/v1",
    status,
    template_id,
    revision,
    version_id,
    ...rest,
    duration_ms,
  };
}
