import { type Listening, listeningOf } from "../../src/domain/webhooks/endpoints/listening.ts";
import type { EndpointEffects } from "./endpoint-effects.ts";
import type { EndpointStore } from "./endpoint-store.ts";

/** The copies of an endpoint's record elsewhere: its row in D1, which lists read, and its entry in the workspace's index. */
export class EndpointCopies {
  readonly #store: EndpointStore;
  readonly #effects: EndpointEffects;
  readonly #baseUrl: string;

  /** `baseUrl`: the configured address of the service; empty for that by which the endpoint was created. */
  constructor(store: EndpointStore, effects: EndpointEffects, baseUrl: string) {
    this.#store = store;
    this.#effects = effects;
    this.#baseUrl = baseUrl;
  }

  get baseUrl(): string {
    return this.#baseUrl === "" ? this.#store.baseUrl : this.#baseUrl;
  }

  /** Announces a change that makes the endpoint listen to more, before the change is made. */
  async widen(wider: Listening): Promise<void> {
    await this.#putIndex(this.#store.revision * 2 + 1, wider);
  }

  /** Sends the current state, and records that revision as sent. */
  async update(nowMs: number): Promise<void> {
    const record = this.#store.endpoint();
    const revision = this.#store.revision;
    await Promise.all([
      this.#effects.putRow(record, revision, nowMs),
      this.#putIndex(revision * 2, listeningOf(record)),
    ]);
    this.#store.markSynced(revision);
  }

  async #putIndex(seq: number, listening: Listening): Promise<void> {
    const { id, workspace_id } = this.#store.endpoint();
    await this.#effects.putIndex(workspace_id, {
      v: 1,
      endpoint_id: id,
      seq,
      base_url: this.baseUrl,
      ...listening,
    });
  }
}
