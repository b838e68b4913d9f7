/** Why bytes are refused as the type that their extension promises; `problem` is what `sniffFile` or `sniffTail` found. */
export function typeMismatch(extension: string, problem: string): string {
  return `The content of the file does not match its extension .${extension}. ${problem}. Rename the file with the extension of its type, or fix it.`;
}
