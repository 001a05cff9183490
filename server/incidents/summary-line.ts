import type { Incident, IncidentKind, IncidentResolution } from '#contract/incident.ts';

const WHAT: Record<IncidentKind, string> = {
  spike: 'spike',
  regression: 'regression',
  improvement: 'improvement',
  threshold: 'threshold crossed',
  down: 'down',
  certificate: 'certificate expires',
  staple: 'OCSP staple unhealthy',
  silent: 'vantage silent',
};

const ENDED: Record<IncidentResolution, string> = {
  recovered: 'over',
  rolled_back: 'rolled back',
  by_hand: 'resolved manually',
  accepted: 'accepted as the new level',
  superseded: 'became a lasting change',
  unwatched: 'no longer monitored',
};

const METRICS: Record<string, string> = {
  tls: 'TLS time',
  tcp: 'TCP connect',
  firstByte: 'first byte',
  failures: 'failures',
};

/** One line for a person who reads a message: what, where, by how much, and why as far as that is known. */
export function summaryLine(incident: Incident): string {
  const { kind, metric, resolution, cells, cause, effectMs, effectRatio, onsetAt } = incident;
  const what = metric === null ? WHAT[kind] : `${METRICS[metric] ?? metric} ${WHAT[kind]}`;
  const parts = [
    `${subjectOf(incident)}: ${what}${resolution === null ? '' : ` ${ENDED[resolution]}`}`,
    effectMs !== null && metric !== 'failures' ? changeOf(effectMs, effectRatio) : null,
    resolution === 'accepted' ? `since ${onsetAt.slice(0, 10)}` : null,
    cells.length > 1 ? `${cells.length} cells` : null,
    cause === null ? null : `cause ${cause}`,
  ];
  return parts.filter((part) => part !== null).join(', ');
}

function subjectOf({ targetName, carrier, region, cells }: Incident): string {
  const [first] = cells;
  const place = [region, carrier].filter((part) => part !== null).join(' ');
  if (targetName !== null) return place === '' ? targetName : `${targetName} (${place})`;
  return place || first?.vantageName || 'several targets';
}

function changeOf(ms: number, ratio: number | null): string {
  const sign = (value: number, digits: number) => `${value < 0 ? '-' : '+'}${Math.abs(value).toFixed(digits)}`;
  return `${sign(ms, 1)} ms${ratio === null ? '' : ` (${sign(ratio * 100, 0)}%)`}`;
}
