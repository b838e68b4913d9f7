import { readFile } from "node:fs/promises";
import { UsageError } from "./arguments.ts";

/** Returns the JSON of a file, `-` for standard input. Throws UsageError. */
export async function readJsonFile(file: string): Promise<unknown> {
  const text = await readTextFile(file);
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new UsageError(`${file} is not JSON: ${error instanceof Error ? error.message : ""}`);
  }
}

/** Returns the text of a file, `-` for standard input. Throws UsageError. */
export async function readTextFile(file: string): Promise<string> {
  if (file === "-") {
    return readStandardInput();
  }
  try {
    return await readFile(file, "utf8");
  } catch (error) {
    throw new UsageError(`${file} cannot be read: ${error instanceof Error ? error.message : ""}`);
  }
}

async function readStandardInput(): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of process.stdin) {
    chunks.push(chunk as Buffer);
  }
  return Buffer.concat(chunks).toString("utf8");
}
