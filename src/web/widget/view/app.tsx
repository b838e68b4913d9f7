/** The whole widget: header, form, progress, results and buttons in the chosen layout. */
import { useEffect, useLayoutEffect, useMemo, useReducer, useRef, useState } from "preact/hooks";
import type { FieldConfig } from "../core/config.ts";
import { kindOf } from "../core/config.ts";
import { phaseOf, type Notice, type RunState, type State } from "../core/state.ts";
import { extensionOf } from "../core/values.ts";
import type { Widget } from "../core/widget.ts";
import { Context, hook, hookOf, useView } from "./context.ts";
import { FieldView } from "./field.tsx";
import { AlertIcon, ClockIcon, Mark } from "./icons.tsx";
import { Output, Progress } from "./output.tsx";
import type { RootAttributes } from "./root.ts";

interface AppProps {
  readonly widget: Widget;
  readonly onRoot: (root: HTMLElement) => void;
  /** Attributes that follow from theme and language. */
  readonly attributes: () => RootAttributes;
  /** Called after each change has been rendered. */
  readonly onRendered: () => void;
}

export function App({ widget, onRoot, attributes, onRendered }: AppProps) {
  const [, update] = useReducer((n: number) => n + 1, 0);
  // Before the first paint: a change between render and effect would not be shown.
  useLayoutEffect(
    () =>
      widget.store.listen(() => {
        update(null);
      }),
    [widget],
  );
  const { state } = widget.store;
  const { language } = widget;
  const context = useMemo(() => ({ widget, language }), [widget, language]);
  const root = useRef<HTMLElement>(null);
  useLayoutEffect(() => {
    if (root.current !== null) {
      onRoot(root.current);
    }
  }, []);
  useLayoutEffect(onRendered);
  usePaste(widget);
  const { settings, config } = state;
  const { theme, dir, lang } = attributes();
  const name = config?.interface?.name ?? config?.workflow.name;
  return (
    <Context.Provider value={context}>
      <main
        ref={root}
        class="svc-root wg"
        data-svc-root=""
        data-layout={settings.layout}
        data-theme={theme}
        data-phase={phaseOf(state)}
        dir={dir}
        lang={lang}
        aria-label={name}
        aria-busy={config === null && state.notice === null}
      >
        {settings.layout !== "headless" && <Body state={state} />}
      </main>
    </Context.Provider>
  );
}

/** Files pasted anywhere go to the focused field, otherwise to the first field that takes them. */
function usePaste(widget: Widget): void {
  useEffect(() => {
    const onPaste = (event: ClipboardEvent): void => {
      const file = event.clipboardData?.files[0];
      if (file === undefined || widget.store.state.run !== null) {
        return;
      }
      const { lockedFields, hiddenFields } = widget.store.state.settings;
      const takes = ({ key, accept }: FieldConfig) =>
        !lockedFields.has(key) &&
        !hiddenFields.has(key) &&
        (accept === undefined || accept.includes(extensionOf(file.name)));
      const fields = widget.form.configs.filter(
        (field) => kindOf(field) === "file" && takes(field),
      );
      const focused = document.activeElement
        ?.closest("[data-svc-field]")
        ?.getAttribute("data-svc-field");
      const field =
        fields.find(({ key }) => key === focused) ??
        fields.find(({ key }) => widget.store.field(key).value === null) ??
        fields[0];
      if (field !== undefined) {
        event.preventDefault();
        widget.addFile(field.key, file);
      }
    };
    document.addEventListener("paste", onPaste);
    return () => {
      document.removeEventListener("paste", onPaste);
    };
  }, [widget]);
}

function Body({ state }: { readonly state: State }) {
  const { settings, config } = state;
  const { hidden, layout, showBranding } = settings;
  if (config === null) {
    return state.notice === null ? (
      <Skeleton isInline={layout === "inline"} />
    ) : (
      <Refused notice={state.notice} />
    );
  }
  const isInline = layout === "inline";
  const hasOutput =
    !hidden.output &&
    (isInline || layout === "compact" ? state.finished !== null || state.run !== null : true);
  return (
    <>
      {!isInline && !hidden.header && <Header state={state} />}
      <div class={hasOutput ? "w-2" : "w-1"}>
        <div class="w-f">
          <Form state={state} />
          {!hidden.progress && state.run !== null && <Progress run={state.run} />}
        </div>
        {hasOutput && <Output state={state} outputs={config.outputs} />}
      </div>
      {!isInline && <Actions state={state} />}
      {showBranding && !hidden.poweredBy && <Branding />}
    </>
  );
}

function Header({ state: { settings, config } }: { readonly state: State }) {
  const title = config?.interface ?? config?.workflow;
  const description = settings.layout === "compact" ? "" : (title?.description ?? "");
  if (title === undefined || (!settings.showName && description === "")) {
    return null;
  }
  return (
    <header {...hook("header", "w-h")}>
      {settings.showName && (
        <h1>
          <bdi>{title.name}</bdi>
        </h1>
      )}
      {description !== "" && (
        <p class="muted small">
          <bdi>{description}</bdi>
        </p>
      )}
    </header>
  );
}

