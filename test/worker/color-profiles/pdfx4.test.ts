/** PDF/X-4 over the API (docs/contract/templates.md#pdf): every file passes the checker of test/support/pdf/x4. */
import { evictDurableObject, runInDurableObject } from "cloudflare:test";
import { env, exports } from "cloudflare:workers";
import { beforeAll, describe, expect, test } from "vitest";
import { pressProfile } from "../../../scripts/press-profile.ts";
import { type Caller, newCaller, ORIGIN } from "../../support/api-caller.ts";
import { upload } from "../../support/asset-form.ts";
import { checkX4 } from "../../support/pdf/x4/check-x4.ts";
import { X4File } from "../../support/pdf/x4/x4-file.ts";
import {
  documentOf,
  fieldElement,
  guid,
  TemplateApi,
  TEMPLATES,
} from "../../support/templates/template-api.ts";

const BOX = { left: 10, width: 80, height: 30 };
const GRADIENT = {
  type: "linear_gradient",
  stops: [
    { offset: 0, color: "#ff0000" },
    { offset: 1, color: "#0000ff", opacity: 0.5 },
  ],
};
/** Text, a link, a gradient with transparency, a soft picture; a second page without anything. */
const CONTENT = {
  ...documentOf(
    { ...fieldElement("name", 2), link: { type: "url", url: "https://example.com/" } },
    { $type: "rectangle", id: guid(3), ...BOX, top: 50, opacity: 0.5, fillPaint: GRADIENT },
    {
      $type: "image",
      id: guid(4),
      ...BOX,
      left: 100,
      top: 50,
      src: "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
    },
  ),
  metadata: { title: "Flyer & <co>", author: "Ada", subject: "Spring", keywords: ["a", "b"] },
};
CONTENT.pages.push({ id: guid(9), name: "Back", width: 300, height: 50, elements: [] });

let caller: Caller;
let api: TemplateApi;
let id: string;
const profiles: Record<string, string> = {};

async function newProfile(of: Caller, space: "CMYK" | "RGB " | "GRAY" = "CMYK") {
  const { path } = (await upload(of, "press.icc", pressProfile(space))).json;
  const made = await new TemplateApi(of).send("POST", "/api/v1/color-profiles", {
    json: { asset_path: path, name: "Präss 7", output_condition_identifier: "FOGRA39" },
  });
  return made.json as { guid: string; sha256: string };
}

beforeAll(async () => {
  caller = await newCaller();
  api = new TemplateApi(caller);
  for (const space of ["CMYK", "RGB ", "GRAY"] as const) {
    profiles[space] = (await newProfile(caller, space)).guid;
  }
  ({ id } = await api.made(CONTENT));
  await api.publish(id);
});

interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly bytes: Uint8Array;
}

async function render(source: string, json: object, of = caller): Promise<Answer> {
  const response = await exports.default.fetch(`${ORIGIN}${TEMPLATES}/${source}/render`, {
    method: "POST",
    headers: { authorization: `Bearer ${of.token}`, "content-type": "application/json" },
    body: JSON.stringify(json),
  });
  const { status, headers } = response;
  return { status, headers, bytes: await response.bytes() };
}

const x4 = (more: object = {}) => ({
  values: { name: "Zoë" },
  pdf_export_mode: "pdfx4",
  color_profile_guid: profiles["CMYK"],
  ...more,
});

/** A file as PDF/X-4, which is checked. */
async function made(source: string, json: object = x4()): Promise<X4File> {
  const { status, headers, bytes } = await render(source, json);
  expect([status, headers.get("content-type")], new TextDecoder().decode(bytes)).toEqual([
    200,
    "application/pdf",
  ]);
  expect(await checkX4(bytes)).toEqual([]);
  return await X4File.read(bytes);
}

/** As Info has dates. */
const infoDate = (iso: string) => `D:${iso.slice(0, 19).replaceAll(/\D/g, "")}Z`;

