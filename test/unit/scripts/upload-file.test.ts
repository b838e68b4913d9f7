/** `edgeloom assets upload` with a file that changes while it is sent. */
import { mkdtemp, rm, truncate, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { uploadFile } from "../../../scripts/cli/file-commands.ts";
import { ProblemError, type Session } from "../../../scripts/cli/session.ts";

const MIB = 1024 * 1024;

test("a file that becomes shorter during the upload is not padded: the upload stops before the part is sent", async () => {
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

test("a file whose asset was deleted is uploaded again, and that upload can be continued", async () => {
  const folder = await mkdtemp(join(tmpdir(), "edgeloom-upload-"));
  try {
    const file = join(folder, "large.txt");
    await writeFile(file, "");
    await truncate(file, 17 * MIB);
    /** Sessions by their keys, as in the service. */
    const byKey = new Map<string, { upload_id: string; status: string; path?: string }>();
    const stored = new Set<string>();
    const keys: string[] = [];
    const session = {
      call(method: string, path: string, options?: { headers: Record<string, string> }) {
        if (path.startsWith("/api/v1/assets/download-url?path=")) {
          return stored.has(decodeURIComponent(path.split("=")[1] ?? ""))
            ? Promise.resolve({})
            : Promise.reject(new ProblemError(404, { code: "not_found" }));
        }
        if (method === "POST" && path === "/api/v1/assets/uploads") {
          const key = options?.headers["idempotency-key"] ?? "";
          keys.push(key);
          const made = byKey.get(key) ?? {
            upload_id: `upl_${String(byKey.size)}`,
            status: "pending",
          };
          byKey.set(key, made);
          return Promise.resolve(made);
        }
        const upload = [...byKey.values()].find(({ upload_id: id }) => path.includes(id));
        if (path.endsWith(":complete") && upload !== undefined) {
          Object.assign(upload, { status: "finalized", path: `files/${upload.upload_id}` });
          stored.add(`files/${upload.upload_id}`);
        }
        return Promise.resolve(upload);
      },
    };
    const upload = async () =>
      (await uploadFile(session as unknown as Session, { args: [file], flags: {} })) as {
        upload_id: string;
      };
    expect((await upload()).upload_id).toBe("upl_0");
    expect((await upload()).upload_id).toBe("upl_0");
    stored.clear();
    expect((await upload()).upload_id).toBe("upl_1");
    expect((await upload()).upload_id).toBe("upl_1");
    expect(new Set(keys).size).toBe(2);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});
