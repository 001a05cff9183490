import type { Chart } from 'chart.js';
import { colour, faded } from './colours.ts';
import { FONT, tooltipLook } from './common.options.ts';

/**
 * One region of a map: its code (ISO 3166-2) and names, its value as text, and the lines of its tooltip. `tone` is a colour of palette.css,
 * null without data; `few` where too few probes count; `marked` where an incident goes on; `href` is where a click leads.
 */
export type MapRegion = {
  region: string;
  short: string;
  name: string;
  value: string;
  tone: string | null;
  few: boolean;
  marked: boolean;
  lines: string[];
  href: string;
};
export type MapInput = { regions: MapRegion[]; open: (href: string) => void };
/** What each kind of map is given: it describes itself by `label`, and by the table whose id is `describedBy`. */
export type MapProps = { regions: MapRegion[]; label: string; describedBy: string };

export const regionColour = (region: MapRegion | undefined) => colour(region?.tone ? `--${region.tone}` : '--raised');
const inkOf = ({ tone }: MapRegion) => (tone === null ? '--muted' : `--${tone}-ink`);

/** What all maps of regions do alike: a click opens the region's trend, a tooltip has its figures. The only dataset has the input's order. */
export const regionOptions = (input: () => MapInput) => ({
  font: FONT,
  onClick: (_event: unknown, elements: { index: number }[]) => {
    const region = input().regions[elements[0]?.index ?? -1];
    if (region) input().open(region.href);
  },
  plugins: {
    legend: { display: false },
    tooltip: {
      ...tooltipLook,
      displayColors: false,
      callbacks: {
        title: (items: { dataIndex: number }[]) => input().regions[items[0]?.dataIndex ?? -1]?.name ?? '',
        label: (item: { dataIndex: number }) => input().regions[item.dataIndex]?.lines ?? '',
      },
    },
  },
});

type Box = { x: number; y: number; width: number; height: number };

/** Name above value, or the name alone, around the middle of a region; `width` is the most that they may take. */
export function caption({ ctx }: Chart, region: MapRegion, x: number, y: number, width: number, value: string): void {
  ctx.save();
  ctx.textAlign = 'center';
  ctx.textBaseline = 'middle';
  ctx.fillStyle = colour(inkOf(region));
  ctx.font = `600 12px ${FONT.family}`;
  ctx.fillText(region.short, x, y - (value ? 7 : 0), width);
  ctx.font = `400 11px ${FONT.family}`;
  if (value) ctx.fillText(value, x, y + 8, width);
  ctx.restore();
}

/** Hatches a region of too few probes: the lines fill `box` and are cut by `outline`. */
export function hatch({ ctx }: Chart, region: MapRegion, box: Box, outline: Path2D): void {
  const { x, y, width, height } = box;
  ctx.save();
  ctx.clip(outline);
  ctx.strokeStyle = faded(inkOf(region), 0.22);
  ctx.beginPath();
  for (let offset = -height; offset < width; offset += 6) {
    ctx.moveTo(x + offset, y + height);
    ctx.lineTo(x + offset + height, y);
  }
  ctx.stroke();
  ctx.restore();
}

export const FLAG = 13;

/** A `!` in the page's ink, to be seen without colour, whose upper left corner is given; `radii` as of a `roundRect`. */
export function flag({ ctx }: Chart, x: number, y: number, radii: number | number[]): void {
  ctx.save();
  ctx.fillStyle = colour('--ink');
  ctx.beginPath();
  ctx.roundRect(x, y, FLAG, FLAG, radii);
  ctx.fill();
  ctx.fillStyle = colour('--surface');
  ctx.font = `700 10px ${FONT.family}`;
  ctx.textAlign = 'center';
  ctx.textBaseline = 'middle';
  ctx.fillText('!', x + FLAG / 2, y + FLAG / 2 + 0.5);
  ctx.restore();
}
