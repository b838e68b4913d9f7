/** The worker of the page that computes layouts. */
import { layoutGraph, type LayoutRequest } from "./core/layout-graph.ts";

addEventListener("message", ({ data }: MessageEvent<{ job: number; request: LayoutRequest }>) => {
  postMessage({ job: data.job, places: [...layoutGraph(data.request)] });
});
