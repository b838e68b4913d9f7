/** Digests of the values and files of a run from before they were kept, made when it is the source of a retry. */
import {
  readOutputs,
  type CellValue,
  joinOutputs,
  mayHoldFile,
} from "../../../src/engine/values/cell-outputs.ts";
import { encodeSpilled, encodeValue, isSpilled } from "../../../src/engine/values.ts";
import { canonicalKey } from "../../../src/engine/values/canonical-json.ts";
import { FileRef } from "../../../src/lib/files/file-ref.ts";
import { parseJson } from "../../../src/lib/json/exact-json.ts";
import { getFile } from "../../../src/storage/r2/get-file.ts";
import { readValueText } from "../../../src/storage/r2/run-values.ts";

/** The same outputs of one element with digests. A value whose bytes are gone stays without one. */
export async function withDigests(files: R2Bucket, body: string): Promise<string> {
  if (!mayHoldFile(body)) {
    return body;
  }
  const outputs = [...readOutputs(body)];
  if (outputs.every(([, value]) => hasDigest(value))) {
    return body;
  }
  const stored: [string, string][] = [];
  for (const [port, value] of outputs) {
    stored.push([port, encoded(await digested(files, value))]);
  }
  return joinOutputs(stored);
}

function hasDigest(value: CellValue): boolean {
  if (isSpilled(value)) {
    return value.spilled.canonical !== undefined;
  }
  return !(value instanceof FileRef) || value.sha256 !== undefined || value.etag !== undefined;
}

async function digested(files: R2Bucket, value: CellValue): Promise<CellValue> {
  if (hasDigest(value)) {
    return value;
  }
  if (isSpilled(value)) {
    const text = await readValueText(files, value.spilled);
    return text === null
      ? value
      : { spilled: value.spilled.with({ canonical: canonicalKey(parseJson(text)) }) };
  }
  const found = value instanceof FileRef ? await getFile(files, value) : null;
  if (!(value instanceof FileRef) || found === null) {
    return value;
  }
  const digest = new crypto.DigestStream("SHA-256");
  await found.body.pipeTo(digest);
  return value.with({ sha256: Buffer.from(await digest.digest).toString("hex") });
}

function encoded(value: CellValue): string {
  return isSpilled(value) ? encodeSpilled(value.spilled) : encodeValue(value);
}
