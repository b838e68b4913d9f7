/** The part of the runner that the API Worker calls, for worker tests. */
export { FontChecker } from "../../../src/workers/runner/font-checker.ts";

export default { fetch: () => new Response(null, { status: 404 }) } satisfies ExportedHandler;
