import { parsePins } from "../../contracts/templates/template-pins.ts";
import type { CallerContext } from "../../platform/context.ts";
import { WorkflowVersions } from "../../storage/d1/workflow-versions.ts";
import type { ReferenceContext } from "../references/reference-context.ts";

type Caller = Pick<CallerContext, "env" | "principal" | "nowMs" | "waitUntil">;

/** The caller, for the references of a workflow's working definition. */
export function withWorkingPins(
  { env, principal, nowMs, waitUntil }: Caller,
  workflowId: string,
  templatePins: string | null,
): ReferenceContext {
  const versions = new WorkflowVersions(env, principal.workspaceId);
  return {
    env,
    principal,
    nowMs,
    waitUntil,
    pins: {
      of: "working",
      list: parsePins(templatePins),
      hadPinned: (templateId, revision) => versions.hasPinned(workflowId, templateId, revision),
    },
  };
}

/** The caller, for the references of a published version. */
export function withVersionPins(
  { env, principal, nowMs, waitUntil }: Caller,
  templatePins: string | null,
): ReferenceContext {
  const pins = { of: "version", list: parsePins(templatePins) } as const;
  return { env, principal, nowMs, waitUntil, pins };
}
