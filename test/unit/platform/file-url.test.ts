import { describe, expect, it } from "vitest";
import { cellUrl, fileUrl, isOutputKey, parseCellKey } from "../../../src/platform/file-url.ts";

const workspaceId = `ws_${"0".repeat(32)}`;
const runId = `run_${"a".repeat(32)}`;
const token = "A-_".repeat(14) + "z";
const prefix = `${workspaceId}/runs/${runId}/${token}`;

describe("output keys", () => {
  it("have one form: workspace, run, 43 random characters and a file name", () => {
    expect(isOutputKey(`${prefix}/picture 1.png`)).toBe(true);
    expect(isOutputKey(`${prefix}/Zürich.png`)).toBe(true);
  });

  it.each([
    ["nothing", ""],
    ["no file name", `${prefix}/`],
    ["a deeper path", `${prefix}/a/b.png`],
    ["a short token", `${workspaceId}/runs/${runId}/${token.slice(1)}/a.png`],
    ["another folder", `${workspaceId}/assets/${runId}/${token}/a.png`],
    ["a parent folder", `${prefix}/..`],
    ["a traversal", `../${prefix}/a.png`],
    ["a leading slash", `/${prefix}/a.png`],
    ["a backslash", `${prefix}/..\\a.png`],
    ["a control character", `${prefix}/a\u0000.png`],
    ["a line break before the end", `${prefix}/a.png\n`],
    ["a definition", `${workspaceId}/workflows/x.json`],
  ])("are not %s", (_name, key) => {
    expect(isOutputKey(key)).toBe(false);
  });
});

describe("addresses", () => {
  it("escape the file name and resolve to the key", () => {
    const key = `${prefix}/50% & more?.png`;
    const url = new URL(fileUrl("https://svc.test", key));
    expect(decodeURIComponent(url.pathname)).toBe(`/files/${key}`);
    expect(url.search).toBe("");
  });

  it("of bodies stored in rows have their run, token and position", () => {
    const url = cellUrl("https://svc.test", {
      workspaceId,
      runId,
      token,
      node: 3,
      element: 41,
      isJson: true,
    });
    const key = url.slice("https://svc.test/files/".length);
    expect(isOutputKey(key)).toBe(true);
    expect(parseCellKey(key)).toEqual({ runId, token, node: 3, element: 41 });
    expect(parseCellKey(`${prefix}/cell-3.json`)).toBeUndefined();
  });
});
