import { CHINA_REGIONS, countryOf } from '#contract/location.ts';
import { regionName } from '#i18n/names.ts';
import type { Ui } from '#i18n/ui.ts';
import { WORLD } from '../charts/world-map.ts';
import { ChoiceLinks } from '../filters/choice-links.tsx';
import { CHOICES, type MapView } from '../filters/filter.ts';

/** A place of a map: its code, its names, and the regions with vantages that are in it. */
export type MapPlace = { region: string; short: string; name: string; within: string[] };

const CHINA: ReadonlySet<string> = new Set(CHINA_REGIONS);
const isInChina = (region: string) => CHINA.has(region);
/** Whether China's maps have no place for a region, and the world has. */
const isOnWorldAlone = (region: string) => !isInChina(region) && WORLD.outlines.has(countryOf(region));

/** The maps that have a place for some of `regions`: China's where one is there, the world where one is on it alone. */
export function mapViews(regions: readonly string[]): MapView[] {
  const [china, world] = [regions.some(isInChina), regions.some(isOnWorldAlone)];
  return CHOICES.map.filter((view) => (view === 'world' ? world : china));
}

/** The view that is asked for, or the first that there is. */
export const viewOf = (views: readonly MapView[], asked: MapView): MapView | undefined =>
  views.find((view) => view === asked) ?? views[0];

/** The places of a map, of which the last lies on top: all regions of China, or the countries of `regions`. */
export function placesOf(ui: Ui, view: MapView, regions: readonly string[]): MapPlace[] {
  const named = (region: string, within: string[]) => {
    const name = regionName(ui, region);
    // A tile or a province has room for three characters: `黑龙江`, and `HL` in languages whose names are longer.
    return { region, name, short: name.length <= 3 ? name : region.slice(-2), within };
  };
  if (view !== 'world') return CHINA_REGIONS.map((region) => named(region, regions.includes(region) ? [region] : []));
  const countries = Map.groupBy(regions, countryOf);
  return [...countries]
    .filter(([country]) => WORLD.outlines.has(country))
    .sort(([a], [b]) => Number(a === 'CN') - Number(b === 'CN'))
    .map(([country, within]) => named(country, within));
}

/** Of a place with more lines than this the first are in its tooltip. */
const MAX_LINES = 8;

/** The lines of a tooltip, and how many more there are. */
export const firstLines = (ui: Ui, lines: readonly string[]): string[] => [
  ...lines.slice(0, MAX_LINES),
  ...(lines.length > MAX_LINES ? [ui.t('brief.more', { n: lines.length - MAX_LINES })] : []),
];

type Props = { ui: Ui; views: readonly MapView[]; view: MapView; hrefOf: (map: MapView) => string };

/** The maps that there are to choose from; nothing where it is but one. */
export function MapChoice({ ui: { t }, views, view, hrefOf }: Props) {
  if (views.length < 2) return null;
  return (
    <ChoiceLinks
      label={t('target.mapAs')}
      choices={views.map((each) => ({
        key: each,
        href: hrefOf(each),
        text: t(`target.mapView.${each}`),
        current: each === view,
      }))}
    />
  );
}
