import { openFrame, themeOf, VERSION } from "./open-frame.ts";
import type {
  Editor,
  EditorOptions,
  Runtime,
  RuntimeOptions,
  createEditor,
  createRuntime,
} from "./v1-types.ts";

export interface Sdk {
  readonly version: string;
  readonly createRuntime: typeof createRuntime;
  readonly createEditor: typeof createEditor;
}

/** `script` is the address from which the SDK was loaded, below the service's own. */
export function createSdk(script: string): Sdk {
  return {
    version: VERSION,
    createRuntime: (options) => openRuntime(script, options),
    createEditor: (options) => openEditor(script, options),
  };
}

function openRuntime(script: string, options: RuntimeOptions): Runtime {
  // What the page is told by its address is drawn at once; the rest follows as `svc:init`.
  const {
    token: _token,
    fetchToken: _fetchToken,
    container: _container,
    workflow,
    interface: named,
    title: _title,
    readyTimeoutMs: _readyTimeoutMs,
    baseUrl: _baseUrl,
    autoResize,
    on: _on,
    ...init
  } = options;
  const theme = themeOf(options.theme);
  const frame = openFrame({
    options,
    script,
    title: "Workflow",
    readyType: "svc:ready",
    path: (fromToken) => {
      const id = encodeURIComponent(workflow ?? fromToken ?? "");
      return `/embed/${id}${named === undefined ? "" : `/${encodeURIComponent(named)}`}`;
    },
    query: {
      theme: theme?.mode,
      primaryColor: theme?.primaryColor,
      locale: init.locale,
      layout: init.layout,
      compact: init.compact,
    },
    settings: [{ type: "svc:init", payload: { ...init, theme } }],
    isResized: autoResize !== false,
  });
  const send = (type: string, payload?: unknown) => frame.send(type, payload);
  // The answers of the page have the types that the declarations state.
  return {
    ...frame,
    setValues: (values: object) => send("svc:setValues", values),
    setTheme: (given: object) => send("svc:setTheme", given),
    setLocale: (locale: string) => send("svc:setLocale", { locale }),
    setCustomCss: (css: string) => send("svc:setCustomCss", { css }),
    execute: () => frame.sendLong("svc:execute"),
    cancel: () => send("svc:cancel"),
    reset: () => send("svc:reset"),
  } as Runtime;
}

function openEditor(script: string, options: EditorOptions): Editor {
  const theme = themeOf(options.theme);
  const { css } = options;
  const frame = openFrame({
    options,
    script,
    title: "Workflow editor",
    readyType: "svc:editor:ready",
    path: () => "/embed/editor",
    query: {
      workflowExternalId: options.workflow,
      name: options.name,
      theme: theme?.mode,
      primaryColor: theme?.primaryColor,
      locale: options.locale,
      showName: options.showName,
      showBranding: options.showBranding,
    },
    settings: [
      ...(theme === undefined ? [] : [{ type: "svc:editor:setTheme", payload: theme }]),
      ...(css === undefined ? [] : [{ type: "svc:editor:setCustomCss", payload: { css } }]),
    ],
    isResized: false,
  });
  // The editor does not tell its size: it fills the container, and has room where that has no height.
  frame.iframe.style.height = "100%";
  frame.iframe.style.minHeight = "480px";
  return {
    ...frame,
    save: () => frame.sendLong("svc:editor:save"),
    run: () => frame.sendLong("svc:editor:run"),
    setTheme: (given: object) => frame.send("svc:editor:setTheme", given),
    setCustomCss: (given: string) => frame.send("svc:editor:setCustomCss", { css: given }),
  } as Editor;
}
