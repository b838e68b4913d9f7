import { WorkerEntrypoint } from "cloudflare:workers";
import harfBuzz from "harfbuzzjs/dist/harfbuzz.wasm";
import outlineCallbacks from "../../render/fonts/outline-callbacks.wasm";
import type {
  FontCheckResponse,
  FontCheckerApi,
  FontCheckRequest,
} from "../../formats/font/font-check.ts";
import { FontError } from "../../formats/font/font-error.ts";
import { inspectFont } from "../../formats/font/inspect-font.ts";
import { sha256HexOfBytes } from "../../lib/sha256.ts";
import { MemoryGate } from "../../lib/memory/memory-gate.ts";
import { parseEntries } from "../../../durable-objects/shared/entries.ts";
import { object, text, version } from "../../lib/json/shape.ts";
import { isRunnerEnvUsable } from "../../platform/check-env.ts";
import type { RunnerEnv } from "../../platform/env.ts";
import { assertWorkspaceKey } from "../../storage/r2/assert-workspace-key.ts";
import { type FontTrial, MEMORY_EXTRA_BYTES, tryFont } from "./try-font.ts";

const trial: FontTrial = {
  modules: { harfBuzz, outlineCallbacks },
  nowMs: () => Date.now(),
  pause: () => scheduler.wait(0),
};

/** The copy of the font in HarfBuzz's memory, and HarfBuzz's working memory. */
const memoryOf = (fontBytes: number) => 2 * fontBytes + MEMORY_EXTRA_BYTES;

/** The font check of the runner, called by the API Worker through its binding FONT_CHECKER. */
export class FontChecker extends WorkerEntrypoint<RunnerEnv> implements FontCheckerApi {
  /** Returns the metadata of a stored font, or the reason why it is refused. Rejects if the file does not exist. */
  async check(request: FontCheckRequest): Promise<FontCheckResponse> {
    return check(this.env.FILES, request);
  }
}

parseEntries<FontCheckerApi>(FontChecker, isRunnerEnvUsable, {
  check: [object<FontCheckRequest>({ v: version(1), workspaceId: text, key: text })],
});

async function check(bucket: R2Bucket, request: FontCheckRequest): Promise<FontCheckResponse> {
  const { workspaceId, key } = request;
  assertWorkspaceKey(workspaceId, key);
  const head = await bucket.head(key);
  if (head === null) {
    throw new Error("The font to check is not in the store.");
  }
  return new MemoryGate().use(memoryOf(head.size), () => checkStored(bucket, key, head.etag));
}

async function checkStored(
  bucket: R2Bucket,
  key: string,
  etag: string,
): Promise<FontCheckResponse> {
  // Memory was reserved for exactly these bytes.
  const found = await bucket.get(key, { onlyIf: { etagMatches: etag } });
  if (found === null || !("body" in found)) {
    throw new Error("The font to check is not in the store, or it has changed.");
  }
  const bytes = new Uint8Array(await found.arrayBuffer());
  try {
    const metadata = inspectFont(bytes);
    await tryFont(bytes, metadata, trial);
    const sha256 = await sha256HexOfBytes(bytes);
    return { ok: true, value: { facts: metadata, sha256, sizeBytes: bytes.byteLength } };
  } catch (error) {
    if (error instanceof FontError) {
      return { ok: false, code: error.code, message: error.message };
    }
    throw error;
  }
}
