/** @jsxImportSource react */
/** The store for components, and the hook that reads from it. */
import { createContext, useContext, useSyncExternalStore } from "react";
import type { JsonValue } from "../../../lib/json/exact-json.ts";
import { resource } from "../state/load.ts";
import type { RunApi } from "../state/run.ts";
import type { EditorState, EditorStore } from "../state/store.ts";
import type { Words } from "../words.ts";

export interface Editor {
  readonly store: EditorStore;
  readonly runApi: RunApi;
}

export const EditorContext = createContext<Editor | null>(null);

export function useEditor(): Editor {
  const editor = useContext(EditorContext);
  if (editor === null) {
    throw new Error("The component is not below the editor.");
  }
  return editor;
}

export function useStore(): EditorStore {
  return useEditor().store;
}

/** Renders again when the selected part changes; the selector returns the same object for the same part. */
export function useEditorState<T>(select: (state: EditorState) => T): T {
  const store = useStore();
  return useSyncExternalStore(store.subscribe, () => select(store.state));
}

export function useWords(): Words {
  return useStore().words;
}

/** A list of the catalog; undefined while it is loading. */
export function useResource(path: string | null): readonly JsonValue[] | undefined {
  const store = useStore();
  useEditorState((state) => (path === null ? null : state.resources.get(path)));
  return path === null ? [] : resource(store, path);
}
