/** @jsxImportSource react */
/** The editor as a whole: bar, palette, canvas or list, panel, issues. */
import { ReactFlowProvider } from "@xyflow/react";
import { endedNodes, isEnded } from "../core/run-state.ts";
import { arrangeAll } from "../state/arrange.ts";
import { copyByButton, pasteByButton } from "../state/clip.ts";
import { deleteSelected, redoStep, undoStep } from "../state/edit.ts";
import { load } from "../state/load.ts";
import { cancelRun, run } from "../state/run.ts";
import { loadTheirs, overwriteTheirs, save } from "../state/save.ts";
import { type EditorState, isDirty } from "../state/store.ts";
import { Canvas } from "./canvas.tsx";
import {
  type Editor,
  EditorContext,
  useEditor,
  useEditorState,
  useStore,
  useWords,
} from "./context.tsx";
import { Dialogs } from "./dialogs.tsx";
import { FitButton } from "./fit-button.tsx";
import { Icon, type IconName, StateIcon } from "./icons.tsx";
import { IssuesList } from "./issues-list.tsx";
import { ListView } from "./list-view.tsx";
import { Palette } from "./palette.tsx";
import { Panel } from "./panel.tsx";

export function App({ editor }: { editor: Editor }) {
  return (
    <EditorContext.Provider value={editor}>
      <ReactFlowProvider>
        <Layout />
      </ReactFlowProvider>
    </EditorContext.Provider>
  );
}

function Layout() {
  const words = useWords();
  const phase = useEditorState((state) => state.phase);
  const dirty = useEditorState(isDirty);
  const view = useEditorState((state) => state.view);
  const name = useEditorState((state) => state.workflow.name);
  return (
    <main
      className="ed"
      data-phase={phase}
      data-svc-dirty={dirty}
      data-view={view}
      aria-busy={phase === "loading"}
    >
      <h1 className="sr">{name}</h1>
      <TopBar />
      {phase === "loading" && <PaletteSkeleton />}
      {phase === "ready" && <Palette />}
      <div className="stage" key="stage">
        {phase === "failed" && <Failure />}
        {phase === "ready" && (
          <>
            <ConflictBar />
            <RunPill />
            {view === "list" ? <ListView /> : <Canvas />}
          </>
        )}
        <Status />
        {phase === "ready" && (
          <>
            <IssuesList />
            <AddButton label={words("addNode")} />
          </>
        )}
      </div>
      {phase === "loading" && <PanelSkeleton />}
      {phase === "ready" && <Panel />}
      <Dialogs />
    </main>
  );
}

/** On the lower end of the canvas or the list, whatever the height of the issues below. It is there before it says something. */
function Status() {
  const status = useEditorState((state) => state.status);
  const said = useEditorState((state) => state.said);
  return (
    <div className="status-at">
      <div className="status" data-svc-status="" role="status" aria-live="polite">
        {/* An element for each text: it leaves after some seconds, and the next one, or the same again, appears. */}
        {status !== "" && <span key={said}>{status}</span>}
      </div>
    </div>
  );
}

function TopBar() {
  const { store, runApi } = useEditor();
  const words = useWords();
  const name = useEditorState((state) => state.workflow.name);
  const showName = useEditorState((state) => state.showName);
  const canEdit = useEditorState((state) => state.canEdit);
  const canRun = useEditorState((state) => state.canRun);
  const isReady = useEditorState((state) => state.phase === "ready");
  const isSaving = useEditorState((state) => state.isSaving);
  const isRunning = useEditorState(
    ({ run: current }) => current !== null && !isEnded(current.status),
  );
  const dirty = useEditorState(isDirty);
  const showBranding = useEditorState((state) => state.showBranding);
  const tag = useEditorState((state) => tagOf(state));
  return (
    <div className="top">
      <div className="row grow">
        {showBranding && <Mark />}
        {showName && <span className="name cut">{name}</span>}
        <span className="tag hide-s">
          {tag === "live" ? words("live", { version: store.state.workflow.version }) : words(tag)}
        </span>
      </div>
      <EditButtons />
      <div className="row">
        {canEdit && (
          <button
            className={dirty || !canRun ? "btn btn-s btn-primary" : "btn btn-s"}
            data-svc-action="save"
            disabled={!isReady || isSaving}
            onClick={() => void save(store)}
          >
            {words(isSaving ? "saving" : "save")}
          </button>
        )}
        {canRun &&
          (isRunning ? (
            <button
              className="btn btn-s"
              data-svc-action="cancel"
              onClick={() => void cancelRun(store)}
            >
              <Icon name="stop" size={12} />
              {words("stop")}
            </button>
          ) : (
            <button
              className={dirty && canEdit ? "btn btn-s" : "btn btn-s btn-primary"}
              data-svc-action="run"
              disabled={!isReady || isSaving}
              onClick={() => void run(store, runApi)}
            >
              <Icon name="play" size={12} />
              {words("run")}
            </button>
          ))}
      </div>
    </div>
  );
}

function tagOf(state: EditorState): "readOnly" | "unsaved" | "live" | "draft" {
  if (!state.canEdit) {
    return "readOnly";
  }
  if (isDirty(state)) {
    return "unsaved";
  }
  return state.isPublished && state.workflow.version > 0 ? "live" : "draft";
}

