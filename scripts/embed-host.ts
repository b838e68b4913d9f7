/** A server for pages that embed a workflow and the editor: the demo's, and those of tests. */
import { readFile } from "node:fs/promises";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { ApiClient } from "./api-client.ts";

const FILES_DIR = fileURLToPath(new URL("../samples/embed-host", import.meta.url));
const TOKEN_MINUTES = 60;

const TYPES: Readonly<Record<string, string>> = {
  html: "text/html; charset=utf-8",
  css: "text/css; charset=utf-8",
  js: "text/javascript; charset=utf-8",
};

export interface EmbedHostOptions {
  /** Of the workspace that owns the workflow; its key mints the tokens. */
  readonly client: ApiClient;
  readonly workflowId: string;
  readonly port: number;
  /** `127.0.0.1` or `localhost`, which are different origins to a browser. */
  readonly hostName?: "127.0.0.1" | "localhost";
  /** Further pages by path, as HTML. */
  readonly pages?: Readonly<Record<string, string>>;
  /** Further members of the bodies that mint tokens. */
  readonly minted?: Readonly<Record<string, unknown>>;
}

export interface EmbedHost {
  readonly origin: string;
  stop(): Promise<void>;
}

/** Serves `samples/embed-host`, and `POST /token` and `/editor-token`, which mint tokens for this origin. */
export async function startEmbedHost(options: EmbedHostOptions): Promise<EmbedHost> {
  const { client, workflowId, port, hostName = "127.0.0.1", pages = {} } = options;
  const host = `${hostName}:${String(port)}`;
  const origin = `http://${host}`;
  const mint = async (path: string, more: object) => {
    const body = {
      allowed_origins: [origin],
      expires_in_minutes: TOKEN_MINUTES,
      end_user_id: "demo",
      ...options.minted,
      ...more,
    };
    return (await client.call<{ token: string }>("POST", path, { body })).token;
  };
  const files = new Map<string, string>();
  for (const name of ["index.html", "host.css", "host.js"]) {
    const text = await readFile(join(FILES_DIR, name), "utf8");
    files.set(
      `/${name}`,
      text.replaceAll("SERVICE", client.baseUrl).replaceAll("WORKFLOW", workflowId),
    );
  }

  const answer = async (
    request: IncomingMessage,
  ): Promise<readonly [status: number, type: string, text: string]> => {
    const { pathname } = new URL(request.url ?? "/", origin);
    // A name that another site has pointed at this machine gets no token.
    if (request.headers.host !== host) {
      return [403, "txt", "Open this page by its own address."];
    }
    if (request.method === "POST") {
      switch (pathname) {
        case "/token":
          return [200, "txt", await mint("/api/v1/embed/tokens", { workflow: workflowId })];
        case "/editor-token":
          return [200, "txt", await mint("/api/v1/embed/editor/tokens", {})];
      }
    }
    const path = pathname === "/" ? "/index.html" : pathname;
    const text = Object.hasOwn(pages, path) ? pages[path] : files.get(path);
    return text === undefined
      ? [404, "txt", "This file does not exist."]
      : [200, Object.hasOwn(pages, path) ? "html" : path.slice(path.lastIndexOf(".") + 1), text];
  };
  const server = createServer((request, response) => {
    answer(request).then(
      ([status, type, text]) => {
        respond(response, status, type, text);
      },
      (error: unknown) => {
        respond(response, 502, "txt", String(error));
      },
    );
  });
  await new Promise<void>((done, failed) => {
    server.once("error", failed);
    server.listen(port, hostName, done);
  });
  return {
    origin,
    stop: () =>
      new Promise((done) => {
        server.close(() => {
          done();
        });
        server.closeAllConnections();
      }),
  };
}

function respond(response: ServerResponse, status: number, type: string, text: string): void {
  response.writeHead(status, {
    "content-type": TYPES[type] ?? "text/plain; charset=utf-8",
    "cache-control": "no-store",
  });
  response.end(text);
}
