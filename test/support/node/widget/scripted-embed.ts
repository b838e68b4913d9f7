/**
 * A service of `/embed` and `/api/embed` on loopback with scripted answers, for tests of the widget's page: the built
 * files and the headers are those of the API Worker; runs wait until the test releases them.
 */
import { readFile } from "node:fs/promises";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { bringUpWeb } from "../../../../scripts/web-files.ts";
import { CONFIG, picture, resultOf } from "./scripted-results.ts";

const BUILT = new URL("../../../../dist/assets/embed/", import.meta.url);

/** Headers of the page as docs/embeds.md has them, for a host on any loopback origin. */
const CONTENT_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; media-src 'self' blob:; font-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'self' http://localhost:* http://127.0.0.1:*";

type Config = typeof CONFIG;

/** What a run does: its events in order, each sent when the test allows it (`release`), and its result. */
export interface Script {
  readonly config?: Partial<Config>;
  /** Status of `check-execution`; 200 without it. */
  readonly permitProblem?: {
    readonly status: number;
    readonly code: string;
    readonly reason?: string;
  };
  readonly end?: "completed" | "partial_success" | "failed" | "cancelled";
  readonly result?: ReturnType<typeof resultOf>;
  /** The stream of events breaks off after this many events, once. */
  readonly breakAfter?: number;
  /** Streams are refused, so that the page polls. */
  readonly hasNoStream?: boolean;
  /** Changes the built script of the page, to plant faults and pseudo-texts. */
  readonly rewrite?: (code: string) => string;
  /** Uploads wait until `releaseUploads`. */
  readonly holdsUploads?: boolean;
  /** What the page reads first is not answered, so that it goes on loading. */
  readonly holdsConfig?: boolean;
  /** What the page reads first is refused so. */
  readonly configProblem?: {
    readonly status: number;
    readonly code: string;
    readonly reason?: string;
  };
}

export interface ScriptedEmbed {
  readonly origin: string;
  /** Requests so far: method, path, and body of submits. */
  readonly requests: readonly {
    readonly call: string;
    readonly body: string;
    readonly lastEventId: string | undefined;
  }[];
  script(script: Script): void;
  /** Origin of the page that embeds, another one on the same port. */
  readonly host: string;
  /** Address of the widget's page. */
  page(query?: string): string;
  /** Lets the run go on to its end. */
  release(): void;
  releaseUploads(): void;
  close(): Promise<void>;
}

/** A token whose claims are read by the page; nothing verifies it here. */
export function scriptedToken(claims: Readonly<Record<string, unknown>> = {}): string {
  const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url");
  return `${part({ alg: "HS256" })}.${part({ wf: "wf_1", if: null, end_user_id: null, ...claims })}.c2lnbmF0dXJl`;
}

