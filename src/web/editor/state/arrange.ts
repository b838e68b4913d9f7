/** Auto layout in a worker of the page. */
import { type Graph, moveNodes, type Point } from "../core/graph.ts";
import type { LayoutRequest } from "../core/layout-graph.ts";
import { NODE_WIDTH, nodeHeight } from "../core/node-size.ts";
import { GraphPorts } from "../core/ports.ts";
import type { EditorStore } from "./store.ts";

let made = 0;
let worker: Worker | undefined;

/** Returns the graph with a place for every node, from left to right. Throws if the worker fails. */
export async function arrange(store: EditorStore, graph: Graph): Promise<Graph> {
  const ports = new GraphPorts(store.state.catalog, graph);
  const request: LayoutRequest = {
    nodes: graph.nodes.map(({ id }) => ({
      id,
      width: NODE_WIDTH,
      height: nodeHeight(ports.of(id)),
    })),
    edges: graph.wires.map(({ from, to }) => ({ from: from.node, to: to.node })),
  };
  return moveNodes(graph, await inWorker(request));
}

function inWorker(request: LayoutRequest): Promise<ReadonlyMap<string, Point>> {
  worker ??= new Worker(new URL("../layout-worker.ts", import.meta.url), { type: "module" });
  const used = worker;
  made += 1;
  const job = made;
  return new Promise((resolve, reject) => {
    const stop = new AbortController();
    used.addEventListener(
      "message",
      ({ data }: MessageEvent<{ job: number; places: [string, Point][] }>) => {
        if (data.job === job) {
          stop.abort();
          resolve(new Map(data.places));
        }
      },
      stop,
    );
    used.addEventListener(
      "error",
      (event) => {
        stop.abort();
        worker = undefined;
        reject(new Error(event.message));
      },
      stop,
    );
    used.postMessage({ job, request });
  });
}

/** Arranges the document as one step, or says that it failed. */
export async function arrangeAll(store: EditorStore): Promise<void> {
  const { graph } = store;
  let arranged: Graph;
  try {
    arranged = await arrange(store, graph);
  } catch {
    store.say(store.words("commandFailed"));
    return;
  }
  // Something was edited in between: the places would belong to another document.
  if (store.graph === graph) {
    store.change(arranged, null, { status: store.words("arranged") });
  }
}
