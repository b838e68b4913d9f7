/** Long enough that no compressed bytes say it by chance. */
const PAGE = /<(?:script|html|body|iframe)[\s>/]|<!doctype\s+html|<svg\s+(?:xmlns|on)|<\?php\s/i;

/** What in a text makes a browser or a server take it for a page or a script, in quotes; undefined for nothing. */
export function pageMarkup(text: string): string | undefined {
  const found = PAGE.exec(text)?.[0];
  return found === undefined ? undefined : JSON.stringify(found);
}
