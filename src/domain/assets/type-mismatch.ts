/** Why bytes are refused as the type that their extension promises; `problem` is what `sniffFile` or `sniffTail` found. */
export function typeMismatch(extension: string, problem: string): string {
  return `The file is named .${extension} and is not one. ${problem}. Send the file under the name of what it is, or mend it.`;
}
