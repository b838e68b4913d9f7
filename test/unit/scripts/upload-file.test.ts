/** What `edgeloom assets upload` does with a file that changes while it is sent. */
import { mkdtemp, rm, truncate, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { uploadFile } from "../../../scripts/cli/file-commands.ts";
import type { Session } from "../../../scripts/cli/session.ts";

const MIB = 1024 * 1024;

test("a file that becomes shorter on the way is not padded: the upload stops before the part is sent", async () => {
  const folder = await mkdtemp(join(tmpdir(), "edgeloom-upload-"));
  try {
    const file = join(folder, "large.txt");
    await writeFile(file, "");
    await truncate(file, 17 * MIB);
    const calls: string[] = [];
    const session = {
      async call(method: string, path: string) {
        calls.push(`${method} ${path}`);
        if (method === "GET") {
          await truncate(file, 5);
        }
        return {
          upload_id: "upl_1",
          status: "pending",
          part_size_bytes: 8 * MIB,
          recommended_parallel_parts: 1,
          parts: [1, 2, 3].map((part_number) => ({ part_number, confirmed: false })),
        };
      },
    };
    const sent = uploadFile(session as unknown as Session, { args: [file], flags: {} });
    await expect(sent).rejects.toThrow("Part 1 could not be read: the file has become shorter.");
    expect(calls).toEqual(["POST /api/v1/assets/uploads", "GET /api/v1/assets/uploads/upl_1"]);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});
