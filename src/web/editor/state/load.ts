/** Loading: the catalog, the workflow, and what controls and templates need. */
import { isJsonObject, type JsonValue } from "../../../lib/json/exact-json.ts";
import { type Graph, readGraph } from "../core/graph.ts";
import { startHistory } from "../core/history.ts";
import { type CatalogEntry, type FieldPort, TEMPLATE_PARAMETER } from "../core/ports.ts";
import { type ApiAnswer, problemOf } from "../core/save-workflow.ts";
import { arrange } from "./arrange.ts";
import type { EditorStore } from "./store.ts";
import { scheduleCheck } from "./check.ts";

/** Loads the catalog, then the workflow with the details of its node types. A failure is a state of the editor. */
export async function load(store: EditorStore): Promise<void> {
  store.set({ phase: "loading", failure: "" });
  try {
    const listed = dataOf(await get(store, "/node-types"));
    // The catalog's own format (docs/contract/catalog.md#node-types); its entries are read member by member.
    const entries = listed.filter((entry) => isJsonObject(entry)) as unknown as CatalogEntry[];
    store.set({
      catalog: {
        ...store.state.catalog,
        entries: new Map(entries.map((entry) => [entry.type, entry])),
      },
    });
    await loadWorkflow(store);
    store.set({ phase: "ready" });
    store.host.ready();
  } catch (error) {
    const failure = error instanceof Error ? error.message : String(error);
    store.set({ phase: "failed", failure });
    store.host.fail(error instanceof ApiError ? error.code : "network", failure);
  }
}

/** A refusal of the service, with its code. */
export class ApiError extends Error {
  readonly code: string;

  constructor(answer: ApiAnswer) {
    const { code, message } = problemOf(answer);
    super(message);
    // Why a token was refused; hosts know it from the pages.
    const reason = isJsonObject(answer.body) ? answer.body["reason"] : undefined;
    this.code = typeof reason === "string" ? reason : code;
  }
}

async function get(store: EditorStore, path: string): Promise<JsonValue> {
  const answer = await store.api.send("GET", path);
  if (answer.status !== 200) {
    throw new ApiError(answer);
  }
  return answer.body;
}

function dataOf(body: JsonValue): readonly JsonValue[] {
  const data = isJsonObject(body) ? body["data"] : undefined;
  return Array.isArray(data) ? (data as readonly JsonValue[]) : [];
}

/** Reads the workflow, and makes its definition the document without a step to undo. */
export async function loadWorkflow(store: EditorStore): Promise<void> {
  const { id } = store.state.workflow;
  if (id === null) {
    return;
  }
  const [detail, definition] = await Promise.all([
    get(store, `/workflows/${id}`),
    store.api.send("GET", `/workflows/${id}/definition`),
  ]);
  if (definition.status !== 200) {
    throw new ApiError(definition);
  }
  const { name, version, status } = isJsonObject(detail) ? detail : {};
  const { graph, skipped } = readGraph(definition.body);
  await Promise.all(
    [...new Set(graph.nodes.map(({ type }) => type))].map((type) => loadDetail(store, type)),
  );
  await loadTemplates(store, graph);
  const shown = graph.nodes.some(({ position }) => position === undefined)
    ? await arrange(store, graph)
    : graph;
  const title = typeof name === "string" ? name : store.state.workflow.name;
  store.travel(startHistory(shown), {
    workflow: {
      id,
      name: title,
      version: typeof version === "number" ? version : 0,
      etag: definition.etag,
    },
    stored: skipped === 0 ? shown : null,
    isPublished: status === "published",
    hasConflict: false,
    run: null,
    status:
      skipped === 0
        ? store.words("loaded", { name: title, count: graph.nodes.length })
        : store.words("loadedSkipped", { name: title, count: skipped }),
  });
  scheduleCheck(store);
}

const asked = new WeakMap<EditorStore, Map<string, Promise<void>>>();

