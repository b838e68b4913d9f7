/**
 * Checks every response of a service that a test has started against the document that the service serves: `fetch` is
 * wrapped, as in `send-again.ts`. Not in the benchmarks.
 */
import { DocumentHolder } from "../openapi/hold-to-document.ts";
import { startedServices } from "./started-services.ts";

const fetchUnheld = globalThis.fetch;
/** Of the first service that answers: all services of a test file run the same code, and each takes time to build it. */
let document = new DocumentHolder();

/** For the next test file of this process: its services can be of another build, and other servers can reuse the ports. */
export function forgetServices(): void {
  document = new DocumentHolder();
  startedServices.clear();
}

globalThis.fetch = async (input, init) => {
  const response = await fetchUnheld(input, init);
  // The final URL, which a redirect may have changed.
  const url = new URL(response.url);
  const asked = init?.method ?? (input instanceof Request ? input.method : "GET");
  const method = response.redirected ? "GET" : asked;
  if (startedServices.has(url.origin) && method !== "HEAD") {
    const { status, headers, body } = response;
    // For files and event streams, only status and headers are checked.
    const isFile = response.ok && body !== null && !/json/.test(headers.get("content-type") ?? "");
    const text = isFile ? "(not read)" : await response.clone().text();
    await document.hold({ method, url: url.pathname, status, headers, text }, () =>
      fetchUnheld(`${url.origin}/swagger/public-v1/swagger.json`),
    );
  }
  return response;
};
