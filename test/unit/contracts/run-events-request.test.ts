import { describe, expect, it } from "vitest";
import {
  eventsRequestUrl,
  readEventsRequest,
} from "../../../src/contracts/runs/run-events-request.ts";

describe("the address of a request for a run's events", () => {
  it("contains the request, with any characters", () => {
    for (const lastEventId of [null, "", "0-0", "1-0&v=2#x", "é %26 + \u0000"]) {
      const request = {
        v: 1,
        workspace_id: "ws_1",
        base_url: "http://127.0.0.1:8787",
        last_event_id: lastEventId,
      } as const;
      expect(readEventsRequest(eventsRequestUrl(request))).toEqual(request);
    }
  });

  it("is not recognized in any other address; its content is checked by the receiver", () => {
    for (const url of [
      "https://run/",
      "https://run/events?request=",
      "https://run/events?request={",
    ]) {
      expect(readEventsRequest(url)).toBeNull();
    }
  });
});
