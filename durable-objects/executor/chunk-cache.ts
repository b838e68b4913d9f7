/** The result cache as the tasks of one chunk use it: look-ups of tasks that ask at about the same time are one call. */
import type {
  CacheEntry,
  CachedObject,
  KeptEntry,
  ResultCacheApi,
  WantedEntry,
} from "../../src/contracts/runs/result-cache.ts";
import type {
  Claim,
  LeasedTask,
  NodeCache,
  ReportResponse,
  TaskReport,
} from "../../src/contracts/runs/task.ts";
import { filesOf, type ReferredFiles } from "../../src/engine/reuse/cache-entry.ts";
import { inputsKey, receivedKey } from "../../src/engine/reuse/cache-key.ts";
import { describeCause } from "../../src/lib/errors/describe-cause.ts";
import type { FileRef } from "../../src/lib/files/file-ref.ts";
import { LIMITS } from "../../src/lib/limits/limits-table.ts";
import { withDeadline } from "../../src/lib/with-deadline.ts";
import type { TaskEnv } from "../../src/platform/env.ts";
import type { Logger } from "../../src/platform/logger.ts";
import { cacheOf } from "../../src/storage/objects/cache-objects.ts";
import { ANSWER_MAX_MS, WholeEntries } from "../cache/whole-entries.ts";
import { namedInStored } from "./named-in-stored.ts";

/** How long the first look-up waits for others. */
const GATHER_MS = 2;
/** Characters of an entry's values. Their row has its own limit in bytes, which `cache-store` knows. */
const OUTPUTS_CHARS_MAX = 1_500_000;
/** Stored objects of an entry, all of which each look-up that finds it asks for. */
const OBJECTS_MAX = 200;
const BYTES_MAX = LIMITS.cache_entry.value;

interface Waiting {
  readonly want: WantedEntry;
  readonly resolve: (entry: KeptEntry | null) => void;
}

/** What is known of a task's result before it is reported. */
interface Pending {
  readonly key: string;
  readonly node: NodeCache;
  readonly type: string;
  readonly unread: readonly string[];
}

export class ChunkCache {
  readonly #env: TaskEnv;
  readonly #claim: Pick<Claim, "workspace_id" | "run_id" | "cache">;
  readonly #log: Logger;
  #waiting: Waiting[] = [];
  readonly #pending = new Map<number, Pending>();
  readonly #writes = new Set<Promise<void>>();
  #reading: Promise<void> = Promise.resolve();
  readonly #whole: WholeEntries;

  constructor(env: TaskEnv, claim: Pick<Claim, "workspace_id" | "run_id" | "cache">, log: Logger) {
    this.#env = env;
    this.#claim = claim;
    this.#log = log;
    this.#whole = new WholeEntries(env.FILES, claim.workspace_id);
  }

  /** Whether a task's node uses the cache. */
  uses({ node_id: id }: Pick<LeasedTask, "node_id">): boolean {
    return this.#nodeOf(id) !== undefined;
  }

  /**
   * [E42] Returns the result of a task whose inputs have this digest; null if the cache has none, or cannot be reached. The
   * task's own result is then kept with `write`. A task that has waited goes on with what it has begun, so it is not looked
   * up again. Never throws.
   */
  async find(task: LeasedTask, inputs: string): Promise<KeptEntry | null> {
    const node = this.#nodeOf(task.node_id);
    if (node === undefined) {
      return null;
    }
    const { workspace_id: workspaceId } = this.#claim;
    const { received } = task;
    const key =
      received === undefined
        ? inputsKey(workspaceId, node.definition, inputs)
        : receivedKey(workspaceId, node.definition, received);
    const unread = task.unread_ports ?? [];
    const want = { key, max_age: node.max_age, unread_ports: unread };
    const mustAsk = task.token === undefined && received === undefined;
    const found = mustAsk ? await this.#wholeEntry(want) : null;
    if (found === null && node.writes) {
      this.#pending.set(task.task_id, { key, node, type: task.node_type, unread });
    }
    return found;
  }

