import { describe, expect, it } from "vitest";
import { PEER_PRICES, peerCost } from "../../../bench/scale/peer-bill.ts";

describe("the bill of other services", () => {
  const cost = (service: string, at: 0 | 1) => {
    const peer = PEER_PRICES.find((candidate) => candidate.service.startsWith(service))!;
    return peerCost(peer, peer.units[at]);
  };

  it("is units times price, and what each run costs besides", () => {
    // 11 Actions at $50 and the plan's tenth; 10 transitions at $0.025 a thousand.
    expect(cost("Temporal", 0)).toBeCloseTo(605);
    expect(cost("AWS Step Functions Standard", 0)).toBeCloseTo(250);
    expect(cost("AWS Step Functions Standard", 1)).toBeCloseTo(25_025);
    expect(cost("AWS Step Functions Express", 0)).toBeCloseTo(1.104, 3);
    // $25 for the runs, and ten or a thousand steps at $20 a million.
    expect(cost("Inngest", 0)).toBeCloseTo(225);
    expect(cost("Inngest", 1)).toBeCloseTo(20_025);
  });

  it("cites a public address as its source", () => {
    for (const { source } of PEER_PRICES) {
      expect(new URL(source).protocol).toBe("https:");
    }
  });
});
