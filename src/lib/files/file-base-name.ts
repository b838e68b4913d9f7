/** Extensions of output files; the part after any other dot belongs to the name. */
const EXTENSION =
  /\.(?:png|svg|jpe?g|webp|gif|avif|mp4|mov|webm|mp3|wav|flac|ogg|opus|m4a|aac|pdf|txt|srt|vtt|csv|tsv|json|ndjson|jsonl|xlsx|glb|gltf|obj|stl|usdz)$/i;

/**
 * A file name without its extension and without characters that file systems reject. `{index}` is
 * kept: the result view knows the element's index and inserts it.
 */
export function fileBaseName(name: string): string {
  return (
    name
      .replace(EXTENSION, "")
      // oxlint-disable-next-line no-control-regex -- control characters are removed here
      .replaceAll(/[\u0000-\u001F\u007F/\\:*?"<>|]/g, "_")
  );
}
