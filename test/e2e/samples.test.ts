import { readFile } from "node:fs/promises";
import { beforeAll, describe, expect, it } from "vitest";
import { readSamples } from "../../scripts/provision.ts";
import { AIRPORTS_FILE } from "../../scripts/read-airports.ts";
import {
  type RunResult,
  type SubmitBody,
  submitRun,
  waitForRun,
} from "../../scripts/run-workflow.ts";
import { uploadAsset } from "../../scripts/upload-asset.ts";
import { readCode } from "../support/node/read-code.ts";
import { readPath } from "../support/node/read-path.ts";
import { readOutputs } from "../support/node/read-outputs.ts";
import { sharedService, type SharedService } from "../support/node/shared-service.ts";
import { testInProof } from "../support/in-proof.ts";

interface ContractOutput {
  readonly key: string;
  readonly cardinality: "single" | "multiple";
  readonly required: boolean;
  readonly read_from: string;
}

interface WorkflowDetail {
  readonly id: string;
  readonly name: string;
  readonly execution_contract: {
    readonly primary: { readonly interface?: string; readonly example: SubmitBody };
    readonly outputs: readonly ContractOutput[];
  };
}

let service: SharedService;

beforeAll(async () => {
  service = await sharedService("first");
});

async function findWorkflow(name: string): Promise<WorkflowDetail> {
  const { data } = await service.client.call<{ data: readonly { id: string; name: string }[] }>(
    "GET",
    "/api/v1/workflows?limit=100",
  );
  const found = data.find((workflow) => workflow.name === name);
  expect(found, `the first boot publishes "${name}"`).toBeDefined();
  return service.client.call<WorkflowDetail>("GET", `/api/v1/workflows/${found!.id}`);
}

async function runToEnd(body: SubmitBody): Promise<RunResult> {
  const runId = await submitRun(service.client, body);
  const execution = await waitForRun(service.client, runId);
  expect(execution, service.log()).toMatchObject({ status: "completed", progress: 100 });
  return readOutputs(service.client, runId);
}

