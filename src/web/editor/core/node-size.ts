/** The size of a node's card, which its style sheet keeps: the layout and the wires need it before the card is drawn. */
import type { Ports } from "./ports.ts";

/** In pixels of the canvas. */
export const NODE_WIDTH = 184;
const HEAD = 44;
const FOOT = 28;
const PORT = 28;
const PORTS_PADDING = 7;
const BORDERS = 2;
/** From the top of a card to the middle of its first port. */
const FIRST_PORT = 63;

export function nodeHeight({ inputs, outputs }: Ports): number {
  const rows = inputs.length + outputs.length;
  return HEAD + (rows === 0 ? 0 : rows * PORT + PORTS_PADDING) + FOOT + BORDERS;
}

/** From the top of a card to the middle of a port: inputs come first, then outputs. */
export function portY({ inputs, outputs }: Ports, side: "in" | "out", name: string): number {
  const list = side === "in" ? inputs : outputs;
  const at = list.findIndex((port) => port.name === name);
  return FIRST_PORT + PORT * Math.max(0, side === "in" ? at : inputs.length + at);
}