  /** A node's id may be a name that all objects have. */
  #nodeOf(id: string): NodeCache | undefined {
    const nodes = this.#claim.cache?.nodes ?? {};
    return Object.hasOwn(nodes, id) ? nodes[id] : undefined;
  }

  /** A damaged entry is dropped; one whose files cannot be asked for is only not taken. */
  async #wholeEntry(want: WantedEntry): Promise<KeptEntry | null> {
    const found = await new Promise<KeptEntry | null>((resolve) => {
      this.#waiting.push({ want, resolve });
      if (this.#waiting.length === 1) {
        setTimeout(() => void this.#ask(), GATHER_MS);
      }
    });
    if (found === null) {
      return null;
    }
    try {
      if (await this.#whole.isWhole(found)) {
        return found;
      }
      this.#drop(found);
    } catch (error) {
      this.#log.error("cache.unreachable", { cause: describeCause(error) });
    }
    return null;
  }

  /** The task's result is not to be kept. */
  forget(taskId: number): void {
    this.#pending.delete(taskId);
  }

  /** Keeps the reported results that the run has `accepted`, after the call: the files of others may be deleted. */
  write(reports: readonly TaskReport[], accepted: ReportResponse["accepted"] = []): void {
    const ids = new Set(accepted === true ? [] : accepted);
    const kept = reports.flatMap((report) => {
      const pending = ids.has(report.task_id) ? this.#pending.get(report.task_id) : undefined;
      return pending === undefined || report.outcome.kind !== "ok" ? [] : [{ report, pending }];
    });
    for (const { report } of kept) {
      this.#pending.delete(report.task_id);
    }
    if (kept.length > 0) {
      const writing = this.#writeAll(kept).catch((error: unknown) => {
        this.#log.error("cache.not_written", { cause: describeCause(error) });
      });
      this.#writes.add(writing);
      void writing.finally(() => this.#writes.delete(writing));
    }
  }

  /** Resolves when everything is written. */
  async drain(): Promise<void> {
    await Promise.all(this.#writes);
  }

  async #ask(): Promise<void> {
    const waiting = this.#waiting;
    this.#waiting = [];
    const digits = Map.groupBy(waiting, ({ want }) => want.key.slice(0, 1));
    await Promise.all(
      [...digits].map(async ([digit, theirs]) => {
        const found = await this.#lookUp(
          digit,
          theirs.map(({ want }) => want),
        );
        for (const [at, { resolve }] of theirs.entries()) {
          resolve(found[at] ?? null);
        }
      }),
    );
  }

  async #lookUp(
    digit: string,
    wanted: readonly WantedEntry[],
  ): Promise<readonly (KeptEntry | null)[]> {
    const { workspace_id, run_id: execution } = this.#claim;
    try {
      return await withDeadline(
        this.#object(digit).lookUp({ v: 1, workspace_id, execution, wanted }),
        ANSWER_MAX_MS,
      );
    } catch (error) {
      this.#log.error("cache.unreachable", { cause: describeCause(error) });
      return [];
    }
  }

  #drop({ key, execution }: KeptEntry): void {
    const { workspace_id } = this.#claim;
    this.#log.info("cache.entry_damaged", { key, execution });
    const dropping = withDeadline(
      this.#object(key.slice(0, 1)).drop({ v: 1, workspace_id, entries: [{ key, execution }] }),
      ANSWER_MAX_MS,
    ).catch((error: unknown) => {
      this.#log.error("cache.unreachable", { cause: describeCause(error) });
    });
    this.#writes.add(dropping);
    void dropping.finally(() => this.#writes.delete(dropping));
  }

  async #writeAll(
    kept: readonly { readonly report: TaskReport; readonly pending: Pending }[],
  ): Promise<void> {
    const { workspace_id, cache } = this.#claim;
    const made = await Promise.all(
      kept.map(({ report, pending }) => this.#entryOf(report, pending)),
    );
    const entries = made.filter((entry) => entry !== undefined);
    const digits = Map.groupBy(entries, ({ key }) => key.slice(0, 1));
    await Promise.all(
      [...digits].map(async ([digit, theirs]) => {
        if (cache !== undefined) {
          await withDeadline(
            this.#object(digit).write({
              v: 1,
              workspace_id,
              bounds: cache.bounds,
              entries: theirs,
            }),
            ANSWER_MAX_MS,
          );
        }
      }),
    );
  }

  async #entryOf(
    { outcome, charge, digests }: TaskReport,
    { key, node, type, unread }: Pending,
  ): Promise<CacheEntry | undefined> {
    const { workspace_id, run_id: execution, cache } = this.#claim;
    const outputs = outcome.kind === "ok" ? outcome.outputs : [];
    const files = filesOf(workspace_id, execution, outputs);
    const chars = outputs.reduce((sum, { port, value }) => sum + port.length + value.length, 0);
    if (files === undefined || chars > OUTPUTS_CHARS_MAX || chars + files.bytes > BYTES_MAX) {
      return undefined;
    }
    const stored = await this.#objectsOf(files);
    const bytes = chars + files.bytes + (stored?.namedBytes ?? 0);
    if (stored === undefined || bytes > BYTES_MAX) {
      return undefined;
    }
    return {
      key,
      node_type: type,
      workflow: cache?.workflow ?? "",
      execution,
      outputs,
      unread_ports: unread,
      digest: digests?.outputs ?? "",
      milli_credits: Math.min(charge?.milli_credits ?? node.milli_credits, node.milli_credits),
      objects: stored.objects,
      bytes,
    };
  }

  /**
   * The objects of the files, with those that JSON names, and the bytes of the latter. Undefined if one is gone, if there are
   * too many, or if what names them cannot be read.
   */
  async #objectsOf(
    files: ReferredFiles,
  ): Promise<{ objects: CachedObject[]; namedBytes: number } | undefined> {
    const named = new Set(files.named);
    for (const file of files.spilled) {
      const more = await this.#namedIn(file);
      if (more === undefined) {
        return undefined;
      }
      more.forEach((key) => named.add(key));
    }
    const known = new Set(files.objects.map(({ key }) => key));
    const keys = [...new Set([...known, ...named])];
    if (keys.length > OBJECTS_MAX) {
      return undefined;
    }
    const objects: CachedObject[] = [];
    let namedBytes = 0;
    for (const key of keys) {
      const head = await this.#whole.head(key);
      if (head === null) {
        return undefined;
      }
      objects.push({ key, etag: head.etag });
      namedBytes += known.has(key) ? 0 : head.size;
    }
    return { objects, namedBytes };
  }

  /** One after another, since each takes memory. */
  #namedIn(file: FileRef): Promise<readonly string[] | undefined> {
    const { workspace_id, run_id: execution } = this.#claim;
    const reading = this.#reading.then(() =>
      namedInStored(this.#env.FILES, workspace_id, execution, file),
    );
    this.#reading = reading.then(
      () => undefined,
      () => undefined,
    );
    return reading;
  }

  #object(digit: string): Pick<ResultCacheApi, "lookUp" | "write" | "drop"> {
    return cacheOf(this.#env, this.#claim.workspace_id, digit);
  }
}
