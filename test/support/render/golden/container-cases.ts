/** Groups, folders, layout and repeat regions, components, artwork and styles. */
import {
  elements,
  type GoldenCase,
  type GoldenCases,
  type Loose,
  pages,
  sheet,
  variants,
} from "./golden-case.ts";

const COLORS = ["#264653", "#2a9d8f", "#e9c46a", "#f4a261", "#e76f51"];
const bar = (i: number, width: number, height: number, more: Loose = {}): Loose => ({
  $type: "rectangle",
  width,
  height,
  fill: COLORS[i % COLORS.length],
  ...more,
});
const BARS = [bar(0, 30, 14), bar(1, 50, 10), bar(2, 20, 20)];
const GROUP = {
  $type: "group",
  left: 40,
  top: 20,
  width: 80,
  height: 60,
  children: [bar(0, 50, 40), bar(1, 50, 40, { left: 30, top: 20 })],
};
const LAYOUT = {
  $type: "layout_region",
  left: 10,
  top: 10,
  width: 140,
  height: 80,
  children: BARS,
};
const GRID = { ...LAYOUT, direction: "grid", children: [...BARS, bar(3, 10, 10), bar(4, 40, 12)] };

export const CONTAINER_CASES: GoldenCases = {
  ...variants(GROUP, {
    group: {},
    "group of half opacity": { opacity: 0.5 },
    "group that is turned": { angle: 30 },
    "group in groups": {
      children: [{ ...GROUP, left: 0, top: 0, children: [{ ...GROUP, angle: 10 }] }],
    },
    "group of nothing": { children: [] },
  }),
  ...variants(
    { ...GROUP, $type: "folder" },
    {
      "folder, of which only the children count": { angle: 30, opacity: 0.2 },
      "folder that is not visible": { visible: false },
    },
  ),
  ...variants(LAYOUT, {
    "layout from top to bottom by default": {},
    "layout from top to bottom": { direction: "vertical", gap: 5 },
    "layout from left to right": { direction: "horizontal", gap: 5 },
    "layout with padding": { padding: 15 },
    "layout aligned to the start": { alignItems: "start" },
    "layout aligned to the center": { alignItems: "center" },
    "layout aligned to the end": { alignItems: "end" },
    "layout stretched": { alignItems: "stretch" },
    "layout justified to the start": { justifyContent: "start" },
    "layout justified to the center": { justifyContent: "center" },
    "layout justified to the end": { justifyContent: "end" },
    "layout with space between": { justifyContent: "space_between" },
    "layout that leaves out what does not fit": { height: 30 },
    "layout that grows": { height: 10, fitHeight: true },
    "layout without a child that is hidden": {
      gap: 10,
      children: [bar(0, 30, 10), bar(1, 30, 10, { visible: false }), bar(2, 30, 10)],
    },
    "layout that grows with its text": {
      fitHeight: true,
      height: 10,
      children: [
        { $type: "text", width: 60, height: 10, fixedHeight: false, text: "grows with its words" },
        bar(1, 60, 5),
      ],
    },
  }),
  ...variants(GRID, {
    "grid of two columns by default": {},
    "grid of one column": { columns: 1 },
    "grid of 24 columns": { columns: 24 },
    "grid with gaps": { columns: 3, gap: 4 },
    "grid with a gap between rows": { columns: 2, gap: 4, rowGap: 12 },
  }),
  "no rows": elements([rows()]),
  ...continued({
    "rows over pages": {},
    "rows over pages, the header on each": { repeatHeader: true },
    "rows over pages, the header once": { repeatHeader: false },
  }),
  "rows in rows": elements(
    [
      {
        ...rows("groups"),
        height: 80,
        itemHeight: 36,
        children: [
          cell({ placeholder: { name: "name", code: "name", placeholderType: "text" } }),
          { ...rows("lines"), left: 20, top: 10, width: 60, height: 24, itemHeight: 10 },
        ],
      },
    ],
    {
      values: {
        groups: [
          { name: "A", lines: [{ word: "a1" }, { word: "a2" }, { word: "a3" }] },
          { name: "B", lines: [] },
        ],
      },
    },
  ),
  ...withRows(),
  component: component({}, []),
  "component scaled to its instance": component({ width: 140, height: 90 }, []),
  "component with overrides": component({}, [
    {
      elementId: "00000000-0000-4000-8000-000000000005",
      properties: { text: "mine", fill: "#d00000" },
    },
  ]),
  "component with an overridden header": component(
    { height: 60 },
    [
      {
        elementId: "00000000-0000-4000-8000-000000000006",
        properties: { header: [bar(1, 70, 12)] },
      },
    ],
    [
      {
        ...rows(),
        id: "00000000-0000-4000-8000-000000000006",
        left: 0,
        top: 0,
        width: 70,
        height: 60,
        header: [bar(4, 70, 4)],
        headerHeight: 14,
      },
    ],
    { rows: [{ word: "one" }, { word: "two" }] },
  ),
  "component that is turned": component({ angle: 45, opacity: 0.5 }, []),
  "text that takes a style": styled({}),
  "text that states what its style states": styled({ fill: "#0000d0" }),
  "shape that takes a style": elements(
    [
      {
        $type: "rectangle",
        left: 50,
        top: 30,
        width: 60,
        height: 40,
        styleId: "00000000-0000-4000-8000-000000000006",
      },
    ],
    {
      root: {
        styles: [
          {
            id: "00000000-0000-4000-8000-000000000006",
            name: "Frame",
            kind: "paint",
            properties: {
              fill: "#e9c46a",
              stroke: "#264653",
              strokeWidth: 4,
              strokeDashArray: [8, 3],
            },
          },
        ],
      },
    },
  ),
  ...variants(
    { $type: "svg_artwork", left: 20, top: 10, width: 120, height: 80, svg: drawing("") },
    {
      artwork: {},
      "artwork with other colors": { replacements: { "#2a9d8f": "#e76f51" } },
      "artwork that is stretched": { svg: drawing('preserveAspectRatio="none"') },
      "artwork that covers": { svg: drawing('preserveAspectRatio="xMinYMin slice"') },
    },
  ),
};

