import type { ReactNode } from 'react';
import { formatTime } from '#i18n/time.ts';
import type { Ui } from '#i18n/ui.ts';

export type Tone = 'plain' | 'bad' | 'good' | 'warn' | 'demo';
const TONES: Record<Tone, string> = {
  plain: '',
  bad: 'badge-bad',
  good: 'badge-good',
  warn: 'badge-warn',
  demo: 'badge-demo',
};

/** A word about a thing; `title` explains it. */
export function Badge({ tone = 'plain', title, children }: { tone?: Tone; title?: string; children: ReactNode }) {
  return (
    <span className={`badge ${TONES[tone]}`} title={title}>
      {children}
    </span>
  );
}

/** Marks whatever belongs to the demo network. */
export function DemoBadge({ ui }: { ui: Ui }) {
  return (
    <Badge tone="demo" title={ui.t('demo.badgeDef')}>
      {ui.t('demo.badge')}
    </Badge>
  );
}

/** Marks what is kept as code: a file that is applied again undoes what is changed here. */
export function ManagedBadge({ ui }: { ui: Ui }) {
  return <Badge title={ui.t('managed.text')}>{ui.t('managed.badge')}</Badge>;
}

/** Marks whatever another monitor measured. */
export function ImportedBadge({ ui }: { ui: Ui }) {
  return <Badge title={ui.t('imported.badgeDef')}>{ui.t('imported.badge')}</Badge>;
}

/** Marks figures that hold what another monitor measured, up to `until` (RFC 3339) at the most. */
export function ImportedUntilBadge({ ui, until }: { ui: Ui; until: string | null }) {
  if (until === null) return null;
  const time = formatTime(until, ui.timeZone, 'minute');
  return <Badge title={ui.t('imported.badgeDef')}>{ui.t('imported.until', { time })}</Badge>;
}

/** Marks figures that go back to before anything was measured: until `until` (RFC 3339) the demo's past was generated. */
export function GeneratedBadge({ ui, until }: { ui: Ui; until: string | null }) {
  if (until === null) return null;
  return (
    <Badge tone="demo" title={ui.t('demo.generatedDef')}>
      {ui.t('demo.generated', { time: formatTime(until, ui.timeZone, 'minute') })}
    </Badge>
  );
}
