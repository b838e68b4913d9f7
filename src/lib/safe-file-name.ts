/** Names that Windows takes for devices, whatever extension follows. */
const DEVICE = /^(?:con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³]|conin\$|conout\$)(?:\.|$)/i;
/** Common file systems take 255 bytes; room for a number that tells equal names apart. */
const BYTES_MAX = 200;
const EXTENSION = /\.[A-Za-z0-9]{1,10}$/;

/** Whether a name, without regard to its extension, is one of Windows' devices. */
export function isDeviceName(name: string): boolean {
  // Windows ignores spaces before the dot too.
  return DEVICE.test(name.replace(/\s+(?=\.|$)/, ""));
}

/**
 * A name that every common file system takes as one segment of a path: NFC, no separators, control,
 * format or reserved characters, no dots or spaces at its ends, no device name, at most 200 bytes
 * with its extension kept. `fallback` when nothing is left.
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
