/** A mixed load on a service that is killed: five workflows with their expected results. */
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { AIRPORTS_FILE, readAirports } from "../../scripts/read-airports.ts";
import { publish } from "../../scripts/provision.ts";
import { readResult, submitRun, type SubmitBody } from "../../scripts/run-workflow.ts";
import { uploadAsset } from "../../scripts/upload-asset.ts";
import { readCode } from "../support/node/read-code.ts";
import type { RunningService } from "../support/node/start-service.ts";
import {
  CHAIN_STEPS,
  chainWorkflow,
  PICTURES,
  picturesWorkflow,
  ROWS,
  rowsWorkflow,
} from "./crash-workflows.ts";

export const KINDS = ["pictures", "rows", "chain", "airports", "greeting"] as const;
export type Kind = (typeof KINDS)[number];

/** Rows of the airport sample in each run: enough for several commits and a few pictures. */
const AIRPORTS = 300;
const STATE = "CO";
/** The uploaded file with these rows: uploaded once, before the first kill. */
export const AIRPORTS_NAME = "airports.csv";

export interface LoadedRun {
  readonly kind: Kind;
  readonly key: string;
  /** Known if the response arrived before the kill. */
  runId?: string;
}

export class ChaosLoad {
  readonly #bodies: ReadonlyMap<Kind, SubmitBody>;
  readonly #inState: number;
  /** JSON of the first correct result of each kind: every later one must be the same. */
  readonly #expected = new Map<Kind, string>();
  readonly #ownMs = new Map<Kind, number>();

  private constructor(bodies: ReadonlyMap<Kind, SubmitBody>, inState: number) {
    this.#bodies = bodies;
    this.#inState = inState;
  }

  /** Publishes missing workflows; the samples exist from the first start. */
  static async create({ client }: RunningService): Promise<ChaosLoad> {
    const { data } = await client.call<{ data: { id: string; name: string }[] }>(
      "GET",
      "/api/v1/workflows?limit=100",
    );
    const sample = (name: string) => {
      const found = data.find((workflow) => workflow.name === name);
      assert.ok(found, `the first boot publishes "${name}"`);
      return found.id;
    };
    const airports = (await readAirports()).slice(0, AIRPORTS);
    // No field of this file contains a line break.
    const lines = (await readFile(AIRPORTS_FILE, "utf8")).split("\n");
    const csv = lines.slice(0, 1 + AIRPORTS).join("\n");
    const bodies = new Map<Kind, SubmitBody>([
      ["chain", { workflow: await publish(client, chainWorkflow()) }],
      ["rows", { workflow: await publish(client, rowsWorkflow()) }],
      ["pictures", { workflow: await publish(client, picturesWorkflow()) }],
      [
        "airports",
        await exampleOf(client, sample("Airport guide"), {
          airports: { asset_path: await uploadAsset(client, AIRPORTS_NAME, csv) },
          state: { value: JSON.stringify(STATE) },
        }),
      ],
      ["greeting", await exampleOf(client, sample("Greeting card"), {})],
    ]);
    return new ChaosLoad(bodies, airports.filter(({ state }) => state === STATE).length);
  }

  submit({ client }: RunningService, run: LoadedRun): Promise<string> {
    return submitRun(client, this.#bodies.get(run.kind)!, run.key);
  }

  /** The kind of a listed run. Throws for a workflow that is not part of the load. */
  kindOf(workflow: string): Kind {
    const found = KINDS.find((kind) => this.#bodies.get(kind)!.workflow === workflow);
    assert.ok(found, `${workflow} is none of the load's workflows`);
    return found;
  }

  /** Records the duration of a run of this kind without other load. */
  ranAlone(kind: Kind, tookMs: number): void {
    this.#ownMs.set(kind, tookMs);
  }

  /** A kind's own work: milliseconds from submit to end without other load, as last measured. */
  ownMs(kind: Kind): number {
    const ms = this.#ownMs.get(kind);
    assert.ok(ms !== undefined, `${kind} was timed alone before the first kill`);
    return ms;
  }

  /** Throws if a run's outputs differ from the expected ones. */
  async checkOutputs(service: RunningService, run: LoadedRun, where: string): Promise<void> {
    const { result } = await readResult(service.client, run.runId!);
    const told = `${run.key} ${run.runId}: ${where}`;
    switch (run.kind) {
      case "chain":
        assert.equal(result.by_key["out"]?.value, CHAIN_STEPS, told);
        break;
      case "rows": {
        const lines = Array.from(
          { length: ROWS },
          (_, i) => `row ${i + 1} squared is ${(i + 1) ** 2}`,
        );
        assert.equal(result.by_key["text"]?.value, lines.join("\n"), told);
        assert.equal(result.by_key["count"]?.value, ROWS, told);
        break;
      }
      case "pictures": {
        const { items } = result.by_key["codes"]!;
        assert.equal(items.length, PICTURES, told);
        for (const [index, { url }] of items.entries()) {
          assert.deepEqual(await decode(url!), [`picture ${index + 1}`], told);
        }
        break;
      }
      case "airports":
        assert.equal(result.by_key["airport_count"]?.value, AIRPORTS, told);
        assert.equal(result.by_key["map_codes"]?.items.length, this.#inState, told);
        break;
      case "greeting":
        assert.equal(
          Object.values(result.by_key).some(({ state }) => state === "present"),
          true,
          told,
        );
    }
    // Addresses and names contain the run's id; everything else is a function of the inputs.
    const plain = JSON.stringify(
      Object.values(result.by_key).map(({ key, state, items }) => [
        key,
        state,
        items.map(({ delivery, raw_value, input_indices }) => [delivery, raw_value, input_indices]),
      ]),
    );
    const digest = createHash("sha256").update(plain).digest("hex");
    const before = this.#expected.get(run.kind);
    assert.equal(digest, before ?? digest, `the same as every other run of its kind: ${told}`);
    this.#expected.set(run.kind, digest);
  }
}

async function exampleOf(
  client: RunningService["client"],
  id: string,
  inputs: NonNullable<SubmitBody["inputs"]>,
): Promise<SubmitBody> {
  const { execution_contract: contract } = await client.call<{
    execution_contract: { primary: { example: SubmitBody } };
  }>("GET", `/api/v1/workflows/${id}`);
  const { example } = contract.primary;
  return { ...example, inputs: { ...example.inputs, ...inputs } };
}

async function decode(url: string): Promise<string[]> {
  const response = await fetch(url);
  return [...(await readCode(new Uint8Array(await response.arrayBuffer())))];
}
