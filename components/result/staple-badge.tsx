import type { Staple } from '#contract/certificate.ts';
import { withAside } from '#i18n/names.ts';
import type { Ui } from '#i18n/ui.ts';
import { Badge, type Tone } from '../ui/badge.tsx';

type Status = Staple['status'];

const TONES: Record<Status, Tone> = {
  good: 'good',
  revoked: 'bad',
  unknown: 'warn',
  stale: 'warn',
  invalid: 'bad',
  // What we cannot check is no fault of the server.
  unverified: 'plain',
  malformed: 'bad',
  unsuccessful: 'warn',
  missing: 'warn',
  // Nothing to staple is no fault.
  not_applicable: 'plain',
  not_observed: 'plain',
};

/** The state of an OCSP staple, with what it means. */
export function StapleBadge({ ui, status, why }: { ui: Ui; status: Status; why?: string | undefined }) {
  const definition = ui.t(`stapleDef.${status}`);
  return (
    <Badge tone={TONES[status]} title={withAside(ui, definition, why)}>
      {ui.t(`staple.${status}`)}
    </Badge>
  );
}
