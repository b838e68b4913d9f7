import type { DatasetOptions, DatasetProfile } from "../../../src/contracts/dataset.ts";
import { profileDataset } from "../../../src/datasets/profile/profile-dataset.ts";
import { MemorySource } from "./memory-source.ts";

export const DEFAULT_OPTIONS: DatasetOptions = {
  format: "auto",
  headerRow: 1,
  locale: "invariant",
  sampleRows: 20,
  maxRows: null,
  delimiter: null,
  table: null,
  formulaPolicy: "cached_value",
};

/** The profile of bytes under a file name, with the defaults of an inspection. */
export async function inspectBytes(
  content: string | Uint8Array,
  name = "data.csv",
  options: Partial<DatasetOptions> = {},
  chunkBytes?: number,
): Promise<DatasetProfile> {
  const bytes = typeof content === "string" ? new TextEncoder().encode(content) : content;
  const source = new MemorySource(bytes, chunkBytes);
  const { profile } = await profileDataset(source, name, { ...DEFAULT_OPTIONS, ...options });
  return profile;
}
