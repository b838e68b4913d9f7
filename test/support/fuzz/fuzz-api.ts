/** Sends generated requests and checks every response: no 5xx, no hang, no data of another tenant, as documented. */
import { SeededRandom } from "../../simulation/seeded-random.ts";
import { recordResponse } from "../openapi/response-record.ts";
import type { ServedDocument } from "../openapi/served-document.ts";
import { type DrawnRequest, drawRequest, type FuzzWorld, operationsOf } from "./draw-request.ts";

export interface FuzzRequest {
  readonly seed: number;
  readonly executions: number;
  // oxlint-disable-next-line typescript/no-explicit-any -- a JSON document that is walked
  readonly document: any;
  readonly served: ServedDocument;
  readonly world: FuzzWorld;
  /** Text that must not be returned, because it belongs to another tenant. */
  readonly secret: string;
  send(request: DrawnRequest): Promise<Response>;
}

export interface FuzzFinding {
  readonly execution: number;
  readonly operation: string;
  readonly problem: string;
  readonly request: DrawnRequest;
}

export interface FuzzReport {
  readonly executions: number;
  readonly seconds: number;
  readonly slowestMs: number;
  readonly slowest: string;
  /** How often each status came. */
  readonly statuses: Readonly<Record<string, number>>;
  readonly findings: readonly FuzzFinding[];
}

const HANG_MS = 2_000;
/** Of requests that draw pages, of up to 4,096 pixels on the longest side. */
const DRAWING_HANG_MS = 20_000;
const DRAWS = /render|preview/iu;
const FINDINGS_MAX = 20;

export async function fuzzApi(request: FuzzRequest): Promise<FuzzReport> {
  const random = new SeededRandom(request.seed);
  const operations = operationsOf(request.document);
  const statuses: Record<string, number> = {};
  const findings: FuzzFinding[] = [];
  const startedMs = Date.now();
  let slowestMs = 0;
  let slowest = "";
  let execution = 0;
  for (; execution < request.executions && findings.length < FINDINGS_MAX; execution += 1) {
    // Each in turn, so that the last of the list is attacked as often as the first.
    const operation = operations[execution % operations.length]!;
    const drawn = drawRequest(random, operation, request.world);
    const sentMs = Date.now();
    const found = (problem: string) =>
      findings.push({ execution, operation: operation.spec.operationId, problem, request: drawn });
    const hangMs = DRAWS.test(operation.spec.operationId) ? DRAWING_HANG_MS : HANG_MS;
    const response = await withinMs(hangMs, request.send(drawn));
    if (response === "hang") {
      found(`no answer within ${hangMs} ms`);
      continue;
    }
    const tookMs = Date.now() - sentMs;
    if (tookMs > slowestMs) {
      slowestMs = tookMs;
      slowest = `${drawn.method} ${drawn.url.slice(0, 200)}`;
    }
    const { status, headers } = response;
    statuses[status] = (statuses[status] ?? 0) + 1;
    const text = await response.text();
    // 501 is what a route documents for a feature that is not there; `check` below finds one that does not.
    if (status >= 500 && status !== 501) {
      found(`${status}: ${text.slice(0, 500)}`);
    }
    if (text.includes(request.secret)) {
      found(`another tenant's data in ${status}: ${text.slice(0, 500)}`);
    }
    const url = new URL(drawn.url, "http://any");
    const { pair, problems } = await request.served.check({
      method: drawn.method,
      url: url.pathname,
      status,
      headers,
      text,
    });
    if (pair !== undefined && problems.length === 0) {
      recordResponse(pair);
    }
    for (const problem of problems) {
      found(problem);
    }
  }
  const seconds = (Date.now() - startedMs) / 1000;
  return { executions: execution, seconds, slowestMs, slowest, statuses, findings };
}

async function withinMs(ms: number, response: Promise<Response>): Promise<Response | "hang"> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const hang = new Promise<"hang">((resolve) => {
    timer = setTimeout(() => resolve("hang"), ms);
  });
  try {
    return await Promise.race([response, hang]);
  } finally {
    clearTimeout(timer);
  }
}
