import { latinText } from "./latin-text.ts";
import { pageMarkup } from "./page-markup.ts";

const OBJECT = /\d\s{1,20}\d{1,5}\s{1,20}obj\b/;

/**
 * Checks whether the beginning of a PDF contains an object, after nothing but comments; undefined
 * if it does, else the problem.
 */
export function pdfProblem(bytes: Uint8Array): string | undefined {
  const text = latinText(bytes);
  const object = OBJECT.exec(text);
  if (object === null) {
    return "The bytes begin like a PDF but contain no PDF object";
  }
  const page = pageMarkup(text.slice(0, object.index));
  return page === undefined
    ? undefined
    : `A web page or a script follows the PDF's header: ${page}`;
}
