import { expect, it } from "vitest";
import { presignUrl } from "../../../../src/storage/s3/presign-url.ts";

/** The account in the examples of AWS's documentation of Signature Version 4. */
const EXAMPLE = {
  endpoint: "https://examplebucket.s3.amazonaws.com",
  accessKeyId: "AKIAIOSFODNN7EXAMPLE",
  secretAccessKey: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
  region: "us-east-1",
};

it("signs AWS's published example with the published signature", () => {
  const url = presignUrl(
    EXAMPLE,
    { method: "GET", path: "/test.txt", expiresSeconds: 86_400 },
    Date.UTC(2013, 4, 24),
  );
  expect(url).toBe(
    "https://examplebucket.s3.amazonaws.com/test.txt?X-Amz-Algorithm=AWS4-HMAC-SHA256" +
      "&X-Amz-Credential=AKIAIOSFODNN7EXAMPLE%2F20130524%2Fus-east-1%2Fs3%2Faws4_request" +
      "&X-Amz-Date=20130524T000000Z&X-Amz-Expires=86400&X-Amz-SignedHeaders=host" +
      "&X-Amz-Signature=aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404",
  );
});

it("binds the method, the path, the query, the headers and the time", () => {
  const base = { method: "PUT", path: "/b/k", expiresSeconds: 60 } as const;
  const signature = (request: Parameters<typeof presignUrl>[1], atMs = 0) =>
    new URL(presignUrl(EXAMPLE, request, atMs)).searchParams.get("X-Amz-Signature");
  const all = [
    signature(base),
    signature({ ...base, method: "GET" }),
    signature({ ...base, path: "/b/l" }),
    signature({ ...base, query: { partNumber: "1", uploadId: "u" } }),
    signature({ ...base, headers: { "content-md5": "x" } }),
    signature({ ...base, headers: { "content-md5": "y" } }),
    signature(base, 1_000),
  ];
  expect(new Set(all).size).toBe(all.length);
});