/** Starts the service. `origins` are those whose messages the page hears, besides its own. */
export async function startScriptedEmbed(origins: readonly string[] = []): Promise<ScriptedEmbed> {
  await bringUpWeb();
  const manifest = JSON.parse(await readFile(new URL("manifest.json", BUILT), "utf8")) as {
    readonly pages: Readonly<
      Record<string, { readonly script: string; readonly styles: readonly string[] }>
    >;
  };
  const requests: { call: string; body: string; lastEventId: string | undefined }[] = [];
  let script: Script = {};
  let gate = Promise.withResolvers<void>();
  let uploads = Promise.withResolvers<void>();
  let hasBroken = false;
  let isCancelled = false;

  const server = createServer((request, response) => {
    void serve(request, response).catch(() => {
      response.destroy();
    });
  });

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname, searchParams } = new URL(request.url ?? "/", "http://loopback");
    if (pathname === "/host") {
      response.writeHead(200, { "content-type": "text/html; charset=utf-8" });
      response.end(HOST);
      return;
    }
    if (pathname.startsWith("/embed/assets/")) {
      const name = pathname.slice("/embed/assets/".length);
      const type = name.endsWith(".css") ? "text/css" : "text/javascript";
      response.writeHead(200, {
        "content-type": `${type}; charset=utf-8`,
        "x-content-type-options": "nosniff",
      });
      const bytes = await readFile(new URL(`assets/${name}`, BUILT));
      response.end(
        name.endsWith(".js") && script.rewrite !== undefined
          ? script.rewrite(bytes.toString("utf8"))
          : bytes,
      );
      return;
    }
    if (pathname.startsWith("/embed/")) {
      const page = manifest.pages["widget"];
      const locale = (searchParams.get("locale") ?? "en").slice(0, 2);
      response.writeHead(200, {
        "content-type": "text/html; charset=utf-8",
        "content-security-policy": CONTENT_POLICY,
        "referrer-policy": "no-referrer",
      });
      response.end(
        `<!doctype html><html lang="${locale}" dir="${locale === "ar" ? "rtl" : "ltr"}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>Widget</title><meta name="svc-allowed-origins" content="${[...origins, origin().replace("127.0.0.1", "localhost")].join(" ")}">${(page?.styles ?? []).map((name) => `<link rel="stylesheet" href="/embed/assets/${name}">`).join("")}<script type="module" src="/embed/assets/${page?.script ?? ""}"></script></head><body></body></html>`,
      );
      return;
    }
    if (pathname.startsWith("/files/")) {
      const file = picture(pathname);
      response.writeHead(200, { "content-type": file.type, "access-control-allow-origin": "*" });
      response.end(file.bytes);
      return;
    }
    const chunks: Buffer[] = [];
    for await (const chunk of request) {
      chunks.push(chunk as Buffer);
    }
    const body = Buffer.concat(chunks).toString("latin1");
    const call = `${request.method ?? ""} ${pathname}`;
    const lastEventId = request.headers["last-event-id"];
    requests.push({
      call,
      body,
      lastEventId: typeof lastEventId === "string" ? lastEventId : undefined,
    });
    await answer(call, body, request, response);
  }

  function json(response: ServerResponse, status: number, body: unknown): void {
    response.writeHead(status, { "content-type": "application/json" });
    response.end(JSON.stringify(body));
  }

  async function answer(
    call: string,
    body: string,
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<void> {
    switch (call) {
      case "GET /api/embed/config":
        if (script.holdsConfig === true) {
          await new Promise(() => undefined);
        }
        if (script.configProblem !== undefined) {
          json(response, script.configProblem.status, script.configProblem);
          return;
        }
        json(response, 200, { ...CONFIG, ...script.config });
        return;
      case "POST /api/embed/check-execution":
        if (script.permitProblem === undefined) {
          json(response, 200, {
            allowed: true,
            permit: `prm_${"0".repeat(32)}`,
            executions: { max: 5, used: 1, remaining: 4 },
          });
        } else {
          json(response, script.permitProblem.status, {
            ...script.permitProblem,
            request_id: "req_7fk2m9qd",
          });
        }
        return;
      case "POST /api/embed/executions":
        isCancelled = false;
        json(response, 202, { id: "run_1", status: "pending", progress: 0 });
        return;
      case "GET /api/embed/executions/run_1":
        if (script.hasNoStream === true) {
          await gate.promise;
        }
        json(response, 200, {
          id: "run_1",
          status: end(),
          progress: 100,
          error_code: end() === "failed" ? "AN_ERROR_OF_THE_TEST" : null,
        });
        return;
      case "GET /api/embed/executions/run_1/events":
        await events(request, response);
        return;
      case "GET /api/embed/executions/run_1/result":
        json(response, 200, script.result ?? resultOf(origin(), end()));
        return;
      case "POST /api/embed/executions/run_1/cancel":
        isCancelled = true;
        gate.resolve();
        json(response, 202, { id: "run_1", status: "cancelling", progress: 10 });
        return;
      case "POST /api/embed/assets": {
        if (script.holdsUploads === true) {
          await uploads.promise;
        }
        const name = /filename="([^"]*)"/.exec(body)?.[1] ?? "file";
        json(response, 201, {
          path: `assets/${name}`,
          name,
          content_type: "image/png",
          size_bytes: 8_598_323,
        });
        return;
      }
      default:
        json(response, 404, { code: "not_found", status: 404 });
    }
  }

  const end = () => (isCancelled ? "cancelled" : (script.end ?? "completed"));

  async function events(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (script.hasNoStream === true) {
      json(response, 503, { code: "service_unavailable", status: 503 });
      return;
    }
    response.writeHead(200, { "content-type": "text/event-stream" });
    const from = Number(String(request.headers["last-event-id"] ?? "1-0").split("-")[1]);
    const list: (readonly [string, unknown])[] = [
      ["status", { status: "running" }],
      ["progress", { progress: 30 }],
      ["output", { node_id: "o", presence: "present", input_indices: [0] }],
      ["progress", { progress: 62 }],
      ["progress", { progress: 40 }],
    ];
    for (const [i, [event, data]] of list.entries()) {
      if (i >= from) {
        response.write(
          `id: 1-${String(i + 1)}\nevent: ${event}\ndata: ${JSON.stringify(data)}\n\n`,
        );
        if (!hasBroken && script.breakAfter === i + 1) {
          hasBroken = true;
          response.end();
          return;
        }
      }
    }
    await gate.promise;
    response.end(`id: 1-9\nevent: done\ndata: ${JSON.stringify({ status: end() })}\n\n`);
  }

  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  const origin = () => `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`;
  return {
    origin: origin(),
    host: origin().replace("127.0.0.1", "localhost"),
    requests,
    script: (next) => {
      script = next;
      gate = Promise.withResolvers<void>();
      uploads = Promise.withResolvers<void>();
      hasBroken = false;
      isCancelled = false;
      requests.length = 0;
    },
    page: (query = "") =>
      `${origin()}/embed/wf_1?token=${scriptedToken()}${query === "" ? "" : `&${query}`}`,
    release: () => {
      gate.resolve();
    },
    releaseUploads: () => {
      uploads.resolve();
    },
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => {
          resolve();
        });
      }),
  };
}

/** A page that embeds the widget, records its messages, follows its size, and sends commands. */
const HOST = `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Host</title></head><body style="margin:0"><script>
  const messages = [];
  const waiting = new Map();
  let frame;
  let count = 0;
  addEventListener("message", (event) => {
    if (event.source !== frame?.contentWindow) return;
    const { type, payload } = event.data;
    messages.push({ type, payload });
    if (type === "svc:resize") frame.style.height = payload.height + "px";
    if (type === "svc:result") waiting.get(payload.requestId)?.(payload);
  });
  const send = (type, payload) => new Promise((resolve) => {
    const requestId = "r" + (count += 1);
    waiting.set(requestId, resolve);
    frame.contentWindow.postMessage({ type, payload, requestId }, "*");
  });
  const show = (address, width) => {
    messages.length = 0;
    frame?.remove();
    frame = document.createElement("iframe");
    frame.style.cssText = "border:0;display:block;height:0;width:" + width;
    frame.title = "Widget";
    frame.src = address;
    document.body.append(frame);
  };
</script></body></html>`;
