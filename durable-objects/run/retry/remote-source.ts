/** The source of a retry, read from the object of that run a page at a time. */
import type { OpenedSource, SourceCell } from "../../../src/contracts/runs/run-source.ts";
import type { DriverSource } from "../../../src/engine/drive/driver-source.ts";
import { restoreLayout } from "../../../src/engine/drive/restore-layout.ts";
import type { SourceRows, SourceRun } from "../../../src/engine/reuse/source-run.ts";
import type { Result } from "../../../src/lib/result.ts";
import type { Env } from "../../../src/platform/env.ts";
import { runObject } from "../../../src/storage/objects/run-object.ts";
import type { RunMetadata } from "../live-run.ts";
import { runLogger } from "../run-logging.ts";
import type { RunStore } from "../state/run-store.ts";
import { decodeState } from "../state/state-text.ts";
import { sourcePlan } from "./source-plan.ts";

/** Metadata: the source cannot be read any more, and everything is worked out. */
export const SOURCE_LOST_KEY = "source_lost";

/** Elements of a node that are asked for together. */
const PAGE_ELEMENTS = 256;
/** Characters of pages that are kept: readers go back only to what feeds them. */
const KEPT_CHARS = 4 * 1024 * 1024;

/** The source can never be read: the run goes on without it when it next wakes. */
class SourceLost extends Error {
  override readonly name = "SourceLost";
}

/** The source of a run that takes elements over; undefined for a run that does not, or not any more. */
export function remoteSource(
  env: Env,
  metadata: RunMetadata,
  store: RunStore,
): DriverSource | undefined {
  const { retry } = metadata;
  if (retry === undefined || store.getMetadata(SOURCE_LOST_KEY) !== undefined) {
    return undefined;
  }
  const { source, rerun } = retry;
  return {
    open: async () => {
      // A crash must not lose the holder that the source is about to know.
      store.keep();
      const opened = await openRun(env, metadata, source);
      if (opened === undefined) {
        runLogger(metadata).error("run.source_lost", { source });
        store.putMetadata(SOURCE_LOST_KEY, 1);
        throw new SourceLost(`The run ${source} cannot be read any more.`);
      }
      return opened;
    },
    ...(rerun != null && {
      rerun: { node: rerun.node, ...(rerun.indices !== null && { indices: rerun.indices }) },
    }),
  };
}

/** Undefined for a run whose values were deleted, or whose definition this code compiles to another plan. */
async function openRun(
  env: Env,
  { workspace_id, run_id }: RunMetadata,
  source: string,
): Promise<SourceRun | undefined> {
  const api = runObject({ env }, source);
  const found = (await api.openSource({
    v: 1,
    workspace_id,
    holder: run_id,
  })) as Result<OpenedSource>;
  if (!found.ok) {
    if (found.code === "service_unavailable") {
      throw new Error(`The run ${source} could not be opened: ${found.message}`);
    }
    return undefined;
  }
  const opened = found.value;
  const made = sourcePlan(workspace_id, opened, opened.outline);
  if (made === undefined) {
    return undefined;
  }
  const state = decodeState(opened.state);
  const axes = Map.groupBy(opened.axis_rows, ({ axis }) => axis);
  const axisRows = (axis: number) => axes.get(axis) ?? [];
  return {
    id: source,
    plan: made.plan,
    versions: made.outline.nodes.map(({ version }) => version),
    state,
    layout: restoreLayout(made.plan, state, { axisRows }),
    axisRows,
    notes: new Map(opened.notes),
    rows: new RemoteRows(env, workspace_id, source),
  };
}

/** Cells of a node by their elements. */
interface Page {
  readonly cells: Map<number, SourceCell>;
  chars: number;
}

function newPage(): Page {
  return { cells: new Map(), chars: 0 };
}

/** Pages of cells, the least recently used of which are dropped. */
class RemoteRows implements SourceRows {
  readonly #env: Env;
  readonly #workspaceId: string;
  readonly #source: string;
  readonly #pages = new Map<string, Page>();
  #chars = 0;

  constructor(env: Env, workspaceId: string, source: string) {
    this.#env = env;
    this.#workspaceId = workspaceId;
    this.#source = source;
  }

  async cells(wanted: ReadonlyMap<number, readonly number[]>): Promise<readonly SourceCell[]> {
    const found: SourceCell[] = [];
    const places = [...wanted].flatMap(([node, elements]) =>
      [...Map.groupBy(elements, pageOf)].map(([page, of]) => ({ node, page, elements: of })),
    );
    for (const [page, nodes] of Map.groupBy(places, (place) => place.page)) {
      const pages = await this.#pagesOf(
        page,
        nodes.map(({ node }) => node),
      );
      for (const { node, elements } of nodes) {
        found.push(...elements.flatMap((element) => pages.get(node)?.cells.get(element) ?? []));
      }
    }
    return found;
  }

  /** The same page of several nodes. Those that are not kept are read together. */
  async #pagesOf(page: number, nodes: readonly number[]): Promise<ReadonlyMap<number, Page>> {
    const pages = new Map<number, Page>();
    const missing: number[] = [];
    for (const node of nodes) {
      const key = `${node}.${page}`;
      const known = this.#pages.get(key);
      if (known === undefined) {
        missing.push(node);
      } else {
        this.#pages.delete(key);
        this.#pages.set(key, known);
        pages.set(node, known);
      }
    }
    const [first, ...beside] = missing;
    if (first !== undefined) {
      for (const [node, read] of await this.#read(page, first, beside)) {
        pages.set(node, read);
        this.#keep(`${node}.${page}`, read);
      }
    }
    return pages;
  }

  async #read(
    page: number,
    node: number,
    beside: readonly number[],
  ): Promise<ReadonlyMap<number, Page>> {
    const pages = new Map([node, ...beside].map((each) => [each, newPage()]));
    const to = (page + 1) * PAGE_ELEMENTS;
    for (let from: number | null = page * PAGE_ELEMENTS; from !== null;) {
      const read = await runObject({ env: this.#env }, this.#source).readSource({
        v: 1,
        workspace_id: this.#workspaceId,
        node,
        ...(beside.length > 0 && { beside }),
        from,
        to,
      });
      if (!read.ok) {
        throw new Error(`The run ${this.#source} could not be read: ${read.code}`);
      }
      for (const cell of read.value.cells) {
        const of = pages.get(cell.node);
        if (of !== undefined) {
          of.cells.set(cell.element, cell);
          of.chars += cell.body.length;
        }
      }
      from = read.value.next;
    }
    return pages;
  }

  #keep(key: string, page: Page): void {
    this.#pages.set(key, page);
    this.#chars += page.chars;
    for (const [oldest, { chars }] of this.#pages) {
      if (this.#chars <= KEPT_CHARS || oldest === key) {
        return;
      }
      this.#pages.delete(oldest);
      this.#chars -= chars;
    }
  }
}

function pageOf(element: number): number {
  return Math.floor(element / PAGE_ELEMENTS);
}
