import { createHash, createHmac } from "node:crypto";

export interface S3Account {
  /** Scheme and host of the S3 API, without a trailing slash. */
  readonly endpoint: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  /** `auto` on R2. */
  readonly region: string;
}

export interface S3Request {
  readonly method: "GET" | "PUT";
  /** Includes the bucket (path-style addresses); not encoded. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  /** Signed, so the request must send them verbatim. Names in lower case. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly expiresSeconds: number;
}

/**
 * Returns an address that carries its own signature: AWS Signature Version 4 in the query, payload unsigned
 * (docs.aws.amazon.com, "Authenticating Requests: Using Query Parameters").
 */
export function presignUrl(account: S3Account, request: S3Request, nowMs: number): string {
  const time = new Date(nowMs).toISOString().replaceAll(/[-:]|\.\d{3}/g, "");
  const day = time.slice(0, 8);
  const scope = `${day}/${account.region}/s3/aws4_request`;
  const headers: Readonly<Record<string, string>> = {
    ...request.headers,
    host: new URL(account.endpoint).host,
  };
  const names = Object.keys(headers).toSorted();
  const query = canonicalQuery({
    ...request.query,
    "X-Amz-Algorithm": "AWS4-HMAC-SHA256",
    "X-Amz-Credential": `${account.accessKeyId}/${scope}`,
    "X-Amz-Date": time,
    "X-Amz-Expires": String(request.expiresSeconds),
    "X-Amz-SignedHeaders": names.join(";"),
  });
  const path = request.path.split("/").map(encode).join("/");
  const canonical = [
    request.method,
    path,
    query,
    ...names.map((name) => `${name}:${(headers[name] ?? "").trim().replaceAll(/ +/g, " ")}`),
    "",
    names.join(";"),
    "UNSIGNED-PAYLOAD",
  ].join("\n");
  const digest = createHash("sha256").update(canonical).digest("hex");
  const toSign = `AWS4-HMAC-SHA256\n${time}\n${scope}\n${digest}`;
  const key = [day, account.region, "s3", "aws4_request"].reduce<Uint8Array | string>(
    (secret, part) => createHmac("sha256", secret).update(part).digest(),
    `AWS4${account.secretAccessKey}`,
  );
  const signature = createHmac("sha256", key).update(toSign).digest("hex");
  return `${account.endpoint}${path}?${query}&X-Amz-Signature=${signature}`;
}

function canonicalQuery(query: Readonly<Record<string, string>>): string {
  return Object.entries(query)
    .map(([name, value]) => [encode(name), encode(value)] as const)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, value]) => `${name}=${value}`)
    .join("&");
}

/** Percent-encodes everything but the unreserved characters of RFC 3986, with upper-case hex digits. */
function encode(text: string): string {
  return encodeURIComponent(text).replaceAll(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}
