/** The keys of the whole editor. Fields keep their own. */
import { copied, paste } from "../state/clip.ts";
import { deleteSelected, moveSelected, redoStep, selectNodes, undoStep } from "../state/edit.ts";
import { save } from "../state/save.ts";
import type { EditorStore } from "../state/store.ts";

/** Distance of a press of an arrow, in pixels of the canvas. */
const STEP = 10;

const ARROWS: Readonly<Record<string, { readonly x: number; readonly y: number }>> = {
  ArrowLeft: { x: -STEP, y: 0 },
  ArrowRight: { x: STEP, y: 0 },
  ArrowUp: { x: 0, y: -STEP },
  ArrowDown: { x: 0, y: STEP },
};

function isField(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable || target.matches("input, select, textarea"))
  );
}

/** The node that has the focus, if it is on the card itself. */
function focusedNode(target: EventTarget | null): string | undefined {
  return target instanceof HTMLElement ? target.dataset["svcNode"] : undefined;
}

/** Listens until `signal` is aborted. */
export function listenToKeys(store: EditorStore, signal: AbortSignal): void {
  document.addEventListener(
    "keydown",
    (event) => {
      if (store.state.dialog === null && takeKey(store, event)) {
        event.preventDefault();
      }
    },
    { signal },
  );
  document.addEventListener(
    "copy",
    (event) => {
      const text = isField(event.target) || hasText() ? undefined : copied(store);
      if (text !== undefined) {
        event.clipboardData?.setData("text/plain", text);
        event.preventDefault();
      }
    },
    { signal },
  );
  document.addEventListener(
    "paste",
    (event) => {
      const text = event.clipboardData?.getData("text/plain") ?? "";
      if (!isField(event.target) && text !== "") {
        paste(store, text);
        event.preventDefault();
      }
    },
    { signal },
  );
}

/** Whether a text of the page is selected, which the person then means to copy. */
function hasText(): boolean {
  return (document.getSelection()?.toString() ?? "") !== "";
}

/** Returns whether the key was one of the editor's. */
function takeKey(store: EditorStore, event: KeyboardEvent): boolean {
  if (event.ctrlKey || event.metaKey) {
    return takeCommand(store, event);
  }
  if (event.key === "Escape") {
    return escape(store, event);
  }
  if (isField(event.target) || event.altKey) {
    return false;
  }
  switch (event.key) {
    case "?":
      store.set({ dialog: "help" });
      return true;
    case "/":
      store.set({ isPaletteOpen: true });
      document.querySelector<HTMLElement>("[data-svc-palette] input")?.focus();
      return true;
    case "Delete":
    case "Backspace":
      selectFocused(store, event);
      deleteSelected(store);
      return true;
    default: {
      const by = ARROWS[event.key];
      if (by === undefined || store.state.view === "list") {
        return false;
      }
      selectFocused(store, event);
      moveSelected(store, by);
      return store.state.selection.size > 0;
    }
  }
}

/** A key on a node that is not selected is meant for that node. */
function selectFocused(store: EditorStore, { target }: KeyboardEvent): void {
  const id = focusedNode(target);
  if (id !== undefined && !store.state.selection.has(id)) {
    selectNodes(store, [id]);
  }
}

function takeCommand(store: EditorStore, event: KeyboardEvent): boolean {
  switch (event.key.toLowerCase()) {
    case "s":
      void save(store);
      return true;
    case "z":
      if (event.shiftKey) {
        redoStep(store);
      } else {
        undoStep(store);
      }
      return true;
    case "y":
      redoStep(store);
      return true;
    case "a":
      if (isField(event.target)) {
        return false;
      }
      selectNodes(
        store,
        store.graph.nodes.map(({ id }) => id),
      );
      return true;
    default:
      return false;
  }
}

/** Takes back the innermost thing: the wire, the palette, the selection. */
function escape(store: EditorStore, event: KeyboardEvent): boolean {
  const { picked, dropped, isPaletteOpen, selection } = store.state;
  if (picked !== null) {
    store.set({ picked: null, status: "" });
  } else if (dropped !== null || isPaletteOpen) {
    store.set({ dropped: null, isPaletteOpen: false });
  } else if (selection.size > 0 && !isField(event.target)) {
    store.set({ selection: new Set(), selectedWires: new Set() });
  } else {
    return false;
  }
  return true;
}
