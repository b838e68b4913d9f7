import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { openSystemFontFile } from "../../../src/domain/fonts/open-font-file.ts";
import { SYSTEM_FAMILIES } from "../../../src/domain/fonts/system-families.ts";
import { sha256HexOfBytes } from "../../../src/lib/sha256.ts";
import { limitInvocation } from "../../../src/platform/limits.ts";
import { makeFont } from "../../support/fonts/make-font.ts";

const WORKSPACE = "ws_00000000000000000000000000000001";
const KEY = `${WORKSPACE}/fonts/staged`;

/** Wraps the promise of a call over RPC, which `expect` alone would also report as unhandled. */
const check = async (key: string, bindings: Pick<typeof env, "FONT_CHECKER"> = env) =>
  await bindings.FONT_CHECKER.check({ v: 1, workspaceId: WORKSPACE, key });

describe("system families", () => {
  const files = SYSTEM_FAMILIES.flatMap((family) => family.files.map((file) => ({ family, file })));

  it.each(files)(
    "$family.displayName $file.variant is served as listed and passes the check",
    async ({ family, file }) => {
      const bytes = await new Response(await openSystemFontFile(env, file)).bytes();
      expect(bytes.byteLength).toBe(file.sizeBytes);
      expect(await sha256HexOfBytes(bytes)).toBe(file.sha256);
      await env.FILES.put(KEY, bytes);
      expect(await check(KEY)).toEqual({
        ok: true,
        value: {
          facts: expect.objectContaining({
            family: family.family,
            variant: file.variant,
            weight: file.weight,
            style: file.style,
            format: file.format,
          }),
          sha256: file.sha256,
          sizeBytes: file.sizeBytes,
        },
      });
    },
  );

  it("come with their licenses", async () => {
    for (const { licenseAsset } of SYSTEM_FAMILIES) {
      const found = await env.ASSETS?.fetch(`http://assets/${licenseAsset}`);
      expect(await found?.text()).toContain("SIL Open Font License, Version 1.1");
    }
  });

  it("are reported if a deployment lacks them", async () => {
    const gone = { ...files[0]!.file, asset: "fonts/none.ttf" };
    await expect(openSystemFontFile(env, gone)).rejects.toThrow("npm run build:assets");
    await expect(openSystemFontFile({}, gone)).rejects.toThrow("npm run build:assets");
  });
});

describe("FontChecker", () => {
  it("returns the reason why a font is refused", async () => {
    await env.FILES.put(KEY, "OTTO, but not a font");
    expect(await check(KEY)).toEqual({
      ok: false,
      code: "FONT_INVALID",
      message: expect.stringContaining("Export the font again"),
    });
    await env.FILES.put(KEY, "wOF2............");
    expect(await check(KEY)).toMatchObject({ code: "FONT_WEB_FORMAT_UNSUPPORTED" });
  });

  it("reads no key of another workspace, and no missing one", async () => {
    await env.FILES.put("ws_other/fonts/staged", "x");
    await expect(check("ws_other/fonts/staged")).rejects.toThrow("another owner");
    await expect(check(`${WORKSPACE}/fonts/none`)).rejects.toThrow("not in the store");
  });

  it("rejects an unknown version", async () => {
    const request = { v: 2, workspaceId: WORKSPACE, key: KEY };
    const ask = async () => await env.FONT_CHECKER.check(request as never);
    await expect(ask()).rejects.toThrow("version 2");
  });

  it("continues after a font that it refused or could not read", async () => {
    const [file] = SYSTEM_FAMILIES[0]!.files;
    await env.FILES.put(
      `${WORKSPACE}/fonts/good`,
      await new Response(await openSystemFontFile(env, file!)).bytes(),
    );
    await env.FILES.put(KEY, "nonsense");
    const answers = await Promise.allSettled([
      check(`${WORKSPACE}/fonts/none`),
      check(KEY),
      check(`${WORKSPACE}/fonts/good`),
    ]);
    expect(answers).toMatchObject([
      { status: "rejected" },
      { value: { ok: false } },
      { value: { ok: true } },
    ]);
  });

  it("accepts fonts of 20 MB, one after another if they arrive together", async () => {
    const keys = [1, 2, 3].map((number) => `${WORKSPACE}/fonts/large-${number}`);
    for (const key of keys) {
      await env.FILES.put(key, makeFont({ sizeBytes: 20 * 1024 * 1024 }));
    }
    const answers = await Promise.all(keys.map((key) => check(key)));
    for (const response of answers) {
      expect(response).toMatchObject({ ok: true, value: { sizeBytes: 20 * 1024 * 1024 } });
    }
  });

  it("can be called through the bindings of a limited invocation", async () => {
    await env.FILES.put(KEY, "nonsense");
    expect(await check(KEY, limitInvocation(env))).toMatchObject({ ok: false });
  });
});
