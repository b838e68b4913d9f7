/** Reserved device names of Windows, with any extension. */
const DEVICE = /^(?:con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³]|conin\$|conout\$)(?:\.|$)/i;
/** Common file systems allow 255 bytes; the rest is for a number that separates equal names. */
const BYTES_MAX = 200;
const EXTENSION = /\.[A-Za-z0-9]{1,10}$/;

/** Whether a name is a Windows device name, ignoring its extension. */
export function isDeviceName(name: string): boolean {
  // Windows also ignores spaces before the dot.
  return DEVICE.test(name.replace(/\s+(?=\.|$)/, ""));
}

/**
 * Returns a name that every common file system accepts as one path segment: NFC, no separators,
 * control, format or reserved characters, no dots or spaces at its ends, no device name, at most
 * 200 bytes including its extension. `fallback` if nothing is left.
 */
export function safeFileName(given: string, fallback: string): string {
  const clean = given
    .toWellFormed()
    .normalize("NFC")
    .replaceAll(/[\p{C}\p{Zl}\p{Zp}]/gu, "")
    .replaceAll(/[<>:"/\\|?*]/g, "_")
    .replaceAll(/^[. ]+|[. ]+$/g, "");
  const named = clean === "" ? fallback : clean;
  const kept = isDeviceName(named) ? `_${named}` : named;
  const extension = EXTENSION.exec(kept)?.[0] ?? "";
  return (
    cut(kept.slice(0, kept.length - extension.length), BYTES_MAX - extension.length) + extension
  );
}

function cut(text: string, bytesMax: number): string {
  let bytes = 0;
  let end = 0;
  for (const char of text) {
    bytes += new TextEncoder().encode(char).byteLength;
    if (bytes > bytesMax) {
      return text.slice(0, end).trimEnd();
    }
    end += char.length;
  }
  return text;
}
