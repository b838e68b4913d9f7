/** Longer names are refused by common file systems. */
const NAME_BYTES_MAX = 200;

const KNOWN_EXTENSION =
  /\.(?:png|svg|jpe?g|webp|gif|avif|mp4|mov|webm|mp3|wav|flac|ogg|opus|m4a|aac|pdf|csv|tsv|json|txt|glb|gltf|zip)$/i;

/**
 * The file name of a download: the requested name without characters that file systems reject or
 * that disguise its extension, and always with the extension of the stored file, so that an address
 * cannot turn a picture into a program. The stored name if nothing of the requested name is left.
 */
export function downloadName(storedName: string, wished: string | undefined): string {
  const dot = storedName.lastIndexOf(".");
  const extension = dot > 0 ? storedName.slice(dot) : "";
  const base = (wished ?? "")
    .normalize("NFC")
    .toWellFormed()
    // Control and format characters, including those that change the direction of text.
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
