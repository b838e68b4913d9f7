/** The part of the runner that the API Worker calls, for worker tests. */
import { WorkerEntrypoint } from "cloudflare:workers";

export { FontChecker } from "../../../src/workers/runner/font-checker.ts";

/** Nobody builds archives here: a test that wants one plays the builder. */
export class ZipBuilders extends WorkerEntrypoint {
  wake(): Promise<void> {
    return Promise.resolve();
  }
}

export default { fetch: () => new Response(null, { status: 404 }) } satisfies ExportedHandler;
