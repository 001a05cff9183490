import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { KNOWN_CARRIERS, PHASES } from '#contract/vocabulary.ts';

const css = readFileSync(path.resolve(import.meta.dirname, '../../app/palette.css'), 'utf8');
const tokens = new Map(
  [...css.matchAll(/--([\w-]+): light-dark\((#\w{6}), (#\w{6})\)/g)].map(([, name = '', light = '', dark = '']) => [
    name,
    { light, dark },
  ]),
);
type Theme = 'light' | 'dark';
type Rgb = [number, number, number];

function rgb(token: string, theme: Theme): Rgb {
  const hex = tokens.get(token)?.[theme] ?? '';
  const channel = (at: number) => {
    const value = Number.parseInt(hex.slice(at, at + 2), 16) / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  };
  return [channel(1), channel(3), channel(5)];
}

const luminance = ([r, g, b]: Rgb) => 0.2126 * r + 0.7152 * g + 0.0722 * b;
function contrast(a: string, b: string, theme: Theme): number {
  const [low = 0, high = 0] = [luminance(rgb(a, theme)), luminance(rgb(b, theme))].sort((x, y) => x - y);
  return (high + 0.05) / (low + 0.05);
}

/** Linear RGB as eyes without green or red receptors see it (Machado et al. 2009, full severity). */
const EYES: Record<string, Rgb[]> = {
  trichromat: [
    [1, 0, 0],
    [0, 1, 0],
    [0, 0, 1],
  ],
  protanope: [
    [0.152286, 1.052583, -0.204868],
    [0.114503, 0.786281, 0.099216],
    [-0.003882, -0.048116, 1.051998],
  ],
  deuteranope: [
    [0.367322, 0.860646, -0.227968],
    [0.280085, 0.672501, 0.047413],
    [-0.01182, 0.04294, 0.968881],
  ],
};

/** Distance of two colours in Oklab, times 100: about 2 is just noticeable. */
function distance(a: Rgb, b: Rgb, eye: Rgb[]): number {
  const [x, y] = [a, b].map((colour) =>
    oklab(eye.map((row) => row.reduce((sum, part, i) => sum + part * (colour[i] ?? 0), 0))),
  );
  return 100 * Math.hypot(...(x ?? []).map((value, i) => value - (y?.[i] ?? 0)));
}

function oklab([r = 0, g = 0, b = 0]: number[]): number[] {
  const l = Math.cbrt(0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b);
  const m = Math.cbrt(0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b);
  const s = Math.cbrt(0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b);
  return [
    0.2104542553 * l + 0.793617785 * m - 0.0040720468 * s,
    1.9779984951 * l - 2.428592205 * m + 0.4505937099 * s,
    0.0259040371 * l + 0.7827717662 * m - 0.808675766 * s,
  ];
}

const pairs = <T>(list: readonly T[]) => list.flatMap((a, i) => list.slice(i + 1).map((b) => [a, b] as const));
const HEAT = [0, 1, 2, 3, 4, 5, 6];

describe.each(['light', 'dark'] as const)('the %s theme', (theme) => {
  it.each(['ink', 'muted', 'accent', 'bad', 'good', 'warn', 'demo'])('writes %s legibly on every ground', (ink) => {
    for (const ground of ['surface', 'page', 'raised'])
      expect(contrast(ink, ground, theme), ground).toBeGreaterThan(4.5);
  });

  it.each(['bad', 'good', 'warn', 'demo'])('writes a badge of %s legibly', (tone) => {
    expect(contrast(tone, `${tone}-soft`, theme)).toBeGreaterThan(4.5);
  });

  it('writes on every heat, and on buttons', () => {
    for (const step of HEAT)
      for (const scale of ['heat', 'change'])
        expect(contrast(`${scale}-${step}`, `${scale}-${step}-ink`, theme), `${scale}-${step}`).toBeGreaterThan(4.5);
    expect(contrast('accent', 'accent-ink', theme)).toBeGreaterThan(4.5);
  });

  it('draws lines that stand out from the ground', () => {
    const lines = [...KNOWN_CARRIERS.map((name) => `carrier-${name}`), ...PHASES.map((name) => `phase-${name}`)];
    for (const line of lines) expect(contrast(line, 'surface', theme), line).toBeGreaterThan(3);
  });

  it.each(Object.entries(EYES))('tells the three national carriers apart to a %s', (_eye, matrix) => {
    for (const [a, b] of pairs(KNOWN_CARRIERS.slice(0, 3))) {
      const apart = distance(rgb(`carrier-${a}`, theme), rgb(`carrier-${b}`, theme), matrix);
      expect(apart, `${a} ${b}`).toBeGreaterThan(8);
    }
  });

  it.each(Object.entries(EYES))('tells neighbours in the stack of phases apart to a %s', (_eye, matrix) => {
    for (const [index, phase] of PHASES.slice(1).entries()) {
      const below = PHASES[index];
      const apart = distance(rgb(`phase-${below}`, theme), rgb(`phase-${phase}`, theme), matrix);
      expect(apart, `${below} ${phase}`).toBeGreaterThan(6);
    }
  });

  it.each(Object.entries(EYES))(
    'tells as much below from as much above, and both from as usual, to a %s',
    (_eye, matrix) => {
      for (const [below, above] of [
        [0, 6],
        [1, 5],
        [2, 4],
      ])
        for (const [a, b] of pairs([below, 3, above])) {
          const apart = distance(rgb(`change-${a}`, theme), rgb(`change-${b}`, theme), matrix);
          expect(apart, `${a} ${b}`).toBeGreaterThan(a === 3 || b === 3 ? 4 : 8);
        }
    },
  );

  it('goes from calm to grave by lightness alone, so that heat reads without hue', () => {
    const steps = HEAT.map((step) => luminance(rgb(`heat-${step}`, theme)));
    const sorted = steps.toSorted((a, b) => (theme === 'light' ? b - a : a - b));
    expect(steps).toEqual(sorted);
  });
});