/** The value of a text or JSON output, from its address if it is too large for the result. */
async function valueOf(result: RunResult, key: string): Promise<unknown> {
  const group = result.result.by_key[key]!;
  expect(group, key).toMatchObject({ cardinality: "single", state: "present" });
  if (group.value !== null && group.value !== undefined) {
    return group.value;
  }
  const response = await fetch(group.url!);
  const text = await response.text();
  return /^[[{]/.test(text) ? JSON.parse(text) : text;
}

async function picture(url: string | null | undefined): Promise<Uint8Array> {
  const response = await fetch(url!);
  expect(response.status).toBe(200);
  expect(response.headers.get("content-type")).toBe("image/png");
  return new Uint8Array(await response.arrayBuffer());
}

describe("every sample", async () => {
  for (const { name } of await readSamples()) {
    it(`"${name}" runs with its contract's example unchanged on a first start`, async () => {
      const { execution_contract: contract } = await findWorkflow(name);
      const result = await runToEnd(contract.primary.example);
      for (const { key, required, read_from: from } of contract.outputs) {
        expect(readPath(result, from), from).not.toBeUndefined();
        expect(result.result.by_key[key]!.state).toMatch(
          required ? /^present$/ : /^(present|absent)$/,
        );
      }
    });

    it(`"${name}" runs with its example once there is a file for it, and each read_from resolves`, async () => {
      await uploadAsset(service.client, "airports.csv", await readFile(AIRPORTS_FILE, "utf8"));
      const { execution_contract: contract } = await findWorkflow(name);
      const result = await runToEnd(contract.primary.example);
      expect(contract.outputs.length).toBeGreaterThan(0);
      for (const output of contract.outputs) {
        const group = result.result.by_key[output.key];
        expect(group, output.key).toBeDefined();
        expect(group!.cardinality).toBe(output.cardinality);
        if (output.required) {
          expect(group!.state).toBe("present");
        }
        const read = readPath(result, output.read_from);
        if (output.cardinality === "multiple") {
          expect(Array.isArray(read), output.read_from).toBe(true);
        } else if (group!.state === "present") {
          expect(read, output.read_from).not.toBeNull();
        }
      }
    });
  }
});

describe("the airport guide on all 3,376 rows", () => {
  const STATE = "OR";
  let airports: readonly Airport[];
  let result: RunResult;

  beforeAll(async () => {
    airports = await readCsvHere();
    const guide = await findWorkflow("Airport guide");
    result = await runToEnd({
      workflow: guide.id,
      interface: guide.execution_contract.primary.interface!,
      inputs: {
        airports: {
          asset_path: await uploadAsset(
            service.client,
            "airports.csv",
            await readFile(AIRPORTS_FILE, "utf8"),
          ),
        },
        state: { value: JSON.stringify(STATE) },
      },
    });
  });

  it("has the real data to run on", () => {
    expect(airports).toHaveLength(3376);
    expect(inState()).toHaveLength(57);
  });

  it("computes the column for every row, in the order of the rows", async () => {
    const expected = airports.map(({ iata, state, latitude, longitude }) => ({
      code: iata,
      state,
      latitude,
      solar_hours: roundHalfAway(longitude / 15, 2),
    }));
    expect(await valueOf(result, "directory")).toEqual(expected);
    expect(await valueOf(result, "airport_count")).toBe(3376);
  });

  it("joins one line for every row", async () => {
    const expected = airports.map(
      ({ iata, name, city, state, longitude }) =>
        `${iata}  ${name}, ${city} ${state} (the sun is ${roundHalfAway(longitude / 15, 2)} h from Greenwich)`,
    );
    expect(await valueOf(result, "listing")).toBe(expected.join("\n"));
  });

  it("calculates the mean in exact decimals", async () => {
    // Latitudes have about 8 decimals at most: integers in units of 1e-12 represent all of them.
    const SCALE = 12;
    const sum = airports.reduce((total, { latitude }) => total + scaled(latitude, SCALE), 0n);
    const mean = (sum * 10n) / BigInt(airports.length);
    const micro = (mean + 5n * 10n ** 6n) / 10n ** 7n;
    expect(await valueOf(result, "mean_latitude")).toBe(Number(micro) / 1e6);
  });

  it("lets only the state's airports through, each with a card", async () => {
    expect(await valueOf(result, "state_count")).toBe(57);
    const cards = result.result.by_key["cards"]!;
    expect(cards).toMatchObject({ cardinality: "multiple", state: "present" });
    expect(cards.items.map(({ value }) => value)).toEqual(
      inState().map(({ name, iata }) => `${name} (${iata})`),
    );
    expect(cards.items.map(({ input_indices }) => input_indices)).toEqual(
      inState().map((_, index) => [index]),
    );
  });

  testInProof("draws a 256 px code for each, which another decoder reads", async () => {
    const codes = result.result.by_key["map_codes"]!;
    expect(codes).toMatchObject({ cardinality: "multiple", state: "present" });
    expect(codes.items).toHaveLength(57);
    for (const [index, { latitude, longitude }] of inState().entries()) {
      const png = await picture(codes.items[index]!.url);
      expect(new DataView(png.buffer).getUint32(16)).toBe(256);
      expect(await readCode(png)).toEqual([`geo:${latitude},${longitude}`]);
    }
    const checks = result.result.by_key["code_checks"]!.items;
    expect(checks).toHaveLength(57);
    for (const { value } of checks) {
      expect(value).toMatchObject({ schema: "svc.quality-check/v1", passed: true });
    }
  });

  const inState = () => airports.filter(({ state }) => state === STATE);
});

describe("the greeting card", () => {
  const send = async (inputs: Record<string, string>) => {
    const { id } = await findWorkflow("Greeting card");
    return runToEnd({
      workflow: id,
      inputs: Object.fromEntries(
        Object.entries(inputs).map(([key, text]) => [key, { value: JSON.stringify(text) }]),
      ),
    });
  };

  it("greets by name if no nickname is given, and leaves the postscript absent", async () => {
    const result = await send({ name: "Ada Lovelace" });
    const { message, postscript, quality_report: report, code } = result.result.by_key;
    expect(message?.value).toBe("Dear Ada Lovelace,\nall the best, and come to the party!");
    expect(postscript).toMatchObject({ state: "absent", value: null });
    expect(report).toMatchObject({ state: "present", value: { passed: true } });
    expect(await readCode(await picture(code?.url))).toEqual(["https://example.com/party"]);
  });

  it("prefers the nickname, and passes the postscript through", async () => {
    const result = await send({
      name: "Ada Lovelace",
      nickname: "The Enchantress",
      link: "https://example.com/ada?x=1",
      postscript: "Bring numbers.",
    });
    const { message, postscript, code } = result.result.by_key;
    expect(message?.value).toBe("Dear The Enchantress,\nall the best, and come to the party!");
    expect(postscript).toMatchObject({ state: "present", value: "Bring numbers." });
    expect(await readCode(await picture(code?.url))).toEqual(["https://example.com/ada?x=1"]);
  });

  it("refuses a submit without the name, with an example that runs", async () => {
    const { id } = await findWorkflow("Greeting card");
    const response = await service.client.send("POST", "/api/v1/executions", {
      body: { workflow: id, inputs: {} },
    });
    expect(response.status).toBe(400);
    const problem = (await response.json()) as { code: string; example: SubmitBody["inputs"] };
    expect(problem.code).toBe("validation_error");
    await runToEnd({ workflow: id, inputs: problem.example! });
  });
});

interface Airport {
  readonly iata: string;
  readonly name: string;
  readonly city: string;
  readonly state: string;
  readonly latitude: number;
  readonly longitude: number;
}

/** Reads the file independently of the service: seven fields per line, separated by one regular expression. */
async function readCsvHere(): Promise<readonly Airport[]> {
  const text = await readFile(AIRPORTS_FILE, "utf8");
  const lines = text.trimEnd().split(/\r?\n/).slice(1);
  return lines.map((line) => {
    const fields = [...line.matchAll(/("(?:[^"]|"")*"|[^,]*)(?:,|$)/g)].map(([, field]) =>
      field!.startsWith('"') ? field!.slice(1, -1).replaceAll('""', '"') : field!,
    );
    const [iata, name, city, state, , latitude, longitude] = fields as [
      string,
      string,
      string,
      string,
      string,
      string,
      string,
    ];
    return { iata, name, city, state, latitude: Number(latitude), longitude: Number(longitude) };
  });
}

/** Half away from zero, from the shortest decimal of the number (docs/contract/executions.md#submit). */
function roundHalfAway(value: number, digits: number): number {
  const rounded = Math.round(Math.abs(value) * 10 ** digits + 1e-9) / 10 ** digits;
  return value < 0 ? -rounded : rounded;
}

/** The decimal digits of the number as an integer in units of 10^-scale. */
function scaled(value: number, scale: number): bigint {
  const [, sign, whole, fraction = ""] = /^(-?)(\d+)(?:\.(\d+))?$/.exec(String(value))!;
  expect(fraction.length).toBeLessThanOrEqual(scale);
  const digits = BigInt(whole! + fraction.padEnd(scale, "0"));
  return sign === "-" ? -digits : digits;
}
