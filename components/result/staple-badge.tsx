import type { Staple } from '#contract/certificate.ts';
import type { Ui } from '#i18n/ui.ts';
import { Badge, type Tone } from '../ui/badge.tsx';

type Status = Staple['status'];

const TONES: Record<Status, Tone> = {
  good: 'good',
  revoked: 'bad',
  unknown: 'warn',
  stale: 'warn',
  invalid: 'bad',
  malformed: 'bad',
  unsuccessful: 'warn',
  missing: 'warn',
  // Nothing to staple is no fault.
  not_applicable: 'plain',
  not_observed: 'plain',
};

/** The state of an OCSP staple, with what it means. */
export function StapleBadge({ ui, status }: { ui: Ui; status: Status }) {
  return (
    <Badge tone={TONES[status]} title={ui.t(`stapleDef.${status}`)}>
      {ui.t(`staple.${status}`)}
    </Badge>
  );
}
