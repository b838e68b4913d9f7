import { Webhook as StandardWebhook } from "standardwebhooks";
import { Webhook as SvixWebhook } from "svix";
import { describe, expect, test } from "vitest";
import {
  newSigningSecret,
  signWebhook,
} from "../../../src/domain/webhooks/deliveries/sign-webhook.ts";
import { SeededRandom } from "../../simulation/seeded-random.ts";

const nowS = () => Math.floor(Date.now() / 1000);

function headersOf(id: string, timestamp: number, signature: string) {
  return {
    "webhook-id": id,
    "webhook-timestamp": String(timestamp),
    "webhook-signature": signature,
  };
}

describe("the signature of a webhook", () => {
  test("equals the vectors of the Standard Webhooks specification", () => {
    const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
    const message = {
      id: "msg_p5jXN8AQM9LWM0D4loKWxJek",
      timestamp: 1_614_265_330,
      body: '{"test": 2432232314}',
    };
    expect(signWebhook(message, [secret])).toBe("v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=");
  });

  test("is accepted by the libraries of receivers, for any body", () => {
    const random = new SeededRandom(5);
    for (let i = 0; i < 200; i++) {
      const secret = newSigningSecret();
      const text = Array.from({ length: random.int(0, 400) }, () =>
        String.fromCodePoint(random.pick([0x20, 0x41, 0xe9, 0x4e2d, 0x1f600, 0x0a, 0x22])),
      ).join("");
      const message = { id: `evt_${i}`, timestamp: nowS(), body: JSON.stringify({ text }) };
      const headers = headersOf(message.id, message.timestamp, signWebhook(message, [secret]));
      expect(new StandardWebhook(secret).verify(message.body, headers)).toEqual({ text });
      expect(new SvixWebhook(secret).verify(message.body, headers)).toEqual({ text });
    }
  });

  test("is accepted with the old secret and with the new one during an overlap", () => {
    const [current, previous] = [newSigningSecret(), newSigningSecret()];
    const message = { id: "evt_1", timestamp: nowS(), body: "{}" };
    const signature = signWebhook(message, [current, previous]);
    expect(signature).toMatch(/^v1,[A-Za-z0-9+/]{43}= v1,[A-Za-z0-9+/]{43}=$/);
    const headers = headersOf(message.id, message.timestamp, signature);
    for (const secret of [current, previous]) {
      expect(new StandardWebhook(secret).verify("{}", headers)).toEqual({});
      expect(new SvixWebhook(secret).verify("{}", headers)).toEqual({});
    }
    expect(() => new StandardWebhook(newSigningSecret()).verify("{}", headers)).toThrow();
  });

  test("is rejected for another id, time, body or secret, and if it is older than five minutes", () => {
    const secret = newSigningSecret();
    const message = { id: "evt_1", timestamp: nowS(), body: '{"a":1}' };
    const signature = signWebhook(message, [secret]);
    const verifier = new StandardWebhook(secret);
    const good = headersOf(message.id, message.timestamp, signature);
    expect(verifier.verify(message.body, good)).toEqual({ a: 1 });
    expect(() => verifier.verify('{"a":2}', good)).toThrow();
    expect(() => verifier.verify(message.body, { ...good, "webhook-id": "evt_2" })).toThrow();
    expect(() =>
      verifier.verify(message.body, headersOf("evt_1", message.timestamp - 1, signature)),
    ).toThrow();
    const stale = { ...message, timestamp: message.timestamp - 301 };
    expect(() =>
      verifier.verify(
        message.body,
        headersOf("evt_1", stale.timestamp, signWebhook(stale, [secret])),
      ),
    ).toThrow();
  });

  test("uses secrets with 32 random bytes, each different", () => {
    const secrets = Array.from({ length: 100 }, newSigningSecret);
    expect(new Set(secrets).size).toBe(100);
    for (const secret of secrets) {
      expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
      expect(Buffer.from(secret.slice(6), "base64").byteLength).toBe(32);
    }
  });
});