describe("a PDF/X-4 file", () => {
  test("has the output intent of its profile, with the profile's bytes", async () => {
    const file = await made(`${id}/versions/1`);
    expect(file.text(file.intent, "OutputConditionIdentifier")).toBe("FOGRA39");
    expect(file.text(file.intent, "Info")).toBe("Präss 7");
    expect(Buffer.compare(file.profile!, pressProfile())).toBe(0);
    expect(file.deviceSpace).toBe("DeviceCMYK");
  });

  test.each(["RGB ", "GRAY"] as const)("is made for a press of %s too", async (space) => {
    const file = await made(`${id}/versions/1`, x4({ color_profile_guid: profiles[space] }));
    expect(Buffer.compare(file.profile!, pressProfile(space))).toBe(0);
    expect(file.pages.map((page) => file.name(page, "Group", "CS"))).toEqual(
      Array.from({ length: 2 }, () => (space === "GRAY" ? "DeviceGray" : "DeviceRGB")),
    );
  });

  test("has each page's boxes", async () => {
    const file = await made(`${id}/versions/1`);
    const boxes = ["MediaBox", "TrimBox", "BleedBox"].map((box) =>
      file.pages.map((page) => file.numbers(page, box)),
    );
    const pages = [
      [0, 0, 200, 100],
      [0, 0, 300, 50],
    ];
    expect(boxes).toEqual([pages, pages, pages]);
  });

  test("names its origin, and has the dates of the revision's publication or the draft's last change", async () => {
    const { json: version } = await api.get(`${id}/versions/1`);
    const file = await made(`${id}/versions/1`);
    const date = infoDate(version.published_at);
    expect([file.text(file.info, "CreationDate"), file.text(file.info, "ModDate")]).toEqual([
      date,
      date,
    ]);
    expect(file.xmpValue("xmp:MetadataDate")).toBe(`${version.published_at.slice(0, 19)}Z`);
    expect(file.xmpValue("svc:template")).toBe(id);
    expect(file.xmpValue("svc:revision")).toBe("1");
    expect(file.xmpValue("svc:contentHash")).toBe(version.content_hash);
    expect(
      ["Title", "Author", "Subject", "Keywords"].map((key) => file.text(file.info, key)),
    ).toEqual(["Flyer & <co>", "Ada", "Spring", "a, b"]);
    const { json: template } = await api.get(id);
    const draft = await made(`${id}/draft`);
    expect(draft.text(draft.info, "ModDate")).toBe(infoDate(template.created_at));
    expect(draft.xmpValue("svc:revision")).toBe("draft");
  });

  test("of a draft keeps its date until the content changes, whatever becomes of the template", async () => {
    const drafted = await api.made(documentOf(fieldElement("name", 2)));
    const source = `${drafted.id}/draft`;
    const stub = env.TEMPLATE_DRAFT.get(env.TEMPLATE_DRAFT.idFromName(drafted.id));
    const past = Date.parse("2026-01-02T03:04:05Z");
    await runInDurableObject(stub, (_object, { storage }) => {
      storage.sql.exec(
        "UPDATE fact SET value = json_set(value, '$.content_changed_at_ms', ?) WHERE name = 'record'",
        past,
      );
    });
    await evictDurableObject(stub);
    const date = async () => {
      const file = await made(source);
      expect(file.xmpValue("xmp:ModifyDate")).toMatch(/^\d{4}-/);
      return file.text(file.info, "ModDate");
    };
    expect(await date()).toBe("D:20260102030405Z");
    const changes = [
      () => api.send("PATCH", drafted.id, { json: { name: "Another" } }),
      () => api.publish(drafted.id),
      () => api.send("POST", `${drafted.id}/revert-to-draft`),
      // Equal content does not change it.
      () => api.put(drafted.id, "*", documentOf(fieldElement("name", 2))),
    ];
    for (const change of changes) {
      expect((await change()).status).toBeLessThan(300);
      expect(await date()).toBe("D:20260102030405Z");
    }
    expect(Date.parse((await api.get(drafted.id)).json.updated_at)).toBeGreaterThan(past);
    await api.put(drafted.id, "*", documentOf({ ...fieldElement("name", 2), left: 11 }));
    const changed = await date();
    expect(changed).not.toBe("D:20260102030405Z");
    await api.send("POST", `${drafted.id}/archive`);
    expect(await date()).toBe(changed);
  });

  test("leaves links out, and counts them", async () => {
    const { headers, bytes } = await render(`${id}/versions/1`, x4({ include_report: true }));
    const boundary = `--${headers.get("content-type")?.split("boundary=")[1] ?? ""}`;
    const [, report = "", pdf = ""] = Buffer.from(bytes).toString("latin1").split(boundary);
    expect(JSON.parse(report.slice(report.indexOf("\r\n\r\n")))).toMatchObject({
      status: "warnings",
      links_printed: 0,
      links_left_out: 1,
      links: [{ element_id: guid(2), reason: "not_in_pdfx4" }],
    });
    const file = Buffer.from(pdf.slice(pdf.indexOf("\r\n\r\n") + 4, -2), "latin1");
    expect(await checkX4(file)).toEqual([]);
    expect(file.includes("/Annots")).toBe(false);
    const standard = await render(`${id}/versions/1`, { values: { name: "Zoë" } });
    expect(Buffer.from(standard.bytes).subarray(0, 8).toString()).toBe("%PDF-1.7");
    const broken = new Set((await checkX4(standard.bytes)).map(({ rule }) => rule));
    expect([...broken]).toEqual(expect.arrayContaining(["no-annotations", "intent-single"]));
  });

  test("has the same bytes each time, and other bytes for other values", async () => {
    const [one, two] = [
      await render(`${id}/versions/1`, x4()),
      await render(`${id}/versions/1`, x4()),
    ];
    expect(Buffer.compare(one.bytes, two.bytes)).toBe(0);
    const other = await render(`${id}/versions/1`, x4({ values: { name: "Ada" } }));
    expect(Buffer.compare(one.bytes, other.bytes)).not.toBe(0);
  });

  test("of some pages and its images are drawn from it", async () => {
    expect((await made(`${id}/versions/1`, x4({ page_selection: "2" }))).pages).toHaveLength(1);
    const image = await render(`${id}/versions/1`, x4({ output: "image", page_selection: "1" }));
    expect([image.status, image.headers.get("content-type")]).toEqual([200, "image/png"]);
  });

  test("of a document without a title has the template's id as its title", async () => {
    const { id: untitled } = await api.made(documentOf(fieldElement("name", 2)));
    const file = await made(`${untitled}/draft`);
    expect(file.text(file.info, "Title")).toBe(untitled);
  });
});

