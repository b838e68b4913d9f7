const TEXT_TYPE =
  /^(text\/|application\/([\w.+-]+\+)?(json|xml)\b|application\/x-www-form-urlencoded\b)/i;

/** The start of an answer as text: cut at a character, empty for what is not text (docs/contract/webhooks.md#deliveries). */
export function excerptOf(bytes: Uint8Array, contentType: string | null): string {
  if (contentType !== null && !TEXT_TYPE.test(contentType.trim())) {
    return "";
  }
  let text: string;
  try {
    // `stream` leaves out a character whose last bytes are missing; anything else that is not UTF-8 throws.
    text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes, {
      stream: true,
    });
  } catch {
    return "";
  }
  // oxlint-disable-next-line no-control-regex -- what holds these is no text for people
  return /[\u0000-\u0008\u000b\u000c\u000e-\u001f]/.test(text) ? "" : text;
}
