/** Longer names are refused by common file systems. */
const NAME_BYTES_MAX = 200;

const KNOWN_EXTENSION =
  /\.(?:png|svg|jpe?g|webp|gif|avif|mp4|mov|webm|mp3|wav|flac|ogg|opus|m4a|aac|pdf|csv|tsv|json|txt|glb|gltf|zip)$/i;

/**
 * The name a download is saved under: the wished one without what file systems refuse or what
 * hides its end, always with the extension of the stored file, so that an address cannot make a
 * program of a picture. The stored name where the wish leaves nothing.
 */
export function downloadName(storedName: string, wished: string | undefined): string {
  const dot = storedName.lastIndexOf(".");
  const extension = dot > 0 ? storedName.slice(dot) : "";
  const base = (wished ?? "")
    .normalize("NFC")
    .toWellFormed()
    // Control and format characters; among the latter those that turn the direction of text.
    .replaceAll(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, "")
    .replaceAll(/[/\\:*?"<>|]/g, "_")
    .replace(KNOWN_EXTENSION, "")
    .replaceAll(/^[. ]+|[. ]+$/g, "");
  return base === "" ? storedName : cut(base, NAME_BYTES_MAX - extension.length) + extension;
}

function cut(text: string, bytesMax: number): string {
  let bytes = 0;
  let kept = "";
  for (const char of text) {
    bytes += new TextEncoder().encode(char).byteLength;
    if (bytes > bytesMax) {
      return kept;
    }
    kept += char;
  }
  return kept;
}
