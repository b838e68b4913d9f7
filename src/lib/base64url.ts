const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
const TEXT = /^[A-Za-z0-9_-]*$/;

/**
 * Whether a text is the canonical base64url encoding of its bytes: no padding, and no bits in its
 * last character after the last byte, which decoders ignore (RFC 4648 §3.5).
 */
export function isCanonicalBase64Url(text: string): boolean {
  const rest = text.length % 4;
  if (!TEXT.test(text) || rest === 1) {
    return false;
  }
  const unused = rest === 2 ? 0b1111 : rest === 3 ? 0b11 : 0;
  return (ALPHABET.indexOf(text.at(-1) ?? "A") & unused) === 0;
}
