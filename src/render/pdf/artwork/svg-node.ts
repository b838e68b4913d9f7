/** An element of the SVG namespace. */
export interface SvgNode {
  readonly name: string;
  readonly attributes: ReadonlyMap<string, string>;
  readonly children: SvgNode[];
  readonly parent: SvgNode | undefined;
  /** Its own characters, of elements that have text. */
  text: string;
}
