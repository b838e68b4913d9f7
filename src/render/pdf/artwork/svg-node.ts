/** An element of the SVG namespace. */
export interface SvgNode {
  readonly name: string;
  readonly attributes: ReadonlyMap<string, string>;
  readonly children: SvgNode[];
  readonly parent: SvgNode | undefined;
  /** Of elements that have text: characters and elements in their order. */
  readonly content: (string | SvgNode)[];
}
