/** @jsxImportSource react */
/** The page of the editor: reads its settings, speaks to the parent and to the service, and shows the document. */
import { createRoot } from "react-dom/client";
import { directionOf } from "../../contracts/embeds/page-query.ts";
import { ApiClient } from "../shared/api-client.ts";
import { startPage } from "../shared/start-page.ts";
import { openHost } from "./host.ts";
import { wordsIn } from "./locales/locales.ts";
import { editorApi, runApiOf } from "./service.ts";
import { scheduleCheck } from "./state/check.ts";
import { load } from "./state/load.ts";
import { EditorStore } from "./state/store.ts";
import { mayReplace, rightsOf } from "./token-rights.ts";
import { App } from "./view/app.tsx";
import { listenToKeys } from "./view/keyboard.ts";
import "./editor.css";

/** Narrower pages begin with the list view, in CSS pixels. */
const LIST_BELOW = 768;

const page = startPage();
const client = new ApiClient(page.token);
const runApi = runApiOf(client);
const root = document.querySelector<HTMLElement>("[data-svc-root]") ?? document.body;
root.dataset["svcRoot"] = "";
root.dir = directionOf(page.locale);
const { query } = page;

const words = wordsIn(page.locale);

const host = openHost({
  allowedOrigins: page.allowedOrigins,
  runApi,
  root,
  theme: {
    mode: query.theme ?? "auto",
    values: query.primaryColor === undefined ? {} : { primaryColor: query.primaryColor },
  },
  setToken: (token) => {
    const isUsed = mayReplace(page.token, token);
    if (isUsed) {
      client.setToken(token);
    }
    return isUsed;
  },
  reload: () => load(store),
  words,
  store: () => store,
});
const store = new EditorStore(
  { api: editorApi(client, words), host, words },
  {
    ...rightsOf(page.token),
    // On a phone the handles of a whole graph are too small to be hit.
    view: innerWidth < LIST_BELOW ? "list" : "canvas",
    showName: query.switches.showName !== false,
    showBranding: query.switches.showBranding !== false,
    workflow: { id: query.workflow ?? null, name: query.name ?? "", version: 0, etag: null },
  },
);
store.onGraph = () => {
  scheduleCheck(store);
};
listenToKeys(store, new AbortController().signal);
createRoot(root).render(<App editor={{ store, runApi }} />);
void load(store);
