import { describe, expect, test } from "vitest";
import {
  directionOf,
  EMBED_LOCALES,
  matchLocale,
  readPageQuery,
} from "../../../src/contracts/embeds/page-query.ts";

const read = (query: string) => readPageQuery(new URLSearchParams(query));

describe("the query of an embed page", () => {
  test("gives the settings that it has usable values of", () => {
    expect(
      read(
        "token=secret&embed=true&theme=dark&primaryColor=2b59d9&locale=de-AT&layout=inline&hideHeader=1&showName=false&hideOutput=yes&interface=int_1&other=1",
      ),
    ).toEqual({
      theme: "dark",
      primaryColor: "#2b59d9",
      locale: "de",
      layout: "inline",
      interface: "int_1",
      switches: { hideHeader: true, showName: false },
    });
  });

  test.each([
    "theme=auto",
    "theme=",
    "primaryColor=red",
    "primaryColor=%23ffff",
    "primaryColor=%23ff",
    "locale=zh",
    "locale=",
    "layout=wide",
    "compact=false",
    "hideHeader=TRUE",
    "name=%20",
    "workflow=",
  ])("takes %s as absent", (query) => {
    expect(read(query)).toEqual({ switches: {} });
  });

  test("reads colors with and without their sign, and compact as a layout", () => {
    expect(read("primaryColor=%23F0a").primaryColor).toBe("#F0a");
    expect(read("compact=1").layout).toBe("compact");
    expect(read("compact=true&layout=headless").layout).toBe("headless");
  });

  test("reads the editor's names", () => {
    expect(read("workflow_external_id=a&workflowName=b")).toEqual({
      switches: {},
      workflow: "a",
      name: "b",
    });
    expect(read("workflow=c&workflowExternalId=a&workflow_name=d&name=b")).toMatchObject({
      workflow: "a",
      name: "b",
    });
  });

  test("matches languages by their first part", () => {
    expect(["de-AT", "AR", "ja_JP", "fr-CA-x", "es"].map(matchLocale)).toEqual([
      "de",
      "ar",
      "ja",
      "fr",
      "es",
    ]);
    expect(["zh", "", "deu", "e"].map(matchLocale)).toEqual(Array.from({ length: 4 }));
    expect(EMBED_LOCALES.filter((locale) => directionOf(locale) === "rtl")).toEqual(["ar"]);
  });
});
