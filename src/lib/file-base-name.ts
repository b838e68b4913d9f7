/** Extensions of files that outputs hand out; a name with another dot in it keeps what follows. */
const EXTENSION =
  /\.(?:png|svg|jpe?g|webp|gif|avif|mp4|mov|webm|mp3|wav|flac|ogg|opus|m4a|aac|pdf|txt|srt|vtt|csv|tsv|json|ndjson|jsonl|xlsx|glb|gltf|obj|stl|usdz)$/i;

/**
 * A file name without its extension and without what file systems refuse. `{index}` stays: the
 * result view knows the element's place and puts it in.
 */
export function fileBaseName(name: string): string {
  return (
    name
      .replace(EXTENSION, "")
      // oxlint-disable-next-line no-control-regex -- control characters are what is taken out
      .replaceAll(/[\u0000-\u001F\u007F/\\:*?"<>|]/g, "_")
  );
}
