import { readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { renderToStaticMarkup } from 'react-dom/server';
import { describe, expect, it } from 'vitest';
import type { Point } from '#components/charts/outlines.ts';
import { WORLD } from '#components/charts/world-map.ts';
import { AnswerMap } from '#components/measurement/answer-map.tsx';
import { heatScale } from '#components/target/heat.ts';
import { mapViews, placesOf } from '#components/target/map-places.tsx';
import { countryOf } from '#contract/location.ts';
import { translator } from '#i18n/translator.ts';
import type { Ui } from '#i18n/ui.ts';
import { makeResult } from '../support/results.ts';
import { makeVantage } from '../support/vantages.ts';

const LETTERS = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ'];
const names = new Intl.DisplayNames(['en'], { type: 'region', fallback: 'none' });
/** Codes with a name that are of no country or of a part of one, which ISO 3166-1 does not have. */
const NO_COUNTRY = ['AC', 'CP', 'CQ', 'DG', 'EA', 'EU', 'EZ', 'IC', 'QO', 'TA', 'UN', 'XA', 'XB', 'ZZ'];
/** Codes of countries with a name; a code that was given up stands for another. */
const CODES = LETTERS.flatMap((first) => LETTERS.map((second) => first + second)).filter(
  (code) =>
    names.of(code) !== undefined &&
    Intl.getCanonicalLocales(`und-${code}`)[0] === `und-${code}` &&
    !NO_COUNTRY.includes(code),
);

/** Where a place of the globe is on the map. */
const at = (longitude: number, latitude: number): Point => {
  const east = longitude < -30 ? longitude + 360 : longitude;
  return [(east - 150) * Math.cos((36 * Math.PI) / 180), latitude];
};
const isWithin = (rings: Point[][], [x, y]: Point) =>
  rings
    .flatMap((ring) => ring.map((to, index) => [ring[index - 1] ?? to, to] as const))
    .filter(([[ax, ay], [bx, by]]) => ay > y !== by > y && x < ((bx - ax) * (y - ay)) / (by - ay) + ax).length %
    2 ===
  1;
/** All whose outline has a place in it. */
const countriesAt = (point: Point) =>
  [...WORLD.outlines].flatMap(([code, { rings }]) => (isWithin(rings, point) ? [code] : []));

describe('the map of the world', () => {
  it('comes over the wire in 40 kB at most', () => {
    const file = readFileSync(new URL('../../components/charts/world.json', import.meta.url));
    expect(gzipSync(file).length).toBeLessThanOrEqual(40_000);
  });

  it('has a place for every country that a vantage may be in, Antarctica left out', () => {
    const shown = CODES.filter((code) => code !== 'AQ').map(countryOf);
    expect(shown.filter((country) => !WORLD.outlines.has(country))).toEqual([]);
    for (const { rings, x, y, room } of WORLD.outlines.values()) {
      expect([x, y, room].every(Number.isFinite)).toBe(true);
      for (const ring of rings) expect(ring[0]).toEqual(ring.at(-1));
    }
  });

  it('draws China last and as one, with Taiwan, Hong Kong, Macao, the islands and the line of the South China Sea', () => {
    expect([...WORLD.outlines.keys()].at(-1)).toBe('CN');
    expect(['TW', 'HK', 'MO'].filter((code) => WORLD.outlines.has(code))).toEqual([]);
    expect(WORLD.sea).toHaveLength(9);
    const [west = [0, 0], south] = [WORLD.sea[2]?.[0], WORLD.sea[3]?.[0]];
    expect(west[0]).toBeCloseTo(at(108, 0)[0], 0);
    expect(south?.[1]).toBeCloseTo(4, 0);
  });

  it.each([
    ['Beijing', 116.4, 39.9, 'CN'],
    ['Ürümqi', 87.6, 43.8, 'CN'],
    ['Aksai Chin', 79.5, 35.2, 'CN'],
    ['Dawang', 92.2, 27.8, 'CN'],
    ['Zayü', 96.5, 28.4, 'CN'],
    ['Taipei', 121.4, 24.9, 'CN'],
    ['Haikou', 110.2, 19.6, 'CN'],
    ['Diaoyu Dao', 123.47, 25.745, 'CN'],
    ['Delhi', 77.2, 28.6, 'IN'],
    ['Tokyo', 139.5, 35.9, 'JP'],
    ['Ulan Bator', 106.9, 47.9, 'MN'],
    ['Anadyr', 177, 65.5, 'RU'],
    ['Chukotka beyond 180 degrees', -174, 66.5, 'RU'],
    ['Nuuk', -50, 65, 'GL'],
    ['Chicago', -88.5, 41.8, 'US'],
    ['Madrid', -3.7, 40.4, 'ES'],
    ['Maseru', 28.2, -29.5, 'LS'],
    ['Pretoria', 28.2, -25.7, 'ZA'],
  ])('%s is where it is, in one country', (_, longitude, latitude, country) => {
    expect(countriesAt(at(longitude, latitude))).toEqual([country]);
  });

  it('has a dot at a city, as at those of its own outline', () => {
    const { rings, x, y } = WORLD.outlines.get('SG') ?? { rings: null, x: 0, y: 0 };
    expect(rings).toEqual([]);
    expect([x, y]).toEqual(at(103.82, 1.36).map((value) => expect.closeTo(value, 1)));
  });
});

const ui: Ui = { locale: 'en', t: translator('en'), timeZone: 'UTC', theme: 'system' };

describe('the maps to choose from', () => {
  it.each([
    [
      ['CN-GD', 'CN-HK'],
      ['provinces', 'tiles'],
    ],
    [
      ['CN-GD', 'US-CA'],
      ['provinces', 'tiles', 'world'],
    ],
    [['SG-01'], ['world']],
    // Of China, yet on no map of its regions.
    [['HK-HCW'], ['world']],
    // The prober beside the server before somebody names its place.
    [['ZZ-LOC'], []],
    [
      ['CN-GD', 'ZZ-LOC'],
      ['provinces', 'tiles'],
    ],
  ])('of %j are %j', (regions, views) => {
    expect(mapViews(regions)).toEqual(views);
  });

  it('have the regions of China that are measured or not, and the countries in which something is, China on top', () => {
    const regions = ['CN-GD', 'CN-HK', 'HK-HCW', 'TW-TPE', 'US-CA', 'US-NY', 'ZZ-LOC'];
    expect(placesOf(ui, 'provinces', regions)).toHaveLength(34);
    expect(placesOf(ui, 'world', regions)).toEqual([
      { region: 'US', name: 'United States', short: 'US', within: ['US-CA', 'US-NY'] },
      { region: 'CN', name: 'China', short: 'CN', within: ['CN-GD', 'CN-HK', 'HK-HCW', 'TW-TPE'] },
    ]);
  });

  it('are links of the answers of a measurement from more countries than one, which begin with the provinces', () => {
    const vantages = ['CN-GD', 'SG-01', 'US-CA'].map((region) => {
      const vantage = makeVantage(region, 'other');
      const result = makeResult({ targetId: '', vantage, startedAt: 0, tls: 40 });
      return { vantage, state: 'done' as const, reason: null, result };
    });
    const html = (map: 'provinces' | 'world', shown = vantages) =>
      renderToStaticMarkup(
        <AnswerMap ui={ui} map={map} vantages={shown} scale={heatScale([40], 'ms')} describedBy="answers" />,
      );
    expect(html('provinces')).toContain('TLS by province');
    expect(html('provinces')).toMatch(/<a [^>]*href="\?map=world"[^>]*>World map<\/a>/);
    expect(html('world')).toContain('TLS by country');
    expect(html('provinces', vantages.slice(1))).toContain('TLS by country');
    expect(html('world', vantages.slice(0, 1))).not.toContain('World');
  });
});
