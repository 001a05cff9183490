import type { ReactNode } from 'react';
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
