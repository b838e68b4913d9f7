import { DatasetError } from "../../../src/datasets/dataset-error.ts";

/** `code: message` of the DatasetError that a reading ends in; `accepted` when it does not. */
export async function refusalOf(reading: Promise<unknown>): Promise<string> {
  try {
    await reading;
  } catch (error) {
    if (error instanceof DatasetError) {
      return `${error.code}: ${error.message}`;
    }
    throw error;
  }
  return "accepted";
}
