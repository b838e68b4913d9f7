import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { build } from "esbuild";

/** What the canvas of the editor adds to: xyflow on React with its own cards, background and minimap. */
const SOURCE = `
  import { Background, MiniMap, ReactFlow } from "@xyflow/react";
  import "@xyflow/react/dist/style.css";
  import { createElement } from "react";
  import { createRoot } from "react-dom/client";

  const { nodes, edges } = await (await fetch("/graph.json")).json();
  createRoot(document.querySelector("#root")).render(
    createElement(
      ReactFlow,
      {
        defaultNodes: nodes,
        defaultEdges: edges,
        minZoom: 0.1,
        maxZoom: 2,
        onlyRenderVisibleElements: true,
        fitView: location.hash === "#fit",
      },
      createElement(Background, { gap: 20, size: 1.5 }),
      createElement(MiniMap, { pannable: true, zoomable: true }),
    ),
  );
`;

export interface PlainFlow {
  /** A page with the graph at 100 %. */
  readonly address: string;
  /** The same with all nodes in view. */
  readonly fitAddress: string;
  /** A page without anything. */
  readonly emptyAddress: string;
  stop(): Promise<void>;
}

/** Serves, on loopback, a page of xyflow on React that shows the graph, and an empty page. */
export async function servePlainFlow(graph: {
  readonly nodes: readonly object[];
  readonly edges: readonly object[];
}): Promise<PlainFlow> {
  const { outputFiles } = await build({
    stdin: { contents: SOURCE, resolveDir: process.cwd() },
    bundle: true,
    minify: true,
    format: "esm",
    platform: "browser",
    target: "es2022",
    define: { "process.env.NODE_ENV": '"production"' },
    outdir: "plain-flow",
    write: false,
  });
  const built = (ending: string) =>
    outputFiles.find(({ path }) => path.endsWith(ending))?.text ?? "";
  const page = `<!doctype html><title>Plain</title><link rel="stylesheet" href="/plain.css"><style>html, body, #root { height: 100%; margin: 0 }</style><div id="root"></div><script type="module" src="/plain.js"></script>`;
  const files: Readonly<Record<string, readonly [type: string, text: string]>> = {
    "/": ["text/html", page],
    "/empty": ["text/html", "<!doctype html><title>Empty</title>"],
    "/plain.js": ["text/javascript", built(".js")],
    "/plain.css": ["text/css", built(".css")],
    "/graph.json": ["application/json", JSON.stringify(graph)],
  };
  const server = createServer((request, response) => {
    const [type, text] = files[request.url ?? ""] ?? ["text/plain", ""];
    response.setHeader("content-type", `${type}; charset=utf-8`);
    response.end(text);
  });
  await new Promise<void>((done) => {
    server.listen(0, "127.0.0.1", done);
  });
  const origin = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`;
  return {
    address: `${origin}/`,
    fitAddress: `${origin}/#fit`,
    emptyAddress: `${origin}/empty`,
    stop: () =>
      new Promise((done) => {
        server.close(() => {
          done();
        });
        server.closeAllConnections();
      }),
  };
}