/** Loads something once; a failure may be tried again. */
function once(store: EditorStore, key: string, load: () => Promise<void>): Promise<void> {
  const known = asked.get(store) ?? new Map<string, Promise<void>>();
  asked.set(store, known);
  const running = known.get(key) ?? load();
  known.set(key, running);
  running.catch(() => known.delete(key));
  return running;
}

/** Loads the detail view of a node type, with its dynamic ports. Types that the catalog does not have are left. */
export async function loadDetail(store: EditorStore, type: string): Promise<void> {
  if (!store.state.catalog.entries.has(type)) {
    return;
  }
  await once(store, `type ${type}`, async () => {
    const answer = await store.api.send("GET", `/node-types/${type}`);
    if (answer.status === 200 && isJsonObject(answer.body)) {
      const entry = answer.body as unknown as CatalogEntry;
      const { catalog } = store.state;
      store.set({ catalog: { ...catalog, entries: new Map(catalog.entries).set(type, entry) } });
    }
  }).catch(() => undefined);
}

async function loadTemplates(store: EditorStore, graph: Graph): Promise<void> {
  const ids = graph.nodes.map(({ parameters }) => parameters[TEMPLATE_PARAMETER]);
  await Promise.all(
    [...new Set(ids)].map((id) =>
      typeof id === "string" ? loadTemplate(store, id) : Promise.resolve(),
    ),
  );
}

/** Loads the fields of a template's latest revision, which are ports of the nodes that fill it. */
export async function loadTemplate(store: EditorStore, id: string): Promise<void> {
  // Ids of templates have these characters only; the text comes from a definition.
  if (!/^tpl_[0-9a-f]{32}$/.test(id)) {
    return;
  }
  await once(store, `template ${id}`, async () => {
    const template = await get(store, `/design-templates/${id}`);
    const { latest_revision: revision, name } = isJsonObject(template) ? template : {};
    if (typeof name === "string") {
      store.set({ templateNames: new Map(store.state.templateNames).set(id, name) });
    }
    if (typeof revision !== "number" || revision < 1) {
      return;
    }
    const contract = await get(
      store,
      `/design-templates/${id}/versions/${String(revision)}/contract`,
    );
    const fields = isJsonObject(contract) ? contract["fields"] : undefined;
    const { catalog } = store.state;
    const read = Array.isArray(fields) ? (fields as readonly JsonValue[]).flatMap(fieldOf) : [];
    const templateFields = new Map(catalog.templateFields).set(id, read);
    store.set({ catalog: { ...catalog, templateFields } });
  }).catch(() => undefined);
}

/** Port types of fields that have another name (docs/contract/templates.md#nodes). */
const FIELD_TYPES: Readonly<Record<string, string>> = { date: "text", color: "text", list: "json" };

function fieldOf(field: JsonValue): FieldPort[] {
  const { code, type } = isJsonObject(field) ? field : {};
  if (typeof code !== "string" || typeof type !== "string") {
    return [];
  }
  return [{ name: code, type: FIELD_TYPES[type] ?? type, label: code }];
}

/** The entries of a list of the catalog; undefined until they are loaded, empty if they cannot be. */
export function resource(store: EditorStore, path: string): readonly JsonValue[] | undefined {
  const known = store.state.resources.get(path);
  if (known === undefined) {
    void once(store, path, async () => {
      await Promise.resolve();
      store.set({ resources: new Map(store.state.resources).set(path, null) });
      const answer = await store.api.send("GET", path);
      const body = answer.status === 200 ? answer.body : { data: [] };
      store.set({ resources: new Map(store.state.resources).set(path, body) });
    }).catch(() => undefined);
    return undefined;
  }
  if (known === null) {
    return undefined;
  }
  const capabilities = isJsonObject(known) ? known["capabilities"] : undefined;
  return Array.isArray(capabilities) ? (capabilities as readonly JsonValue[]) : dataOf(known);
}
