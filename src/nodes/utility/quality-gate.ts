import * as z from "zod";
import { QualityCheck } from "../../contracts/quality-check.ts";
import { QUALITY_POLICY_REF, QualityPolicy } from "../../contracts/quality-policy.ts";
import type { JsonValue } from "../../lib/json/exact-json.ts";
import { NodeError } from "../../lib/errors/node-error.ts";
import { defineNode } from "../define-node.ts";
import type { RunValue } from "../define-ports.ts";
import { issueText } from "../../lib/errors/issue-text.ts";

interface Reason {
  readonly [key: string]: JsonValue;
  readonly check: string | null;
  readonly message: string;
}

/**
 * Returns the reason why a check does not meet a policy; empty if it does. `required_checks` takes precedence over
 * `ignored_checks`.
 */
function reasonsAgainst(report: QualityCheck, policy: QualityPolicy): readonly Reason[] {
  const ignored = new Set(policy.ignored_checks);
  const required = new Set(policy.required_checks);
  const reasons: Reason[] = [];
  for (const id of required) {
    const found = report.checks.filter((check) => check.id === id);
    if (found.length === 0) {
      reasons.push({ check: id, message: `The required check "${id}" is missing.` });
    }
    for (const { passed, message } of found) {
      if (!passed) {
        reasons.push({ check: id, message: `The required check "${id}" failed: ${message}` });
      }
    }
  }
  const failed = report.checks.filter(({ passed }) => !passed);
  const counted = failed.filter(({ id }) => !ignored.has(id) && !required.has(id));
  if (policy.require_passed) {
    for (const { id, message, severity } of counted) {
      if (severity === "error") {
        reasons.push({ check: id, message: `The check "${id}" failed: ${message}` });
      }
    }
    // A report that failed as a whole is accepted only if every error that it lists is ignored.
    const isExplained = failed.some(({ severity }) => severity === "error");
    if (!report.passed && !isExplained) {
      reasons.push({ check: null, message: "The quality check as a whole did not pass." });
    }
  }
  const warnings = counted.filter(({ severity }) => severity === "warning").length;
  if (policy.max_warnings !== undefined && warnings > policy.max_warnings) {
    reasons.push({
      check: null,
      message: `There are ${warnings} warnings; at most ${policy.max_warnings} are allowed.`,
    });
  }
  return reasons;
}

export const utilityQualityGate = defineNode({
  type: "utility/quality_gate",
  version: "1.0",
  name: "Quality gate",
  description: "Passes a value on only if its quality check meets a policy.",
  whenToUse: "After a node with a quality check, before a result is returned.",
  subCategory: "logic",
  status: "stable",
  icon: "shield-check",
  color: "#d97706",
  inputs: [
    { name: "quality_check", type: "json", label: "Quality check" },
    { name: "value", type: "any", required: false, label: "Value" },
  ],
  outputs: [
    { name: "value", type: "any", typeOf: "value", optional: true, label: "Value" },
    { name: "passed", type: "boolean", label: "Passed" },
    { name: "report", type: "json", label: "Report" },
  ],
  params: z.strictObject({
    policy: QualityPolicy.prefault({}).meta({
      title: "Policy",
      description: "The requirements for the quality check.",
      schema_ref: QUALITY_POLICY_REF,
    }),
    on_fail: z.enum(["fail", "skip"]).default("fail").meta({
      title: "If it does not pass",
      description: "Fail, or continue without the value.",
    }),
  }),
  role: "transform",
  placement: "inline",
  work: 10,
  run(_ctx, inputs, { policy, on_fail: onFail }) {
    const parsed = QualityCheck.safeParse(inputs.json("quality_check"), { error: issueText });
    if (!parsed.success) {
      const [issue] = parsed.error.issues;
      const place =
        issue === undefined ? "" : ` (${issue.path.join(".") || "$"}: ${issue.message})`;
      throw new NodeError(
        "INVALID_QUALITY_CHECK",
        `The value at quality_check is not an svc.quality-check/v1${place}. Connect a quality_check output.`,
      );
    }
    const reasons = reasonsAgainst(parsed.data, policy);
    const passed = reasons.length === 0;
    if (!passed && onFail === "fail") {
      const listed = reasons.slice(0, 5).map(({ message }) => message);
      throw new NodeError("QUALITY_GATE_FAILED", listed.join(" "));
    }
    const outputs = new Map<string, RunValue>([
      ["passed", passed],
      [
        "report",
        {
          subject: parsed.data.subject,
          passed,
          reasons,
          checks: parsed.data.checks.map(({ id, passed: held, severity }) => ({
            id,
            passed: held,
            severity,
          })),
          policy: { ...policy, max_warnings: policy.max_warnings ?? null },
        },
      ],
    ]);
    const value = inputs.get("value");
    if (passed && value !== undefined) {
      outputs.set("value", value);
    }
    return outputs;
  },
});
