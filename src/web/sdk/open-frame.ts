/** A frame of the service on a page of its host, and the messages with it (docs/embeds.md#messages). */
import type { CommonOptions, SdkError, Theme, TokenSource } from "./v1-types.ts";

export const VERSION = "1.0.0";

const ANSWER_MS_MAX = 30_000;
const READY_MS = 15_000;
/** A token is replaced this long before it ends. */
const REFRESH_MS = 30_000;
/** Between attempts to get a token. */
const RETRY_MS = 10_000;
/** `setTimeout` takes a longer delay for none. */
const DELAY_MS_MAX = 2 ** 31 - 1;

export interface FrameOptions {
  readonly options: TokenSource & CommonOptions & { readonly on?: object };
  /** Address of the SDK's own script. */
  readonly script: string;
  readonly title: string;
  /** The message after which the frame is in use. */
  readonly readyType: string;
  /** Path of the frame, for the workflow that the token names. */
  readonly path: (workflow: string | undefined) => string;
  /** Further parameters of its address. */
  readonly query: Readonly<Record<string, unknown>>;
  /** Commands with its settings, at each load. */
  readonly settings: readonly { readonly type: string; readonly payload: unknown }[];
  readonly isResized: boolean;
}

/** What messages of the frame contain, as far as the SDK reads it. The sender was checked: it is the service's own page. */
interface Payload {
  readonly requestId: string;
  readonly ok: boolean;
  readonly value: unknown;
  readonly error: { readonly code: string; readonly message: string };
  readonly code: string;
  readonly message: string;
  readonly height: number;
}

interface Pending {
  readonly message: object;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: SdkError) => void;
}

type Listener = (payload: unknown) => void;

export interface Frame {
  readonly iframe: HTMLIFrameElement;
  readonly ready: Promise<unknown>;
  /** Sends a command and resolves with its answer; rejects after 30 seconds without one. */
  send(type: string, payload?: unknown): Promise<unknown>;
  /** Without a time limit: a run takes as long as it takes. */
  sendLong(type: string): Promise<unknown>;
  on(name: string, listener: Listener): () => void;
  destroy(): void;
}

