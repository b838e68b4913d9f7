import { latinText } from "./latin-text.ts";
import { pageMarkup } from "./page-markup.ts";

const OBJECT = /\d\s{1,20}\d{1,5}\s{1,20}obj\b/;

/** Whether the beginning of a PDF leads to an object, past comments alone; undefined when it does. */
export function pdfProblem(bytes: Uint8Array): string | undefined {
  const text = latinText(bytes);
  const object = OBJECT.exec(text);
  if (object === null) {
    return "The bytes begin like a PDF and hold no object of one";
  }
  const page = pageMarkup(text.slice(0, object.index));
  return page === undefined
    ? undefined
    : `A web page or a script follows the PDF's header: ${page}`;
}
