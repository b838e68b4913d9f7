/** Sends the request of an operation's page, with the token of the sign-in, and shows the response. */
import { onAccountChange, readAccount } from "./account.ts";
import { openSignIn } from "./sign-in.ts";

/** Most characters of a response that are shown; longer ones are cut with a note. */
const SHOWN_CHARS_MAX = 200_000;
/** An unfinished response, such as an event stream, is shown as far as it has arrived after this time. */
const READ_MS_MAX = 15_000;

export function startTryForm(): void {
  const form = document.querySelector<HTMLFormElement>("[data-try]");
  if (form === null) {
    return;
  }
  const account = form.querySelector<HTMLElement>("[data-try-account]");
  const needsToken = form.dataset["scheme"] === "bearer" || form.dataset["scheme"] === "oauth2";
  const show = () => {
    const signedIn = readAccount();
    if (account !== null && needsToken) {
      account.textContent =
        signedIn === null
          ? "Sign in first; the button asks for it."
          : `Sends as ${signedIn.clientId}.`;
    } else if (account !== null && form.dataset["scheme"] === "operator") {
      account.textContent =
        "Needs the operator's token, which this page does not ask for. Use the sample.";
    }
  };
  show();
  onAccountChange(show);
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    if (needsToken && readAccount() === null) {
      openSignIn();
    } else {
      void send(form);
    }
  });
}

async function send(form: HTMLFormElement): Promise<void> {
  const place = form.querySelector<HTMLElement>("[data-try-answer]");
  const button = form.querySelector<HTMLButtonElement>("[type=submit]");
  if (place === null || button === null) {
    return;
  }
  button.setAttribute("aria-disabled", "true");
  place.textContent = "Sending…";
  try {
    const { path, init } = requestOf(form);
    const startedMs = performance.now();
    const response = await fetch(path, init);
    const text = await readText(response);
    showResponse(place, response, text, Math.round(performance.now() - startedMs));
  } catch (thrown) {
    place.textContent = `The request was not sent: ${thrown instanceof Error ? thrown.message : String(thrown)}`;
  } finally {
    button.removeAttribute("aria-disabled");
  }
}

function requestOf(form: HTMLFormElement): { path: string; init: RequestInit } {
  const headers = new Headers();
  const query = new URLSearchParams();
  const plain = new URLSearchParams();
  const multipart = new FormData();
  let path = form.dataset["path"] ?? "";
  let body: BodyInit | null = null;
  for (const field of form.querySelectorAll<HTMLInputElement | HTMLTextAreaElement>(
    "[data-place]",
  )) {
    const { value, name } = field;
    const files = field instanceof HTMLInputElement ? [...(field.files ?? [])] : [];
    switch (field.dataset["place"]) {
      case "path":
        path = path.replaceAll(`{${name}}`, encodeURIComponent(value));
        break;
      case "query":
        if (value !== "") {
          query.append(name, value);
        }
        break;
      case "header":
        if (value !== "") {
          headers.set(name, value);
        }
        break;
      case "body":
        headers.set("Content-Type", "application/json");
        body = value;
        break;
      case "form":
        plain.append(name, value);
        body = plain;
        break;
      case "multipart":
        for (const file of files) {
          multipart.append(name, file);
        }
        if (files.length === 0 && value !== "") {
          multipart.append(name, value);
        }
        body = multipart;
        break;
      default:
        break;
    }
  }
  const account = readAccount();
  if (account !== null && form.dataset["scheme"] !== "operator") {
    headers.set("Authorization", `Bearer ${account.token}`);
  }
  const suffix = query.size === 0 ? "" : `?${query.toString()}`;
  return { path: path + suffix, init: { method: form.dataset["method"] ?? "GET", headers, body } };
}

async function readText(response: Response): Promise<string> {
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  const deadline = setTimeout(() => {
    void reader?.cancel();
  }, READ_MS_MAX);
  while (reader !== undefined && text.length <= SHOWN_CHARS_MAX) {
    const { value, done } = await reader.read();
    if (done) {
      break;
    }
    text += value;
  }
  clearTimeout(deadline);
  if (text.length > SHOWN_CHARS_MAX) {
    void reader?.cancel();
    return `${text.slice(0, SHOWN_CHARS_MAX)}\n… cut after ${SHOWN_CHARS_MAX.toLocaleString("en")} characters`;
  }
  return text;
}

function showResponse(place: HTMLElement, response: Response, text: string, ms: number): void {
  const line = document.createElement("p");
  line.className = "row wrap small";
  const status = document.createElement("span");
  status.className = response.ok ? "pill ok-text" : "pill bad-text";
  status.textContent = `${response.status} ${response.statusText}`.trim();
  const facts = document.createElement("span");
  facts.className = "muted";
  facts.textContent = `${ms} ms, ${response.headers.get("content-type") ?? "no body"}`;
  line.append(status, facts);
  const figure = document.createElement("figure");
  figure.className = "code";
  const pre = document.createElement("pre");
  pre.tabIndex = 0;
  pre.append(document.createElement("code"));
  const isJson = response.headers.get("content-type")?.includes("json") === true;
  (pre.firstChild as HTMLElement).textContent = isJson ? pretty(text) : text;
  figure.append(pre);
  place.replaceChildren(line, ...(text === "" ? [] : [figure]));
}

function pretty(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}
