/**
 * The message for bytes that do not have their extension's type; `problem` comes from `sniffFile`
 * or `sniffTail`.
 */
export function typeMismatch(extension: string, problem: string): string {
  return `The content of the file does not match its extension .${extension}. ${problem}. Rename the file with the extension of its type, or fix it.`;
}
