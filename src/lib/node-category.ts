/** The category of a node type: `video` of `video/thumbnail`. */
export function categoryOf(type: string): string {
  return type.slice(0, type.indexOf("/"));
}
