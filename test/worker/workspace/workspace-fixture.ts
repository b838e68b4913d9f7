import { env } from "cloudflare:workers";
import type {
  AdmitOutcome,
  AdmitRequest,
  WorkflowPointer,
} from "../../../src/contracts/workspaces/admission.ts";
import { unwrap } from "../../../src/lib/result.ts";
import { newId } from "../../../src/platform/ids.ts";
import { workspaceObject } from "../../../src/storage/objects/workspace-object.ts";

type RequestParts = Partial<Omit<AdmitRequest, "start">> & {
  readonly start?: Partial<AdmitRequest["start"]>;
};

/** A workspace object with one published workflow, called as the API Worker and run objects call it. */
export class WorkspaceFixture {
  readonly workspaceId: string;
  readonly workflowId = newId("workflow", Date.now());

  constructor(workspaceId = newId("workspace", Date.now())) {
    this.workspaceId = workspaceId;
  }

  get stub() {
    return env.WORKSPACE.get(env.WORKSPACE.idFromName(this.workspaceId));
  }

  get api() {
    return workspaceObject({ env }, this.workspaceId);
  }

  async publish(pointer: Partial<WorkflowPointer> = {}): Promise<this> {
    await this.api.setWorkflowPointer({
      workflow_id: this.workflowId,
      name: "Test",
      status: "published",
      version: 1,
      seq: 1,
      ...pointer,
    });
    return this;
  }

  request(more: RequestParts = {}) {
    return {
      v: 1,
      is_pinned: false,
      exact_liability_milli_credits: 0,
      max_concurrent_executions: 256,
      monthly_milli_credits: 1000,
      idempotency: null,
      ...more,
      start: {
        v: 1,
        run_id: newId("run", Date.now()),
        workspace_id: this.workspaceId,
        organization_id: newId("organization", Date.now()),
        correlation_id: "test",
        workflow_id: this.workflowId,
        workflow_name: "Test",
        workflow_version: 1,
        interface_id: null,
        inputs: [],
        parameter_overrides: [],
        output_node_ids: null,
        admission_limits: {},
        prepaid: [],
        time_limit_ms: 86_400_000,
        created_at_ms: Date.now(),
        ...more.start,
      },
    } satisfies AdmitRequest;
  }

  async admit(more: RequestParts = {}): Promise<AdmitOutcome> {
    return unwrap(await this.api.admit(this.request(more)));
  }

  /** Admits a run and returns its id. */
  async run(more: RequestParts = {}): Promise<string> {
    const outcome = await this.admit(more);
    if (outcome.kind !== "admitted") {
      throw new Error(`not admitted: ${outcome.kind}`);
    }
    return outcome.start.run_id;
  }

  async close(
    runId: string,
    settledMilliCredits = 0,
    status: "completed" | "failed" = "completed",
  ) {
    await this.api.close({
      v: 1,
      run_id: runId,
      status,
      progress: 100,
      settled_milli_credits: settledMilliCredits,
      error_code: null,
      error_message: null,
      started_at_ms: Date.now(),
      completed_at_ms: Date.now(),
    });
  }

  async list(filter: Partial<Parameters<WorkspaceFixture["api"]["listRuns"]>[0]> = {}) {
    return unwrap(
      await this.api.listRuns({
        limit: 25,
        starting_after: null,
        status: null,
        workflow_id: null,
        created_after_ms: null,
        created_before_ms: null,
        ...filter,
      }),
    );
  }
}
