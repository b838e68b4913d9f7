/** A page that embeds a workflow and the editor, and shows every message in both directions. */
const { service, workflow } = document.querySelector("script[data-service]").dataset;
const { createEditor, createRuntime } = await import(`${service}/embed/sdk/v1.mjs`);

const ENTRIES_MAX = 200;
const RUNTIME_EVENTS = [
  "ready",
  "resize",
  "values:changed",
  "execution:started",
  "execution:progress",
  "execution:completed",
  "execution:failed",
  "error",
];
const EDITOR_EVENTS = ["editor:ready", "editor:saved", "editor:saveFailed", "error"];

const find = (id) => document.getElementById(id);
const log = find("log");
find("origin").textContent = location.origin;

function write(kind, name, payload) {
  const line = document.createElement("li");
  const word = document.createElement("b");
  word.textContent = name;
  // As text: what a run returns is not to be trusted as HTML.
  line.append(word, payload === undefined ? "" : JSON.stringify(payload));
  line.className = kind;
  log.prepend(line);
  while (log.childElementCount > ENTRIES_MAX) {
    log.lastElementChild.remove();
  }
}

/** Each handler asks this page's own server, which mints tokens with its API key. */
async function fetchToken(path) {
  const response = await fetch(path, { method: "POST" });
  if (!response.ok) {
    throw new Error(await response.text());
  }
  return response.text();
}

const listeners = (names) =>
  Object.fromEntries(
    names.map((name) => [
      name,
      (payload) => write(/failed|error/i.test(name) ? "bad" : "in", name, payload),
    ]),
  );

let runtime;
function openRuntime() {
  runtime?.destroy();
  runtime = createRuntime({
    container: "#widget",
    fetchToken: () => fetchToken("/token"),
    theme: find("theme").value,
    locale: find("locale").value,
    layout: find("layout").value,
    title: "Greeting card",
    on: listeners(RUNTIME_EVENTS),
  });
  // For the browser's console.
  window.runtime = runtime;
}

function send(name, run) {
  write("out", name);
  run().catch((error) => write("bad", name, { code: error.code, message: error.message }));
}

find("theme").addEventListener("change", ({ target: { value } }) => {
  document.documentElement.dataset.theme = value;
  send("setTheme", () => runtime.setTheme({ mode: value }));
  send("editor setTheme", () => editor.setTheme({ mode: value }));
});
find("locale").addEventListener("change", ({ target: { value } }) => {
  send("setLocale", () => runtime.setLocale(value));
});
find("layout").addEventListener("change", openRuntime);
find("run").addEventListener("click", () => send("execute", () => runtime.execute()));

openRuntime();
const editor = createEditor({
  container: "#editor",
  fetchToken: () => fetchToken("/editor-token"),
  workflow,
  on: listeners(EDITOR_EVENTS),
});
window.editor = editor;
