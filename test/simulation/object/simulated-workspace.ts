/** The services that the run calls: its workspace with its credits, and one webhook endpoint. */
import type {
  AcknowledgeRequest,
  CloseOutcome,
  CloseRequest,
  ReleaseRequest,
  ReserveOutcome,
  ReserveRequest,
  SettleRequest,
} from "../../../src/contracts/workspaces/admission.ts";
import { ReferenceLedger } from "../../support/reference-ledger.ts";
import type { ObjectWorld } from "./object-world.ts";

const ENDPOINT = "whe_1";

export class SimulatedWorkspace {
  readonly ledger = new ReferenceLedger();
  readonly #granted: number;
  readonly hasEndpoint: boolean;
  /** Milli-credits of the run when it was closed. */
  settled: number | undefined;
  /** It repeats the start until the run has its own alarm, or has ended. */
  isStartKept = true;
  /** Events that the endpoint received, without repeats. */
  readonly told = new Set<string>();
  /** The cost of one run of a node at the run's admission. */
  priceOf: (nodeId: string) => number = () => 1;
  /** The owner of these calls; created after its environment. */
  world: ObjectWorld | undefined;

  constructor(balance: number, runId: string, reservedAtAdmission: number, hasEndpoint: boolean) {
    this.#granted = balance + reservedAtAdmission;
    this.hasEndpoint = hasEndpoint;
    this.ledger.grant("start", this.#granted);
    this.ledger.reserve(runId, -1, reservedAtAdmission);
  }

  /** The problem with the credits, undefined if there is none. */
  problem(): string | undefined {
    const { balance, held, spent } = this.ledger;
    return Math.min(balance, held, spent) < 0 || balance + held + spent !== this.#granted
      ? `credits are not conserved: ${JSON.stringify({ balance, held, spent, of: this.#granted })}`
      : undefined;
  }

  /** The bindings that lead here. */
  get bindings() {
    const stub = {
      reserve: (request: ReserveRequest) => this.#call(() => this.#reserve(request)),
      settle: (request: SettleRequest) =>
        this.#call(() => {
          if (this.settled === undefined) {
            this.ledger.settle(request.run_id, request.cumulative_milli_credits);
          }
        }),
      release: (request: ReleaseRequest) =>
        this.#call(() => {
          this.ledger.release(request.run_id, request.seq, request.milli_credits);
        }),
      acknowledge: (_request: AcknowledgeRequest) =>
        this.#call(() => {
          this.isStartKept = false;
        }),
      close: (request: CloseRequest) => this.#call(() => this.#close(request)),
    };
    const endpoint = {
      accept: ({ event_id: id, body }: { event_id: string; body: string }) =>
        this.#call(() => {
          this.told.add(`${id} ${body}`);
        }),
    };
    return {
      WORKSPACE: { idFromName: (name: string) => name, get: () => stub },
      WEBHOOK_ENDPOINT: { idFromName: (name: string) => name, get: () => endpoint },
    };
  }

  #reserve({ run_id: run, seq, node_id, milli_credits: milli }: ReserveRequest): ReserveOutcome {
    const price = this.priceOf(node_id);
    if (price === 0 || milli % price !== 0) {
      this.world!.violations.push(`"${node_id}" costs ${price} a run and asks for ${milli}`);
    }
    const isReserved = this.settled === undefined && this.ledger.reserve(run, seq, milli);
    return isReserved
      ? { kind: "reserved" }
      : { kind: "insufficient_credits", balance_milli_credits: this.ledger.balance };
  }

  #close({ run_id: run, settled_milli_credits: milli, is_unguarded }: CloseRequest): CloseOutcome {
    this.isStartKept &&= is_unguarded === true && this.hasEndpoint;
    this.settled ??= this.ledger.close(run, milli);
    return { webhook_endpoints: this.hasEndpoint ? [ENDPOINT] : [], base_url: "https://x.test" };
  }

  #call<T>(make: () => T): Promise<T> {
    return this.world!.call(() => {
      const made = make();
      const problem = this.problem();
      if (problem !== undefined) {
        this.world!.violations.push(problem);
      }
      return made;
    });
  }
}
