/** Long enough that compressed bytes do not contain it by chance. */
const PAGE = /<(?:script|html|body|iframe)[\s>/]|<!doctype\s+html|<svg\s+(?:xmlns|on)|<\?php\s/i;

/**
 * The part of a text that makes a browser or a server treat it as a page or a script, in quotes;
 * undefined if there is none.
 */
export function pageMarkup(text: string): string | undefined {
  const found = PAGE.exec(text)?.[0];
  return found === undefined ? undefined : JSON.stringify(found);
}
