import { DatasetError } from "../../../src/datasets/dataset-error.ts";

/** `code: message` of the DatasetError that a read throws; `accepted` if it does not throw. */
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