function EditButtons() {
  const store = useStore();
  const words = useWords();
  const canEdit = useEditorState((state) => state.canEdit);
  const isReady = useEditorState((state) => state.phase === "ready");
  const canUndo = useEditorState(({ history }) => history.past.length > 0);
  const canRedo = useEditorState(({ history }) => history.future.length > 0);
  const hasSelection = useEditorState(
    ({ selection, selectedWires }) => selection.size > 0 || selectedWires.size > 0,
  );
  const view = useEditorState((state) => state.view);
  const button = (
    action: string,
    icon: IconName,
    label: string,
    isEnabled: boolean,
    act: () => void,
  ) => (
    <button
      className="btn btn-s btn-i"
      data-svc-action={action}
      aria-label={label}
      title={label}
      disabled={!isReady || !isEnabled}
      onClick={act}
    >
      <Icon name={icon} flip />
    </button>
  );
  return (
    <div className="row tools">
      {canEdit && (
        <>
          <div className="btns">
            {button("undo", "undo", words("undo"), canUndo, () => {
              undoStep(store);
            })}
            {button("redo", "redo", words("redo"), canRedo, () => {
              redoStep(store);
            })}
          </div>
          <div className="btns hide-m">
            {button("copy", "copy", words("copy"), hasSelection, () => void copyByButton(store))}
            {button("paste", "paste", words("paste"), true, () => void pasteByButton(store))}
            {button("delete", "remove", words("remove"), hasSelection, () => {
              deleteSelected(store);
            })}
          </div>
        </>
      )}
      <div className="btns">
        {canEdit &&
          button("layout", "arrange", words("arrange"), true, () => void arrangeAll(store))}
        {view === "canvas" && isReady && <FitButton />}
        <button
          className="btn btn-s btn-i"
          data-svc-action="list"
          aria-label={words("listView")}
          title={words("listView")}
          aria-pressed={view === "list"}
          disabled={!isReady}
          onClick={() => {
            store.set({ view: view === "list" ? "canvas" : "list", picked: null });
          }}
        >
          <Icon name="list" flip />
        </button>
      </div>
      <button
        className="btn btn-s btn-i btn-ghost hide-m"
        data-svc-action="help"
        aria-label={words("help")}
        title={words("help")}
        onClick={() => {
          store.set({ dialog: "help" });
        }}
      >
        <Icon name="help" />
      </button>
    </div>
  );
}

function Mark() {
  return (
    <svg className="mark" width="20" height="20" viewBox="0 0 24 24" aria-hidden="true">
      <path d="M7 3v18M12 3v4.200M12 11.800V21M17 3v18" />
      <path className="mark-a" d="M2.500 9.500h2M9.300 9.500h10.200M2.500 15H15M19.300 15h2.200" />
    </svg>
  );
}

function ConflictBar() {
  const store = useStore();
  const words = useWords();
  const hasConflict = useEditorState((state) => state.hasConflict);
  return hasConflict ? (
    <div className="note warn conflict" data-svc-conflict="" role="alert">
      <Icon name="warning" />
      <span className="grow">{words("conflict")}</span>
      <button
        className="btn btn-s"
        data-svc-action="load-theirs"
        onClick={() => void loadTheirs(store)}
      >
        {words("loadTheirs")}
      </button>
      <button
        className="btn btn-s"
        data-svc-action="overwrite"
        onClick={() => void overwriteTheirs(store)}
      >
        {words("overwrite")}
      </button>
    </div>
  ) : null;
}

function RunPill() {
  const store = useStore();
  const words = useWords();
  const current = useEditorState((state) => state.run);
  const hasResults = useEditorState((state) => state.results !== null);
  if (current === null) {
    return null;
  }
  const { status, nodes } = current;
  const isLive = !isEnded(status);
  return (
    <div className="run" data-svc-run={current.id} data-status={status}>
      <span className="pill box" data-s={status === "pending" ? "running" : status}>
        <StateIcon state={status === "pending" ? "running" : status} />
        {isLive && status !== "cancelling"
          ? words("runningCount", { done: endedNodes(current), count: nodes.size })
          : wordOf(status, words)}
      </span>
      {!isLive && hasResults && (
        <button
          className="btn btn-s"
          data-svc-action="results"
          onClick={() => {
            store.set({ dialog: "results" });
          }}
        >
          {words("results")}
        </button>
      )}
    </div>
  );
}

function wordOf(status: string, words: ReturnType<typeof useWords>): string {
  switch (status) {
    case "completed":
    case "partial_success":
    case "failed":
    case "cancelled":
    case "cancelling":
      return words(status);
    default:
      return status;
  }
}

function AddButton({ label }: { label: string }) {
  const store = useStore();
  const canEdit = useEditorState((state) => state.canEdit);
  return canEdit ? (
    <button
      className="btn add only-drawer"
      data-svc-action="add"
      aria-label={label}
      onClick={() => {
        store.set({ isPaletteOpen: true });
      }}
    >
      <Icon name="plus" />
    </button>
  ) : null;
}

function Failure() {
  const store = useStore();
  const words = useWords();
  const failure = useEditorState((state) => state.failure);
  return (
    <div className="empty failure" role="alert">
      <Icon name="error" size={24} />
      <b>{words("loadFailed")}</b>
      <p>{failure}</p>
      <button className="btn btn-s" onClick={() => void load(store)}>
        {words("tryAgain")}
      </button>
    </div>
  );
}

function PaletteSkeleton() {
  return (
    <div className="pal skeleton" aria-hidden="true">
      {["a", "b", "c", "d", "e", "f", "g"].map((key) => (
        <span key={key} className="skel" />
      ))}
    </div>
  );
}

function PanelSkeleton() {
  return (
    <div className="panel skeleton" aria-hidden="true">
      <span className="skel" />
      <span className="skel" />
    </div>
  );
}
