/** Edits of the document: what the palette, the canvas, the panel, the list and the keyboard do. */
import type { JsonValue } from "../../../lib/json/exact-json.ts";
import {
  connect,
  dropLostWires,
  endsAt,
  fittingPorts,
  type Picked,
  refusalText,
} from "../core/connect.ts";
import {
  addNode,
  type End,
  findNode,
  freeNodeId,
  type Graph,
  moveNodes,
  type Point,
  removeNodes,
  removeWires,
  setLabel,
  setParameter,
  titleOf,
} from "../core/graph.ts";
import { redo, undo } from "../core/history.ts";
import { NODE_WIDTH } from "../core/node-size.ts";
import type { CatalogEntry } from "../core/ports.ts";
import { loadDetail } from "./load.ts";
import type { EditorStore } from "./store.ts";

/** Distance of a new node from the one beside it, in pixels of the canvas. */
const GAP = 60;

/** Name of a node for messages. */
export function nameOf(store: EditorStore, id: string): string {
  const node = findNode(store.graph, id);
  return node === undefined ? id : titleOf(node, store.state.catalog.entries.get(node.type)?.name);
}

/**
 * Adds a node at a place, or beside the selected one. A wire that was dropped on the canvas is connected to the first
 * port that fits.
 */
export function addNodeOf(store: EditorStore, entry: CatalogEntry, at?: Point): string | undefined {
  if (!store.state.canEdit) {
    return undefined;
  }
  const { dropped, catalog } = store.state;
  const id = freeNodeId(new Set(store.graph.nodes.map((node) => node.id)), entry.type);
  const position = dropped?.at ?? at ?? freePlace(store);
  let graph = addNode(store.graph, { id, type: entry.type, parameters: {}, position });
  let name = store.words("added", { name: entry.name });
  if (dropped !== null) {
    const [port] = fittingPorts(entry, dropped);
    const end = { node: id, port: port ?? "" };
    const made =
      dropped.side === "from"
        ? connect(catalog, graph, dropped.end, end)
        : connect(catalog, graph, end, dropped.end);
    if ("graph" in made) {
      ({ graph } = made);
    } else {
      name += ` ${refusalText(store.words, made.refusal)}`;
    }
  }
  store.change(graph, null, {
    selection: new Set([id]),
    selectedWires: new Set(),
    dropped: null,
    isPaletteOpen: false,
    tab: "node",
    status: name,
  });
  void loadDetail(store, entry.type);
  return id;
}

/** Right of the selected node, else right of all nodes, on the height of the first. */
function freePlace(store: EditorStore): Point {
  const { nodes } = store.graph;
  const selected = nodes.find(({ id }) => store.state.selection.has(id)) ?? nodes.at(-1);
  if (selected === undefined) {
    return { x: 0, y: 0 };
  }
  let place = { x: (selected.position?.x ?? 0) + NODE_WIDTH + GAP, y: selected.position?.y ?? 0 };
  const isTaken = (): boolean =>
    nodes.some(
      ({ position }) =>
        position !== undefined &&
        Math.abs(position.x - place.x) < NODE_WIDTH &&
        Math.abs(position.y - place.y) < 120,
    );
  for (let tries = 0; isTaken() && tries < nodes.length; tries += 1) {
    place = { ...place, y: place.y + 140 };
  }
  return place;
}

/** Picks an end, or connects it with the one that is picked. Picking it again lets it go. */
export function pick(store: EditorStore, end: Picked): void {
  const { picked, canEdit } = store.state;
  if (!canEdit) {
    return;
  }
  if (picked === null || picked.side === end.side) {
    const isSame =
      picked?.node === end.node && picked.port === end.port && picked.side === end.side;
    const name = `${nameOf(store, end.node)}, ${end.port}`;
    store.set({
      picked: isSame ? null : end,
      status: isSame ? "" : store.words(end.side === "out" ? "picked" : "pickedInput", { name }),
    });
    return;
  }
  const [from, to] = end.side === "in" ? [picked, end] : [end, picked];
  if (connectEnds(store, from, to)) {
    store.set({ picked: null });
  }
}

/** Connects an output with an input, or says why not. */
export function connectEnds(store: EditorStore, from: End, to: End): boolean {
  const [output, input] = [
    { node: from.node, port: from.port },
    { node: to.node, port: to.port },
  ];
  const made = connect(store.state.catalog, store.graph, output, input);
  if ("refusal" in made) {
    store.say(refusalText(store.words, made.refusal));
    return false;
  }
  store.change(made.graph, null, {
    status: store.words("connected", {
      from: `${nameOf(store, from.node)}, ${from.port}`,
      to: `${nameOf(store, to.node)}, ${to.port}`,
    }),
  });
  return true;
}

