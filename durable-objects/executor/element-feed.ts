import { createHash } from "node:crypto";
import type { ElementPage } from "../../src/contracts/runs/task.ts";
import { fitInput } from "../../src/engine/values/fit-input.ts";
import { DIGEST_CHARS } from "../../src/engine/values/element-digest.ts";
import { NodeError } from "../../src/lib/errors/node-error.ts";
import { withDeadline } from "../../src/lib/with-deadline.ts";
import {
  type AggregatedElements,
  type InputPort,
  NodeInputs,
  type RunValue,
} from "../../src/nodes/define-ports.ts";
import { TaskInputs } from "./task-inputs.ts";

/** What a page takes as text and as values, with the element that is being read. */
export const PAGE_MEMORY_BYTES = 2 * 1024 * 1024;

/** A page that takes longer is a broken connection. */
const PAGE_MAX_MS = 15_000;
const PAGE_DELAYS_MS = [50, 500, 2_000] as const;

export interface FeedParts {
  /** Null where the lease is another's. */
  readonly readPage: (from: number) => Promise<ElementPage | null>;
  /** Throws the reason if the task is over: a node need not observe its signal between two elements. */
  readonly throwIfAborted: () => void;
  readonly files: R2Bucket;
  readonly workspaceId: string;
  /** The ports of the aggregator's columns. */
  readonly ports: readonly InputPort[];
  /** Has room for an element that may take so many bytes, while nothing of the one before is held. */
  readonly makeRoom: (bytes: number) => Promise<void>;
}

/** The elements that an aggregator's task reads [E33], a page at a time, each loaded when it is asked for. */
export class ElementFeed implements AggregatedElements {
  readonly #parts: FeedParts;
  /** [E34] Places and failed elements then belong to what is read. */
  readonly #hasMayFail: boolean;
  readonly #hash = createHash("sha256");
  #passes = 0;
  #bytes = 0;
  #place = -1;
  #failed = 0;

  constructor(parts: FeedParts) {
    this.#parts = parts;
    this.#hasMayFail = parts.ports.some(({ mayFail }) => mayFail === true);
  }

  get place(): number {
    return this.#place;
  }

  get failed(): number {
    return this.#failed;
  }

  /** Throws NodeError: `LEASE_LOST` where the run gives the task to another, `NETWORK_ERROR` where it cannot be reached. */
  async *[Symbol.asyncIterator](): AsyncGenerator<NodeInputs> {
    const { files, workspaceId, throwIfAborted } = this.#parts;
    const isFirst = this.#passes++ === 0;
    const digest = (of: number, what: string) => {
      if (isFirst) {
        this.#hash.update(this.#hasMayFail ? `${of} ${what};` : `${what};`);
      }
    };
    this.#place = -1;
    this.#failed = 0;
    for (let from: number | null = 0; from !== null;) {
      throwIfAborted();
      const page: ElementPage = await this.#page(from);
      this.#failed += page.failed ?? 0;
      for (const [at, element] of page.elements.entries()) {
        throwIfAborted();
        const inputs = new TaskInputs(element);
        await this.#makeRoom(inputs.bytes);
        const loaded = this.#fitted(await inputs.load(files, workspaceId));
        this.#place = page.places?.[at] ?? this.#place + 1;
        if (loaded !== undefined) {
          digest(this.#place, inputs.digest ?? "");
          yield loaded;
        }
      }
      from = page.next;
    }
    await this.#makeRoom(0);
    digest(this.#failed, "whole");
  }

  /** [E28] Of what is read once, and of all elements that were read, in order. */
  digestWith(once: string): string {
    return this.#hash.copy().update(once).digest("base64url").slice(0, DIGEST_CHARS);
  }

  async #page(from: number): Promise<ElementPage> {
    let cause: unknown;
    for (const delayMs of PAGE_DELAYS_MS) {
      try {
        const page = await withDeadline(this.#parts.readPage(from), PAGE_MAX_MS);
        if (page === null) {
          throw new NodeError("LEASE_LOST", "Another executor has taken over this task.", {
            retryable: true,
          });
        }
        return page;
      } catch (error) {
        if (error instanceof NodeError) {
          throw error;
        }
        cause = error;
        await new Promise((resolve) => setTimeout(resolve, delayMs));
      }
    }
    throw new NodeError("NETWORK_ERROR", "The elements of the aggregator could not be read.", {
      retryable: true,
      cause,
    });
  }

  async #makeRoom(bytes: number): Promise<void> {
    const before = this.#bytes;
    this.#bytes = bytes > PAGE_MEMORY_BYTES ? bytes : 0;
    if (this.#bytes !== before) {
      await this.#parts.makeRoom(this.#bytes);
    }
  }

  /**
   * Undefined where a text from R2 does not fit its column: the run has counted the element as failed [E13]. Without the
   * column where that may fail [E34].
   */
  #fitted(inputs: NodeInputs): NodeInputs | undefined {
    const fitted = new Map<string, RunValue | readonly RunValue[]>();
    let isFailed = false;
    for (const port of this.#parts.ports.filter(({ name }) => inputs.has(name))) {
      const value = fittedValue(inputs, port);
      if (value !== undefined) {
        fitted.set(port.name, value);
      } else {
        isFailed = true;
        if (port.mayFail !== true) {
          fitted.clear();
          break;
        }
      }
    }
    this.#failed += isFailed ? 1 : 0;
    return isFailed && fitted.size === 0 ? undefined : new NodeInputs(fitted);
  }
}

/** Undefined for a value that does not fit its port. */
function fittedValue(
  inputs: NodeInputs,
  { name, type, accepts = [], list }: InputPort,
): RunValue | readonly RunValue[] | undefined {
  const port = { port: name, type, accepts };
  try {
    return list === undefined
      ? fitInput(inputs.get(name) as RunValue, port)
      : inputs.list(name).map((value) => fitInput(value, port));
  } catch (error) {
    if (error instanceof NodeError) {
      return undefined;
    }
    throw error;
  }
}
