import { isJsonObject, type JsonValue } from "../../lib/json/exact-json.ts";
import { elementsOf, type ElementView } from "./element-view.ts";
import { within, type Place } from "./place.ts";

/** The links of an element and of the runs of its rich text. */
export function* linksOf(
  element: ElementView,
): Iterable<{ readonly link: { readonly [key: string]: JsonValue }; readonly place: Place }> {
  const link = element.get("link");
  if (isJsonObject(link)) {
    yield { link, place: element.placeOf("link") };
  }
  const rich = element.get("richText");
  if (!isJsonObject(rich)) {
    return;
  }
  const paragraphs = within(element.placeOf("richText"), "paragraphs") as Place;
  for (const { raw: paragraph, place } of elementsOf(rich["paragraphs"], paragraphs)) {
    for (const { raw: run, place: at } of elementsOf(paragraph["runs"], {
      parent: place,
      key: "runs",
    })) {
      if (isJsonObject(run["link"])) {
        yield { link: run["link"], place: { parent: at, key: "link" } };
      }
    }
  }
}
