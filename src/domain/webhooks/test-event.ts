import { TEST_EVENT } from "../../contracts/webhook.ts";
import type { EndpointRecord } from "./endpoint-record.ts";

/** Body of the event that a test sends (docs/contract/webhooks.md#events): CloudEvents 1.0, structured. `baseUrl` without a trailing slash. */
export function testEventBody(
  eventId: string,
  endpoint: EndpointRecord,
  baseUrl: string,
  nowMs: number,
): string {
  return JSON.stringify({
    specversion: "1.0",
    id: eventId,
    source: `${baseUrl}/api/v1`,
    type: TEST_EVENT,
    subject: endpoint.id,
    time: new Date(nowMs).toISOString(),
    datacontenttype: "application/json",
    data: {
      endpoint_id: endpoint.id,
      url_revision: endpoint.url_revision,
      message:
        "A test of this webhook endpoint. Verify its signature and answer with any 2xx status to let it pass.",
    },
  });
}
