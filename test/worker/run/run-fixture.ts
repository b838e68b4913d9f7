import { env } from "cloudflare:workers";
import { expect } from "vitest";
import type { Execution, RunStart } from "../../../src/contracts/runs/run.ts";
import type { RunObjectApi } from "../../../src/contracts/runs/run-object-api.ts";
import type { RunTasksApi, TaskOutcome, TaskReport } from "../../../src/contracts/runs/task.ts";
import { unwrap } from "../../../src/lib/result.ts";
import { newId } from "../../../src/platform/ids.ts";
import { WorkspaceFixture } from "../workspace/workspace-fixture.ts";
import { waitUntil } from "../../support/wait-until.ts";

interface DefinitionParts {
  readonly nodes: readonly Record<string, unknown>[];
  readonly links: readonly string[];
}

/** Returns a definition as JSON text, from nodes and lines of the form `"a.port > b.port"`. */
export function definitionJson({ nodes, links }: DefinitionParts): string {
  const end = (text: string) => {
    const [node, port] = text.split(".");
    return { node, port };
  };
  const connections = links.map((link) => {
    const [from = "", to = ""] = link.split(" > ");
    return { from: end(from), to: end(to) };
  });
  return JSON.stringify({ nodes, connections });
}

/** Rows through a code (a task of the runner) to an iterated output and an aggregate. */
export const CODES = definitionJson({
  nodes: [
    { id: "rows", type: "input/json", label: "Rows" },
    { id: "code", type: "image/code", label: "Code", parameters: { symbology: "qr", size: 128 } },
    {
      id: "checks",
      type: "aggregate/json",
      parameters: { jsonAggregateConfig: { columns: [{ inputPort: "check" }] } },
    },
    { id: "pictures", type: "output/image", label: "Pictures" },
    { id: "report", type: "output/json", label: "Report" },
  ],
  links: [
    "rows.item > code.text",
    "code.image > pictures.image",
    "code.check > checks.check",
    "checks.json > report.json",
  ],
});

/** One run object, called as the API, the workspace and the runner call it; the test is the runner. */
export class RunFixture {
  readonly workspaceId = newId("workspace", Date.now());
  readonly runId = newId("run", Date.now());
  readonly stub = env.RUN.get(env.RUN.idFromName(this.runId));
  readonly request = { v: 1 as const, workspace_id: this.workspaceId, base_url: "http://test" };

  #isAdmitted = false;

  get api() {
    return env.RUN.get(env.RUN.idFromName(this.runId)) as unknown as RunObjectApi & RunTasksApi;
  }

  async start(
    definition_json: string,
    inputs: Readonly<Record<string, unknown>>,
    more: Partial<RunStart> = {},
  ): Promise<Execution> {
    return unwrap(await this.api.start(await this.admitted(definition_json, inputs, more)));
  }

  /** The start of the run, which its workspace has admitted. */
  async admitted(
    definition_json: string,
    inputs: Readonly<Record<string, unknown>>,
    more: Partial<RunStart> = {},
  ): Promise<RunStart> {
    if (!this.#isAdmitted) {
      await this.#admit();
      this.#isAdmitted = true;
    }
    return {
      v: 1,
      run_id: this.runId,
      workspace_id: this.workspaceId,
      organization_id: newId("organization", Date.now()),
      correlation_id: "test",
      workflow_id: newId("workflow", Date.now()),
      workflow_name: "Test",
      workflow_version: 1,
      interface_id: null,
      definition_json,
      inputs: Object.entries(inputs).map(([node_id, value]) => ({
        node_id,
        value_json: JSON.stringify(value),
      })),
      parameter_overrides: [],
      output_node_ids: null,
      admission_limits: {},
      prepaid: [],
      time_limit_ms: 86_400_000,
      created_at_ms: Date.now(),
      reserved_milli_credits: 0,
      is_held: false,
      ...more,
    };
  }

  /** Admits the run with credits in its workspace, as a submit does. */
  async #admit(): Promise<void> {
    const workspace = await new WorkspaceFixture(this.workspaceId).publish();
    await workspace.api.grant({ v: 1, idempotency_key: "test-grant", milli_credits: 1_000_000 });
    const admitted = unwrap(
      await workspace.api.admit(workspace.request({ start: { run_id: this.runId } })),
    );
    expect(admitted.kind).toBe("admitted");
  }

  async read(): Promise<Execution> {
    const poll = { ...this.request, if_none_match: null, wait_ms: 0 };
    const { execution } = unwrap(await this.api.read(poll));
    if (execution === null) {
      throw new Error("a read without a tag answered nothing");
    }
    return execution;
  }

  async ended(): Promise<Execution> {
    return waitUntil("the run to end", async () => {
      const run = await this.read();
      return run.completed_at === null ? undefined : run;
    });
  }

  /** Claims chunks from `first` on until one contains tasks. */
  async claim(first = 1) {
    return waitUntil("a chunk to claim", async () => {
      for (let chunk = first; chunk < first + 80; chunk++) {
        const claim = await this.api.claim({ v: 1, chunk, executor: "test", takes_files: true });
        if (claim !== null) {
          return claim;
        }
      }
      return undefined;
    });
  }

  async result(): Promise<Record<string, unknown>> {
    const { body } = unwrap(await this.api.result({ ...this.request, if_none_match: null }));
    return (await new Response(body).json()) as Record<string, unknown>;
  }
}

/** The result of a task; files are stored under the prefix that its claim returned. */
type Ending = TaskOutcome | ((filePrefix: string) => TaskOutcome);

export function report(
  task: { task_id: number; fence: number; file_prefix?: string },
  ending: Ending,
): TaskReport {
  const outcome = typeof ending === "function" ? ending(task.file_prefix ?? "") : ending;
  return { task_id: task.task_id, fence: task.fence, duration_ms: 1, outcome };
}

/** The report of a drawn code; the picture is a reference and is never read in these tests. */
export function drawn(name: string): Ending {
  return (filePrefix) => {
    const file = { key: `${filePrefix}${name}`, name, contentType: "image/png", sizeBytes: 1 };
    const value = `["f",${JSON.stringify(file)}]`;
    return {
      kind: "ok",
      outputs: [
        { port: "image", value },
        { port: "svg", value },
        { port: "check", value: `["j",{"of":"${name}"}]` },
      ],
    };
  };
}

export const UNAVAILABLE: TaskOutcome = {
  kind: "failed",
  code: "NETWORK_ERROR",
  message: "The network did not answer.",
  retryable: true,
  retry_after_ms: null,
};