function cell(more: Loose = {}): Loose {
  return {
    $type: "text",
    width: 30,
    height: 14,
    fontSize: 10,
    placeholder: { name: "word", code: "word", placeholderType: "text" },
    ...more,
  };
}

function rows(code = "rows"): Loose {
  return {
    $type: "repeat_region",
    left: 10,
    top: 10,
    width: 140,
    height: 80,
    itemHeight: 16,
    placeholder: { name: code, code, placeholderType: "list" },
    children: [bar(2, 28, 14), cell()],
  };
}

function withRows(): GoldenCases {
  const values = {
    rows: ["one", "two three four", "five", "six", "seven"].map((word) => ({ word })),
  };
  const changes: Readonly<Record<string, Loose>> = {
    "five rows, cut by default": {},
    "five rows, cut at the height": { overflowMode: "clip", height: 40 },
    "five rows that grow": { overflowMode: "grow", height: 10 },
    "five rows with gaps": { gap: 2, itemHeight: 12 },
    "five rows of their texts' heights": {
      fitItemHeight: true,
      children: [cell({ fixedHeight: false })],
    },
    "five rows side by side": { direction: "horizontal", itemWidth: 34, gap: 4 },
    "five rows one below the other": { direction: "vertical", rowGap: 9, itemHeight: 8 },
    "five rows in a grid": { direction: "grid", columns: 3, gap: 2, rowGap: 6 },
    "five rows with a header": { header: [bar(4, 60, 8)], headerHeight: 12, itemHeight: 12 },
    "two of five rows": { maxItems: 2 },
    "none of five rows has room": { height: 5 },
  };
  return Object.fromEntries(
    Object.entries(changes).map(([name, change]) => [
      name,
      elements([{ ...rows(), ...change }], { values }),
    ]),
  );
}

function continued(changes: Readonly<Record<string, Loose>>): GoldenCases {
  const words = ["one", "two", "three", "four", "five"];
  const label = (pageScope: string, left: number): Loose => ({
    $type: "text",
    left,
    top: 2,
    width: 40,
    height: 10,
    fontSize: 7,
    text: pageScope,
    pageScope,
  });
  return Object.fromEntries(
    Object.entries(changes).map(([name, change]): [string, GoldenCase] => {
      const region = {
        ...rows(),
        top: 20,
        height: 44,
        overflowMode: "continue",
        pageScope: "all",
        header: [bar(4, 60, 8)],
        headerHeight: 10,
        ...change,
      };
      const labels = ["first", "continuation", "last", "all"].map((scope, i) =>
        label(scope, 4 + i * 38),
      );
      return [
        name,
        pages([sheet([region, ...labels])], { values: { rows: words.map((word) => ({ word })) } }),
      ];
    }),
  );
}

function component(
  instance: Loose,
  overrides: readonly Loose[],
  parts?: readonly Loose[],
  values: Loose = {},
): GoldenCase {
  const componentId = "00000000-0000-4000-8000-000000000004";
  return elements(
    [
      {
        $type: "component_instance",
        left: 10,
        top: 5,
        width: 70,
        height: 30,
        componentId,
        overrides,
        ...instance,
      },
    ],
    {
      values,
      root: {
        components: [
          {
            id: componentId,
            name: "Card",
            width: 70,
            height: parts === undefined ? 30 : 60,
            elements: parts ?? [
              bar(2, 70, 30),
              {
                $type: "text",
                id: "00000000-0000-4000-8000-000000000005",
                left: 5,
                top: 5,
                width: 60,
                height: 20,
                text: "yours",
              },
            ],
          },
        ],
      },
    },
  );
}

function styled(own: Loose): GoldenCase {
  const styleId = "00000000-0000-4000-8000-000000000007";
  const text = { $type: "text", left: 10, top: 10, width: 140, height: 40, text: "styled" };
  return elements([{ ...text, styleId, ...own }], {
    root: {
      styles: [
        {
          id: styleId,
          name: "Heading",
          kind: "text",
          properties: { fontSize: 24, fontWeight: 700, fill: "#d00000", underline: true },
        },
      ],
    },
  });
}

function drawing(attributes: string): string {
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 40 40" ${attributes}><rect width="40" height="40" fill="#e9c46a"/><circle cx="20" cy="20" r="15" fill="#2a9d8f"/><path d="M5 35L35 5" stroke="#264653" stroke-width="3"/></svg>`;
}
