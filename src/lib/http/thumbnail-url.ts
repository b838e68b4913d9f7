/** The address of a picture's thumbnail, from the picture's own; the same access rules apply. */
export function thumbnailUrl(url: string): string {
  return `${url}${url.includes("?") ? "&" : "?"}size=thumbnail`;
}
