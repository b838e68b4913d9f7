import { describe, expect, it } from "vitest";
import { eventsRequestUrl, readEventsRequest } from "../../../src/contracts/run-events-request.ts";

describe("the address that asks for a run's events", () => {
  it("says what is asked, whatever characters it has", () => {
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

  it("is nothing at every other address; its shape is checked where it comes in", () => {
    for (const url of [
      "https://run/",
      "https://run/events?request=",
      "https://run/events?request={",
    ]) {
      expect(readEventsRequest(url)).toBeNull();
    }
  });
});
