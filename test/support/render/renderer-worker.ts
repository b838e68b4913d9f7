/** The part of the renderer that the API Worker calls, for Worker tests. */
export { Renderer } from "../../../src/workers/renderer/render-entry.ts";

export default { fetch: () => new Response(null, { status: 404 }) } satisfies ExportedHandler;
