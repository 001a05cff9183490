import type { Delivery } from '#contract/delivery.ts';
import type { Incident } from '#contract/incident.ts';
import type { Ui } from '#i18n/ui.ts';
import type { Tone } from '../ui/badge.tsx';

/** A message about an incident, and to whom. */
export type Message = Delivery & { webhookName: string };
/** Whether anybody knows of an incident: `text` in a few words, `who` the webhooks that it concerns. */
export type NotificationState = { tone: Tone; text: string; who: string };

const LASTING: Delivery['status'][] = ['failed', 'pending', 'delivered', 'grouped'];

/** Sums up the messages about an incident. What arrived nowhere is told before what arrived somewhere. */
export function notificationOf(
  ui: Ui,
  { status: state, silenced, flapping }: Incident,
  messages: Message[],
): NotificationState {
  const { t } = ui;
  const of = (status: Delivery['status']) => messages.filter((message) => message.status === status);
  const status = LASTING.find((candidate) => of(candidate).length > 0);
  if (status === undefined) {
    const why = silenced ? 'silenced' : flapping ? 'flapping' : 'nobody';
    // Once it is over no notification is needed.
    const tone = state === 'resolved' ? 'plain' : why === 'nobody' ? 'bad' : 'warn';
    return { tone, text: t(`incident.notified.${why}`), who: '' };
  }
  const shown = of(status);
  const who = [...new Set(shown.map(({ webhookName }) => webhookName))].join(t('punctuation.list'));
  if (status === 'pending') {
    const n = Math.max(...shown.map(({ attempts }) => attempts));
    return { tone: 'warn', text: n > 0 ? t('incident.notified.retrying', { n }) : t('incident.notified.pending'), who };
  }
  if (status === 'grouped') return { tone: 'good', text: t('incident.notified.grouped'), who };
  const arrived = status === 'delivered';
  const text = t(arrived ? 'incident.notified.arrived' : 'incident.notified.failed', { n: shown.length });
  return { tone: arrived ? 'good' : 'bad', text, who };
}
