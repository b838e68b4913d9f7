/** The picture on the home page: a workflow over the rows of the sample data, drawn like the editor's nodes. */
import { escapeHtml } from "../site/html.ts";
import { icon, type IconName, statePill } from "../site/icons.ts";

type PortType = "text" | "image" | "dataset";

interface HeroPort {
  readonly name: string;
  readonly type: PortType;
}

interface HeroNode {
  readonly label: string;
  readonly type: string;
  readonly icon: IconName;
  /** CSS classes of its position and its icon. */
  readonly at: string;
  readonly inputs: readonly HeroPort[];
  readonly outputs: readonly HeroPort[];
  readonly badge?: string;
}

const NODES: readonly HeroNode[] = [
  {
    label: "Airports",
    type: "input/data",
    icon: "dataset",
    at: "hero-a tile-input",
    inputs: [],
    outputs: [{ name: "dataset", type: "dataset" }],
  },
  {
    label: "Each airport",
    type: "enumerate/data_rows",
    icon: "dataset",
    at: "hero-b tile-data",
    inputs: [{ name: "dataset", type: "dataset" }],
    outputs: [
      { name: "name", type: "text" },
      { name: "code", type: "text" },
    ],
    badge: "3,376",
  },
  {
    label: "Listing",
    type: "output/text",
    icon: "text",
    at: "hero-c tile-input",
    inputs: [{ name: "text", type: "text" }],
    outputs: [],
    badge: "3,376",
  },
  {
    label: "Code",
    type: "image/code",
    icon: "code",
    at: "hero-d tile-image",
    inputs: [{ name: "text", type: "text" }],
    outputs: [{ name: "image", type: "image" }],
    badge: "3,376",
  },
];

const SHAPES: Readonly<Record<PortType, string>> = {
  text: '<circle cx="6" cy="6" r="5"/>',
  image: '<rect x="1.3" y="1.3" width="9.4" height="9.4" rx="1.5"/>',
  dataset: '<path d="M6 .6 11.4 6 6 11.400.6 6Z"/>',
};

export function heroGraph(): string {
  return `<div class="hero-g" aria-hidden="true" inert><div class="hero-w">
<svg class="wires" width="860" height="350"><path class="wire w-dataset" d="M172 173C198 173 198 159 224 159"/><path class="wire w-text" d="M396 187C422 187 422 93 448 93"/><path class="wire w-text" d="M396 215C422 215 422 253 448 253"/><path class="wire w-image" d="M620 281C646 281 646 281 672 281"/></svg>
${NODES.map(heroNode).join("\n")}
<div class="hero-o"><img class="pic" alt="" width="164" height="164" src="/docs/assets/hero-code.svg"><span class="tiny muted">00M.png</span></div>
</div></div>`;
}

function heroNode(node: HeroNode): string {
  return `<div class="node ${node.at}">${node.badge === undefined ? "" : `<span class="badge">${node.badge}</span>`}
<div class="node-h"><span class="tile">${icon(node.icon, 14)}</span><span class="grow"><b class="cut">${escapeHtml(node.label)}</b><small class="cut">${node.type}</small></span></div>
<div class="node-p">${node.inputs.map((port) => heroPort(port, "in")).join("")}${node.outputs.map((port) => heroPort(port, "out")).join("")}</div>
<div class="node-f">${statePill("completed", "Completed")}</div></div>`;
}

function heroPort({ name, type }: HeroPort, side: "in" | "out"): string {
  const handle = `<span class="hd"><svg width="12" height="12" viewBox="0 0 12 12" fill="currentColor">${SHAPES[type]}</svg></span>`;
  const mark = `<span class="ti">${icon(type, 12)}</span>`;
  return side === "in"
    ? `<div class="port in p-${type}">${handle}${mark}<span>${name}</span></div>`
    : `<div class="port out p-${type}"><span>${name}</span>${mark}${handle}</div>`;
}
