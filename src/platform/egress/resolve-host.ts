import { isPublicAddress } from "./check-address.ts";

/** DNS over HTTPS, used on Cloudflare only: locally the sandbox's network checks each address as it connects. */
const RESOLVER = "https://cloudflare-dns.com/dns-query";
const TYPES = ["A", "AAAA"] as const;
const LOOK_UP_MAX_MS = 2_000;
const RESPONSE_BYTES_MAX = 64 * 1024;
/** Record types that contain an address (RFC 1035, RFC 3596); a response also lists aliases. */
const ADDRESS_TYPES = new Set([1, 28]);

/**
 * Returns the first non-public address that a name resolves to. Undefined if there is none or the resolver does not
 * respond: the connection then fails or the platform checks it.
 */
export async function privateAddressOf(
  host: string,
  send: typeof fetch,
): Promise<string | undefined> {
  const answers = await Promise.all(TYPES.map((type) => addresses(host, type, send)));
  return answers.flat().find((address) => !isPublicAddress(address));
}

async function addresses(host: string, type: string, send: typeof fetch): Promise<string[]> {
  try {
    const response = await send(`${RESOLVER}?name=${encodeURIComponent(host)}&type=${type}`, {
      headers: { accept: "application/dns-json" },
      redirect: "manual",
      signal: AbortSignal.timeout(LOOK_UP_MAX_MS),
    });
    const text = response.ok ? await response.text() : "";
    if (text.length === 0 || text.length > RESPONSE_BYTES_MAX) {
      return [];
    }
    const { Reply: records } = JSON.parse(text) as {
      Reply?: readonly { type: number; data: string }[];
    };
    return (records ?? []).filter(({ type }) => ADDRESS_TYPES.has(type)).map(({ data }) => data);
  } catch {
    return [];
  }
}
