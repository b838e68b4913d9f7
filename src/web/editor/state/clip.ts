/** Copy and paste through the clipboard. */
import { LIMITS } from "../../../lib/limits/limits-table.ts";
import { copyNodes, PASTE_NODES_MAX, pasteNodes } from "../core/clipboard.ts";
import { loadDetail } from "./load.ts";
import type { EditorStore } from "./store.ts";

/** The text of the selected nodes, for the clipboard; undefined if none is selected. */
export function copied(store: EditorStore): string | undefined {
  const { selection } = store.state;
  if (selection.size === 0) {
    return undefined;
  }
  store.say(store.words("copied", { count: selection.size }));
  return copyNodes(store.graph, selection);
}

/** Adds the nodes of the clipboard's text and selects them. */
export function paste(store: EditorStore, text: string): void {
  const pasted = pasteNodes(store.graph, text);
  if ("problem" in pasted) {
    store.say(
      pasted.problem === "not_nodes"
        ? store.words("notNodes")
        : store.words("pasteTooLarge", { max: PASTE_NODES_MAX }),
    );
    return;
  }
  const count = pasted.graph.nodes.length;
  const max = LIMITS.nodes.value;
  const isTooMany = count > max;
  store.change(pasted.graph, null, {
    selection: new Set(pasted.pasted),
    selectedWires: new Set(),
    status:
      store.words("pasted", { count: pasted.pasted.length }) +
      (isTooMany ? ` ${store.words("tooMany", { max, count })}` : ""),
  });
  for (const type of new Set(pasted.graph.nodes.map((node) => node.type))) {
    void loadDetail(store, type);
  }
}

/** By a button: through the clipboard that the browser grants. */
export async function copyByButton(store: EditorStore): Promise<void> {
  const text = copied(store);
  if (text !== undefined) {
    await navigator.clipboard.writeText(text).catch(() => {
      store.say(store.words("clipboardDenied", { keys: "Ctrl+C" }));
    });
  }
}

export async function pasteByButton(store: EditorStore): Promise<void> {
  try {
    paste(store, await navigator.clipboard.readText());
  } catch {
    store.say(store.words("clipboardDenied", { keys: "Ctrl+V" }));
  }
}