test("a standard file names its origin too, has no dates, and an ID of content and values", async () => {
  const { json: version } = await api.get(`${id}/versions/1`);
  const read = async (name: string) =>
    X4File.read((await render(`${id}/versions/1`, { values: { name } })).bytes);
  const [file, same, other] = [await read("Zoë"), await read("Zoë"), await read("Ada")];
  expect(
    ["Title", "Author", "Subject", "Keywords", "Producer"].map((key) => file.text(file.info, key)),
  ).toEqual(["Flyer & <co>", "Ada", "Spring", "a, b", "Edgeloom"]);
  for (const key of ["CreationDate", "ModDate", "GTS_PDFXVersion", "Trapped"]) {
    expect(file.get(file.info, key), key).toBeUndefined();
  }
  expect(file.xmp).not.toMatch(/Date|pdfxid/);
  expect(["template", "revision", "contentHash"].map((key) => file.xmpValue(`svc:${key}`))).toEqual(
    [id, "1", version.content_hash],
  );
  const idOf = (one: X4File) => String(one.trailer.ID);
  expect([idOf(same) === idOf(file), idOf(other) === idOf(file)]).toEqual([true, false]);
});

describe("a profile that cannot be used", () => {
  const refused = async (json: object, of = caller, source = `${id}/draft`) => {
    const { status, bytes } = await render(source, json, of);
    const { code, errors } = JSON.parse(new TextDecoder().decode(bytes));
    return [status, code, errors?.[0]?.field];
  };
  const PARAMETER = [400, "invalid_argument", "color_profile_guid"];

  test("is one that is missing, unknown, deleted, malformed, or another workspace's", async () => {
    const stranger = await newCaller();
    const { guid: foreign } = await newProfile(stranger);
    const { guid: deleted } = await newProfile(caller);
    await api.send("DELETE", `/api/v1/color-profiles/${deleted}`);
    for (const color_profile_guid of [undefined, guid(1), deleted, "FOGRA39", "", foreign]) {
      for (const source of [`${id}/draft`, `${id}/versions/1`]) {
        expect(
          await refused(x4({ color_profile_guid }), caller, source),
          String(color_profile_guid),
        ).toEqual(PARAMETER);
      }
    }
    expect(await refused(x4({ pdf_export_mode: "pdfx1a" }))).toEqual([
      400,
      "invalid_argument",
      "pdf_export_mode",
    ]);
    // Without PDF/X-4 nobody asks for it.
    const standard = await render(`${id}/draft`, { color_profile_guid: foreign });
    expect(standard.status).toBe(200);
  });

  test("is found in any spelling of its GUID", async () => {
    const spelled = profiles["CMYK"]!.replaceAll("-", "").toUpperCase();
    await made(`${id}/draft`, x4({ color_profile_guid: spelled }));
  });

  test("is one whose bytes are gone, or are others", async () => {
    const own = await newCaller();
    const { guid: profile, sha256 } = await newProfile(own);
    const mine = new TemplateApi(own);
    const { id: template } = await mine.made(documentOf(fieldElement("name", 2)));
    const json = x4({ color_profile_guid: profile });
    const key = `${own.workspaceId}/color-profiles/${sha256}.icc`;
    const other = pressProfile();
    other[200] = 1 + (other[200] ?? 0);
    for (const damage of [
      () => env.FILES.put(key, other),
      () => env.FILES.put(key, pressProfile("RGB ")),
      () => env.FILES.delete(key),
    ]) {
      await damage();
      const [status, code] = await refused(json, own, `${template}/draft`);
      expect([status, code]).toEqual([400, "invalid_argument"]);
    }
    // Uploading the same bytes again repairs it.
    await newProfile(own);
    const { status } = await render(`${template}/draft`, json, own);
    expect(status).toBe(200);
  });
});
