import type { Annotation } from '#components/charts/annotations.ts';
import { statStyle } from '#components/charts/styles.ts';
import { lineCells } from '#components/incident/incident-text.ts';
import type { Incident, IncidentCell } from '#contract/incident.ts';
import { medianOf } from '#contract/median.ts';
import { isShare } from '#contract/vocabulary.ts';
import { measuredAs, valueText } from '#i18n/incident.ts';
import { markerWords } from '#i18n/names.ts';
import type { Ui } from '#i18n/ui.ts';
import { cellsByTarget, MAX_LINES, targetStyle } from './chart.ts';

type Range = { from: string; to: string };

/** What is drawn over an incident's lines: onset, end, levels before and after, and the markers nearby. */
export function incidentAnnotations(ui: Ui, incident: Incident, range: Range): Annotation[] {
  return [...edges(ui, incident), ...levels(ui, incident, range), ...markers(ui, incident)];
}

const toneOf = ({ kind }: Incident) => (kind === 'improvement' ? '--good' : '--bad');

function edges({ t }: Ui, incident: Incident): Annotation[] {
  const { kind, onsetAt, resolvedAt, resolution } = incident;
  const onset: Annotation = {
    kind: 'line',
    at: Date.parse(onsetAt),
    label: t('incident.onset'),
    token: toneOf(incident),
  };
  // An improvement goes on; it is over for those who watch once it is found.
  if (resolvedAt === null || kind === 'improvement') return [onset];
  const accepted = resolution === 'accepted';
  const end = {
    label: t(accepted ? 'incident.acceptedAt' : 'incident.endedAt'),
    token: accepted ? '--warn' : resolution === 'unwatched' || resolution === 'superseded' ? '--muted' : '--good',
  };
  return [onset, { kind: 'line', at: Date.parse(incident.overAt ?? resolvedAt), ...end, dashed: true }];
}

/** One target has one pair of levels, in words; of several each has its own, in its line's colour. */
function levels(ui: Ui, incident: Incident, range: Range): Annotation[] {
  const { t } = ui;
  if (incident.kind === 'down' || isShare(incident.metric)) return [];
  const cells = lineCells(incident);
  const targets = cellsByTarget(cells);
  if (targets.length > 1)
    return targets.slice(0, MAX_LINES).flatMap((target, index) => {
      const { token } = targetStyle(index);
      return pair(incident, target.cells, range, { before: { label: '', token }, after: { label: '', token } });
    });
  const value = (field: Field) => valueText(ui, measuredAs(incident), level(cells, field));
  return pair(incident, cells, range, {
    before: { label: t('incident.levelBefore', { value: value('beforeMs') }), token: '--muted' },
    after: { label: t('incident.levelAfter', { value: value('afterMs') }), token: toneOf(incident) },
  });
}

type Field = 'beforeMs' | 'afterMs';
type Look = { label: string; token: string };

const level = (cells: IncidentCell[], field: Field) => medianOf(cells.flatMap((cell) => cell[field] ?? []));

function pair(
  incident: Incident,
  cells: IncidentCell[],
  range: Range,
  looks: { before: Look; after: Look },
): Annotation[] {
  const onset = Date.parse(incident.onsetAt);
  const before = level(cells, 'beforeMs');
  const after = level(cells, 'afterMs');
  return [
    ...(before === null
      ? []
      : [{ kind: 'level' as const, from: Date.parse(range.from), to: onset, value: before, ...looks.before }]),
    ...(after === null
      ? []
      : [
          {
            kind: 'level' as const,
            from: onset,
            to: Date.parse(incident.overAt ?? range.to),
            value: after,
            ...looks.after,
          },
        ]),
  ];
}

function markers(ui: Ui, { candidates, demo }: Incident): Annotation[] {
  return candidates.flatMap((candidate): Annotation[] => {
    if (candidate.kind !== 'marker') return [];
    const { token } = statStyle('p50');
    return [
      {
        kind: 'line',
        at: Date.parse(candidate.at),
        label: short(markerWords(ui, { demo, title: candidate.title }).title),
        token,
        dashed: true,
      },
    ];
  });
}

const MAX_FLAG = 18;
const short = (title: string) => (title.length > MAX_FLAG ? `${title.slice(0, MAX_FLAG - 1)}…` : title);