/** Opens the frame in its container. Throws if there is no container. */
export function openFrame(frame: FrameOptions): Frame {
  const { options } = frame;
  const { fetchToken } = options;
  const base = (options.baseUrl ?? frame.script.replace(/\/embed\/sdk\/.*/s, "")).replace(
    /\/$/,
    "",
  );
  const { origin } = new URL(base, location.href);
  const container =
    typeof options.container === "string"
      ? document.querySelector(options.container)
      : options.container;
  if (container === null) {
    throw failure("container_not_found", "The container of the frame does not exist.");
  }
  const iframe = document.createElement("iframe");
  iframe.title = options.title ?? frame.title;
  iframe.allow = "clipboard-write; fullscreen";
  iframe.style.border = "0";
  iframe.style.width = "100%";

  const listeners = new Map<string, Set<Listener>>();
  const pending = new Map<string, Pending>();
  const timers = new Set<ReturnType<typeof setTimeout>>();
  let token = "";
  let port: MessagePort | undefined;
  let isReady = false;
  let isFetching = false;
  let end: SdkError | undefined;
  let count = 0;

  let becomeReady: (value: unknown) => void = () => undefined;
  let failReady: (error: SdkError) => void = () => undefined;
  const ready = new Promise<unknown>((resolve, reject) => {
    becomeReady = resolve;
    failReady = reject;
  });
  // Callers that do not look at `ready` learn of it from their calls and from the event `error`.
  ready.catch(() => undefined);

  const stop = (timer: ReturnType<typeof setTimeout>) => {
    clearTimeout(timer);
    timers.delete(timer);
  };
  const after = (delayMs: number, run: () => void) => {
    const timer = setTimeout(() => {
      timers.delete(timer);
      run();
    }, delayMs);
    timers.add(timer);
    return timer;
  };
  const rejectAll = (error: SdkError) => {
    for (const { reject } of pending.values()) {
      reject(error);
    }
  };
  const failStart = (error: SdkError) => {
    if (!isReady) {
      failReady(error);
      rejectAll(error);
    }
  };

  const send = (type: string, payload?: unknown, limitMs?: number) =>
    new Promise<unknown>((resolve, reject) => {
      if (end !== undefined) {
        reject(end);
        return;
      }
      count += 1;
      const requestId = `sdk-${String(count)}`;
      const message = { type, payload, requestId };
      const timer = after(limitMs ?? DELAY_MS_MAX, () => {
        pending.get(requestId)?.reject(failure("timeout", `${type} was not answered.`));
      });
      const settled = () => {
        stop(timer);
        pending.delete(requestId);
      };
      pending.set(requestId, {
        message,
        resolve: (value) => {
          settled();
          resolve(value);
        },
        reject: (error) => {
          settled();
          reject(error);
        },
      });
      port?.postMessage(message);
    });

  const plan = () => {
    const leftMs = endOf(token) - Date.now() - REFRESH_MS;
    if (fetchToken !== undefined && leftMs < DELAY_MS_MAX) {
      after(Math.max(leftMs, RETRY_MS), refresh);
    }
  };
  const refresh = () => {
    if (fetchToken === undefined || isFetching) {
      return;
    }
    isFetching = true;
    // A function that throws fails like one that rejects.
    Promise.resolve()
      .then(fetchToken)
      .then(
        (fetched) => {
          isFetching = false;
          if (end === undefined) {
            token = fetched;
            send("svc:setToken", { token }, ANSWER_MS_MAX).catch(() => undefined);
            plan();
          }
        },
        () => {
          isFetching = false;
          if (end === undefined) {
            after(RETRY_MS, refresh);
          }
        },
      );
  };

  const settle = ({ requestId, ok, value, error }: Payload) => {
    const call = pending.get(requestId);
    if (ok) {
      call?.resolve(value);
    } else {
      call?.reject(failure(error.code, error.message));
    }
  };
  /** False if the event is not for listeners. */
  const heed = (type: string, payload: Payload): boolean => {
    switch (type) {
      case "svc:result":
        settle(payload);
        return false;
      case "svc:welcome":
        return false;
      case frame.readyType:
        isReady = true;
        becomeReady(payload);
        break;
      case "svc:resize":
        if (frame.isResized) {
          iframe.style.height = `${String(payload.height)}px`;
        }
        break;
      case "svc:error":
        if (isReady && payload.code === "token_missing") {
          // The frame has loaded itself again, and its address has no token any more.
          isReady = false;
          show();
          return false;
        }
        if (isReady && payload.code === "token_expired") {
          refresh();
        }
        failStart(failure(payload.code, payload.message));
        break;
    }
    return true;
  };
  const receive = ({ data }: MessageEvent) => {
    const { type, payload } = (data ?? {}) as {
      readonly type?: unknown;
      readonly payload: Payload;
    };
    if (typeof type === "string" && type.startsWith("svc:") && heed(type, payload)) {
      for (const listener of listeners.get(type.slice(4)) ?? []) {
        try {
          listener(payload);
        } catch (error) {
          reportError(error);
        }
      }
    }
  };
  const receiveFromWindow = (event: MessageEvent) => {
    if (event.origin === origin && event.source === iframe.contentWindow) {
      receive(event);
    }
  };
  addEventListener("message", receiveFromWindow);

  /** Greets the document that the frame has loaded, with a port of its own: a port serves one document. */
  const greet = () => {
    if (port !== undefined) {
      port.close();
      rejectAll(failure("reloaded", "The frame was loaded again."));
    }
    const channel = new MessageChannel();
    port = channel.port1;
    port.onmessage = receive;
    const hello = { type: "svc:hello", payload: { versions: ["1"], sdk: VERSION } };
    iframe.contentWindow?.postMessage(hello, origin, [channel.port2]);
    for (const message of frame.settings) {
      port.postMessage(message);
    }
    for (const { message } of pending.values()) {
      port.postMessage(message);
    }
  };
  iframe.addEventListener("load", greet);

  const show = () => {
    const address = new URL(base + frame.path(workflowOf(token)), location.href);
    for (const [name, value] of Object.entries({ ...frame.query, embed: true, token })) {
      if (value !== undefined) {
        address.searchParams.set(name, String(value));
      }
    }
    // In this order: a frame without an address would load an empty page first, and be greeted there.
    iframe.src = address.href;
    if (iframe.parentNode === null) {
      container.append(iframe);
    }
  };
  const start = (given: string) => {
    if (end === undefined) {
      token = given;
      show();
      plan();
    }
  };

  after(options.readyTimeoutMs ?? READY_MS, () => {
    failStart(failure("blocked_or_unreachable", "The frame did not become ready."));
  });
  const on = (name: string, listener: Listener) => {
    const set = listeners.get(name) ?? new Set();
    listeners.set(name, set.add(listener));
    return () => {
      set.delete(listener);
    };
  };
  for (const [name, listener] of Object.entries(options.on ?? {})) {
    on(name, listener as Listener);
  }
  if (fetchToken === undefined) {
    start(options.token);
  } else {
    Promise.resolve()
      .then(fetchToken)
      .then(start, (thrown: unknown) => {
        failStart(failure("token_unavailable", String(thrown)));
      });
  }

  return {
    iframe,
    ready,
    send: (type, payload) => send(type, payload, ANSWER_MS_MAX),
    sendLong: (type) => send(type),
    on,
    destroy() {
      if (end !== undefined) {
        return;
      }
      end = failure("destroyed", "The frame was removed.");
      failReady(end);
      rejectAll(end);
      for (const timer of timers) {
        stop(timer);
      }
      listeners.clear();
      removeEventListener("message", receiveFromWindow);
      iframe.removeEventListener("load", greet);
      port?.close();
      iframe.remove();
    },
  };
}

export function themeOf(theme: CommonOptions["theme"]): Theme | undefined {
  return typeof theme === "string" ? { mode: theme } : theme;
}

function failure(code: string, message: string): SdkError {
  return Object.assign(new Error(message), { code });
}

/** The members of a token, which only the service verifies; none for a text that is not a token. */
function claimsOf(token: string): { readonly wf?: string; readonly exp?: number } {
  try {
    // Base64url of JSON; names of workflows and times are ASCII.
    return JSON.parse(atob((token.split(".")[1] ?? "").replace(/-/g, "+").replace(/_/g, "/"))) as {
      readonly wf?: string;
      readonly exp?: number;
    };
  } catch {
    return {};
  }
}

function workflowOf(token: string): string | undefined {
  return claimsOf(token).wf;
}

/** In milliseconds; infinite for a token that says nothing. */
function endOf(token: string): number {
  return (claimsOf(token).exp ?? Number.POSITIVE_INFINITY) * 1000;
}
