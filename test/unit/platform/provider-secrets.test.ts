import { describe, expect, test } from "vitest";
import {
  openSecret,
  parseSecretKeys,
  type SecretPlace,
  sealSecret,
} from "../../../src/platform/provider-secrets.ts";

const key = (byte: number) => Buffer.alloc(32, byte).toString("base64");
const PLACE: SecretPlace = {
  scope: "workspace",
  workspaceId: "ws_1",
  providerId: "replicate",
  field: "api_key",
};

describe("a sealed secret", () => {
  test("opens at its place only, and is never the same text twice", async () => {
    const sealed = await sealSecret(key(1), PLACE, "r8-märker");
    expect(await openSecret(key(1), PLACE, sealed)).toBe("r8-märker");
    expect(await sealSecret(key(1), PLACE, "r8-märker")).not.toBe(sealed);
    const bytes = Buffer.from("r8-märker");
    expect(sealed).not.toContain(bytes.toString("base64").slice(0, 10));
    expect(Buffer.from(sealed.split(".")[2] ?? "", "base64").includes(bytes)).toBe(false);
    const others: SecretPlace[] = [
      { ...PLACE, scope: "system", workspaceId: null },
      { ...PLACE, workspaceId: "ws_2" },
      { ...PLACE, providerId: "fal" },
      { ...PLACE, field: "headers" },
    ];
    for (const place of others) {
      expect(await openSecret(key(1), place, sealed)).toBeUndefined();
    }
  });

  test("is AES-256-GCM with a nonce of 96 bits, as Node's own implementation reads it", async () => {
    const { createDecipheriv } = await import("node:crypto");
    const sealed = await sealSecret(`${key(7)},${key(1)}`, PLACE, "the key");
    const [format, nonce, bytes] = sealed.split(".");
    const data = Buffer.from(bytes!, "base64");
    const iv = Buffer.from(nonce!, "base64");
    expect([format, iv.length]).toEqual(["v1", 12]);
    const decipher = createDecipheriv("aes-256-gcm", Buffer.alloc(32, 7), iv);
    decipher.setAAD(Buffer.from(JSON.stringify(["workspace", "ws_1", "replicate", "api_key"])));
    decipher.setAuthTag(data.subarray(-16));
    expect(
      Buffer.concat([decipher.update(data.subarray(0, -16)), decipher.final()]).toString(),
    ).toBe("the key");
  });

  test("opens while its key is anywhere in the list, and the first key seals", async () => {
    const old = await sealSecret(key(1), PLACE, "kept");
    const rotated = `${key(2)}, ${key(1)}`;
    expect(await openSecret(rotated, PLACE, old)).toBe("kept");
    const sealed = await sealSecret(rotated, PLACE, "new");
    expect(await openSecret(key(2), PLACE, sealed)).toBe("new");
    expect(await openSecret(key(1), PLACE, sealed)).toBeUndefined();
  });

  test("does not open once it was changed", async () => {
    const sealed = await sealSecret(key(1), PLACE, "kept");
    const [format, nonce, bytes] = sealed.split(".");
    const flipped = Buffer.from(bytes!, "base64");
    flipped[0]! ^= 1;
    for (const changed of [
      `${format}.${nonce}.${flipped.toString("base64")}`,
      `v2.${nonce}.${bytes}`,
      `${format}.${nonce}`,
      "",
      "....",
    ]) {
      expect(await openSecret(key(1), PLACE, changed), changed).toBeUndefined();
    }
  });
});

test("a list of keys is accepted only if each is base64 of 32 bytes", async () => {
  expect(parseSecretKeys(`${key(1)},${key(2)}`)).toHaveLength(2);
  const short = Buffer.alloc(31).toString("base64");
  for (const list of ["", ",", `${key(1)},`, `${key(1)},${short}`, short, "not base64!", "ä"]) {
    expect(parseSecretKeys(list), list).toBeUndefined();
  }
  await expect(sealSecret("", PLACE, "text")).rejects.toThrow(TypeError);
});