function Form({ state }: { readonly state: State }) {
  const { widget } = useView();
  const { settings, config, fields, run } = state;
  const { layout, hiddenFields, lockedFields } = settings;
  const shown = (config?.fields ?? []).filter(({ key }) => !hiddenFields.has(key));
  const required = shown.filter((field) => field.required).length;
  const shownWord = required * 2 < shown.length ? "required" : "optional";
  const isInline = layout === "inline";
  return (
    <form
      {...hook("form", isInline ? "w-in" : "w-b")}
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        widget.act(() => widget.runs.execute());
      }}
    >
      {shown.map((field, index) => (
        <FieldView
          key={field.key}
          field={field}
          state={widget.store.field(field.key)}
          index={index}
          isLocked={lockedFields.has(field.key)}
          isRunning={run !== null}
          shownWord={shownWord}
          isTight={layout === "inline" || layout === "compact"}
        />
      ))}
      {/* The fields' states come from the store; naming them here renders the form when one changes. */}
      {fields === undefined ? null : isInline && <Buttons state={state} />}
      {state.notice !== null && <Message notice={state.notice} />}
    </form>
  );
}

function Message({ notice }: { readonly notice: Notice }) {
  const { language } = useView();
  const { texts } = language;
  const isCancelled = notice.code === "cancelled";
  return (
    <div
      {...hook("message", isCancelled ? "note" : "note bad")}
      role={isCancelled ? "status" : "alert"}
    >
      <AlertIcon />
      <b>{isCancelled ? texts.cancelledTitle : texts.failedTitle}</b>
      {!isCancelled && <span>{language.sentence(notice.code)}</span>}
      {notice.requestId !== null && (
        <span class="tiny muted">{language.fill(texts.reference, { id: notice.requestId })}</span>
      )}
    </div>
  );
}

/** Seconds since the run began, for people. */
function useElapsed(run: RunState | null): number {
  const [seconds, setSeconds] = useState(0);
  const startedMs = run?.startedMs;
  useEffect(() => {
    if (startedMs === undefined) {
      return undefined;
    }
    const tick = (): void => {
      setSeconds(Math.floor((Date.now() - startedMs) / 1000));
    };
    tick();
    const timer = setInterval(tick, 1000);
    return () => {
      clearInterval(timer);
    };
  }, [startedMs]);
  return seconds;
}

function Actions({ state }: { readonly state: State }) {
  const { language } = useView();
  const { run, settings, finished, notice } = state;
  const elapsed = useElapsed(run);
  const canReset = run === null && (finished !== null || notice !== null);
  if (settings.hidden.execute && run === null && !canReset) {
    return null;
  }
  return (
    <div class="w-a">
      {run !== null && !settings.hidden.progress && (
        <span class="tiny muted num">
          {language.fill(language.texts.soFar, { time: language.duration(elapsed) })}
        </span>
      )}
      {canReset && <ResetButton />}
      <span class="grow" />
      <Buttons state={state} />
    </div>
  );
}

function ResetButton() {
  const { widget, language } = useView();
  return (
    <button
      type="button"
      {...hookOf("action", "reset", "btn btn-ghost w-reset")}
      onClick={() => {
        widget.reset();
      }}
    >
      {language.texts.reset}
    </button>
  );
}

function Buttons({ state }: { readonly state: State }) {
  const { widget, language } = useView();
  const { texts } = language;
  const { run, settings, config, finished, notice } = state;
  if (run !== null) {
    return (
      <button
        type="button"
        {...hookOf("action", "cancel", "btn")}
        aria-disabled={run.isCancelling}
        onClick={() => {
          if (!run.isCancelling) {
            widget.act(() => widget.runs.cancel());
          }
        }}
      >
        {texts.cancel}
      </button>
    );
  }
  if (settings.hidden.execute) {
    return null;
  }
  return (
    <button
      type="button"
      {...hookOf("action", "execute", "btn btn-primary")}
      disabled={config?.can.execute !== true}
      onClick={() => {
        widget.act(() => widget.runs.execute());
      }}
    >
      {notice !== null && notice.code !== "cancelled"
        ? texts.tryAgain
        : finished === null
          ? texts.run
          : texts.runAgain}
    </button>
  );
}

function Branding() {
  const { language } = useView();
  const [before = "", after = ""] = language.texts.runsOn.split("{brand}");
  return (
    <p {...hook("branding", "w-brand tiny muted")}>
      {before}
      <Mark />
      <b>Edgeloom</b>
      {after}
    </p>
  );
}

/** The page cannot start. */
function Refused({ notice }: { readonly notice: Notice }) {
  const { language } = useView();
  return (
    <div {...hook("message", "empty")} role="alert">
      {notice.code.startsWith("token_") ? <ClockIcon size={24} /> : <AlertIcon size={24} />}
      <h1>{language.sentence(notice.code)}</h1>
      <p class="tiny muted">{notice.code}</p>
    </div>
  );
}

function Skeleton({ isInline }: { readonly isInline: boolean }) {
  const { language } = useView();
  return (
    <div class="w-skeleton">
      <span class="sr">{language.texts.loading}</span>
      {!isInline && (
        <div class="w-h">
          <span class="skel is-title" />
          <span class="skel is-words" />
        </div>
      )}
      <div class="w-b">
        <span class="skel is-control" />
        {!isInline && <span class="skel is-control" />}
        {!isInline && <span class="skel is-block" />}
      </div>
    </div>
  );
}
