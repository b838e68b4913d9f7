/** The size of a node's card, which its style sheet keeps: the layout and the wires need it before the card is drawn. */
import type { Ports } from "./ports.ts";

/** In pixels of the canvas. */
export const NODE_WIDTH = 184;
const HEAD = 44;
const FOOT = 28;
const PORT = 28;
const PORTS_PADDING = 7;
const BORDERS = 2;

export function nodeHeight({ inputs, outputs }: Ports): number {
  const rows = inputs.length + outputs.length;
  return HEAD + (rows === 0 ? 0 : rows * PORT + PORTS_PADDING) + FOOT + BORDERS;
}
