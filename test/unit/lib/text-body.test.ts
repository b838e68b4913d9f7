import { describe, expect, it } from "vitest";
import { textBody } from "../../../src/lib/http/text-body.ts";

async function* pieces(count: number, piece: string, onEnd?: () => void) {
  try {
    for (let made = 0; made < count; made++) {
      yield piece;
    }
  } finally {
    onEnd?.();
  }
}

describe("textBody", () => {
  it("returns a small body as one string", async () => {
    expect(await textBody(pieces(3, "aé"))).toBe("aéaéaé");
  });

  it("streams a large body with every byte in order", async () => {
    const body = await textBody(pieces(500, "0123456789é".repeat(100)));
    expect(body).toBeInstanceOf(ReadableStream);
    const text = await new Response(body as ReadableStream).text();
    expect(text).toBe("0123456789é".repeat(50_000));
  });

  it("stops creating pieces when the reader cancels", async () => {
    let ended = false;
    const body = await textBody(pieces(10_000, "x".repeat(1000), () => (ended = true)));
    const reader = (body as ReadableStream<Uint8Array>).getReader();
    await reader.read();
    await reader.cancel();
    expect(ended).toBe(true);
  });
});