/** In the list view: makes one output the source of an input, or none; in one step. */
export function chooseSource(
  store: EditorStore,
  to: End,
  from: End | null,
  replaced?: string,
): void {
  const isReplaced = (wire: { readonly id: string }): boolean =>
    replaced === undefined ? false : wire.id === replaced;
  const wires = store.graph.wires.filter((wire) => !(endsAt(wire, to) && isReplaced(wire)));
  const without: Graph = { ...store.graph, wires };
  if (from === null) {
    store.change(without, null, { status: store.words("disconnected", { to: to.port }) });
    return;
  }
  const made = connect(store.state.catalog, without, from, to);
  if ("refusal" in made) {
    store.say(refusalText(store.words, made.refusal));
    return;
  }
  // Kept at its place: the order of connections is the order of a list's elements.
  const at = store.graph.wires.findIndex(({ id }) => id === replaced);
  const wire = made.graph.wires.at(-1);
  const ordered = at === -1 || wire === undefined ? made.graph.wires : wires.toSpliced(at, 0, wire);
  store.change({ ...made.graph, wires: ordered }, null, {
    status: store.words("connected", {
      from: `${nameOf(store, from.node)}, ${from.port}`,
      to: to.port,
    }),
  });
}

/** Sets a parameter. Wires of ports that are gone with it are removed in the same step, and named. */
export function changeParameter(
  store: EditorStore,
  id: string,
  name: string,
  value: JsonValue | undefined,
  burst: string | null,
): void {
  const { catalog } = store.state;
  const after = setParameter(store.graph, id, name, value);
  const { graph, lost } = dropLostWires(catalog, store.graph, after, new Set([id]));
  const names = lost.map(({ from, to }) => `${from.node}.${from.port} – ${to.node}.${to.port}`);
  store.change(
    graph,
    burst,
    lost.length === 0 ? {} : { status: store.words("lostWires", { names: names.join(", ") }) },
  );
}

export function changeLabel(store: EditorStore, id: string, label: string): void {
  store.change(setLabel(store.graph, id, label), `label ${id}`);
}

/** Moves the selected nodes. Several presses of an arrow in a row are one step. */
export function moveSelected(store: EditorStore, by: Point): void {
  const { selection } = store.state;
  const positions = new Map(
    store.graph.nodes
      .filter(({ id }) => selection.has(id))
      .map(({ id, position }) => [
        id,
        { x: (position?.x ?? 0) + by.x, y: (position?.y ?? 0) + by.y },
      ]),
  );
  if (positions.size > 0) {
    store.change(moveNodes(store.graph, positions), "arrows", { status: store.words("moved") });
  }
}

/** Deletes the selected nodes and wires. */
export function deleteSelected(store: EditorStore): void {
  const { selection, selectedWires, words } = { ...store.state, words: store.words };
  if (selection.size === 0 && selectedWires.size === 0) {
    return;
  }
  const [only] = selection;
  const status =
    selection.size === 0
      ? words("removedWires", { count: selectedWires.size })
      : selection.size === 1 && only !== undefined
        ? words("removedOne", { name: nameOf(store, only) })
        : words("removed", { count: selection.size });
  store.change(removeWires(removeNodes(store.graph, selection), selectedWires), null, {
    selection: new Set(),
    selectedWires: new Set(),
    picked: null,
    status,
  });
}

export function undoStep(store: EditorStore): void {
  const history = undo(store.state.history);
  if (history === store.state.history || !store.state.canEdit) {
    store.say(store.words("nothingToUndo"));
  } else {
    store.travel(history, { status: store.words("undone") });
  }
}

export function redoStep(store: EditorStore): void {
  const history = redo(store.state.history);
  if (history === store.state.history || !store.state.canEdit) {
    store.say(store.words("nothingToRedo"));
  } else {
    store.travel(history, { status: store.words("redone") });
  }
}

export function selectNodes(store: EditorStore, ids: Iterable<string>): void {
  store.set({ selection: new Set(ids), selectedWires: new Set(), tab: "node" });
}

/** Shows a node, selects it, and moves the focus to it or to one of its parameters. */
export function goTo(store: EditorStore, node: string | null, parameter: string | null): void {
  const { goal } = store.state;
  store.set({
    goal: { node, parameter, n: goal.n + 1 },
    ...(node !== null && {
      selection: new Set([node]),
      selectedWires: new Set(),
      tab: "node" as const,
    }),
  });
}
