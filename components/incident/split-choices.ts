import type { Incident, IncidentCell } from '#contract/incident.ts';
import { carrierName, regionName } from '#i18n/names.ts';
import type { Ui } from '#i18n/ui.ts';
import { cellPlace } from './incident-text.ts';

/** Series of an incident that may become one of their own: those of a target, of a carrier, of a region, or one alone. */
type SplitChoice = { value: string; label: string };
type SplitGroup = { label: string; choices: SplitChoice[] };

type SeriesRef = { targetId: string; vantageId: string };
type Named = SeriesRef & { cell: IncidentCell };

/** Most single series that are offered: a select of thousands is of no use, and the API takes any. */
const MOST_SINGLE = 300;

/** What a page offers to split off: no choice takes all series that go on. */
export function splitGroups(ui: Ui, incident: Incident): SplitGroup[] {
  const { t } = ui;
  const all = seriesOf(incident);
  const by = (name: string, keyOf: (each: Named) => string | null, labelOf: (each: Named) => string) => {
    const same = Map.groupBy(all, keyOf);
    return [...same].flatMap(([key, [first, ...others]]) =>
      key === null || !first || others.length + 1 === all.length
        ? []
        : {
            value: `${name}:${key}`,
            label: t('incident.actions.option', { name: labelOf(first), n: others.length + 1 }),
          },
    );
  };
  const single = all.slice(0, all.length > 1 ? MOST_SINGLE : 0).map((each) => ({
    value: `series:${each.targetId}:${each.vantageId}`,
    label: [each.cell.targetName, cellPlace(ui, each.cell)].filter(Boolean).join(' · '),
  }));
  return [
    {
      label: t('incident.actions.targets'),
      choices: by(
        'target',
        ({ targetId }) => targetId,
        ({ cell }) => cell.targetName ?? '',
      ),
    },
    {
      label: t('incident.actions.carriers'),
      choices: by(
        'carrier',
        ({ cell }) => cell.carrier,
        ({ cell }) => carrierName(ui, cell.carrier ?? ''),
      ),
    },
    {
      label: t('incident.actions.regions'),
      choices: by(
        'region',
        ({ cell }) => cell.region,
        ({ cell }) => regionName(ui, cell.region ?? ''),
      ),
    },
    { label: t('incident.actions.series'), choices: single },
  ].filter(({ choices }) => choices.length > 0);
}

/** The series of a choice, of those that the incident has by now. */
export function chosenSeries(incident: Incident, value: string): SeriesRef[] {
  const [kind, first = '', second = ''] = value.split(':');
  return seriesOf(incident)
    .filter(({ targetId, vantageId, cell }) => {
      if (kind === 'target') return targetId === first;
      if (kind === 'carrier') return cell.carrier === first;
      if (kind === 'region') return cell.region === first;
      return kind === 'series' && targetId === first && vantageId === second;
    })
    .map(({ targetId, vantageId }) => ({ targetId, vantageId }));
}

/** The series that go on, once each. */
function seriesOf({ cells }: Incident): Named[] {
  const going = cells.flatMap((cell) =>
    cell.targetId === null || cell.vantageId === null || cell.recoveredAt !== null
      ? []
      : { targetId: cell.targetId, vantageId: cell.vantageId, cell },
  );
  return [...new Map(going.map((each) => [`${each.targetId} ${each.vantageId}`, each])).values()];
}
