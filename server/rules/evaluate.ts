import { getPrisma } from '#server/database/database.ts';
import { log } from '#server/environment/log.ts';
import { applyRule } from './apply.ts';
import type { Verdict } from './broken.ts';
import { judgeCertificate } from './certificate.ts';
import { judgeDown } from './down.ts';
import { rulesOf } from './rules.ts';
import { judgeSilent } from './silent.ts';
import { judgeStaple } from './staple.ts';
import { judgeThreshold } from './threshold.ts';

type Applied = Parameters<typeof applyRule>[0];

/** What can change from one minute to the next. `upSince` is when the server could last hear from nobody. */
export async function evaluateFastRules(now: Date, upSince: Date): Promise<void> {
  for (const rule of await rulesOf(getPrisma(), 'down')) await evaluate(rule, now, () => judgeDown(rule, now));
  for (const rule of await rulesOf(getPrisma(), 'threshold'))
    await evaluate(rule, now, () => judgeThreshold(rule, now));
  for (const rule of await rulesOf(getPrisma(), 'silent'))
    await evaluate(rule, now, () => judgeSilent(rule, now, upSince));
}

/** Certificates and staples change by the day. */
export async function evaluateSlowRules(now: Date): Promise<void> {
  for (const rule of await rulesOf(getPrisma(), 'certificate'))
    await evaluate(rule, now, () => judgeCertificate(rule, now));
  for (const rule of await rulesOf(getPrisma(), 'staple')) await evaluate(rule, now, () => judgeStaple(rule, now));
}

/** One rule that cannot be judged must not keep the others from it. */
async function evaluate(rule: Applied, now: Date, judge: () => Promise<Verdict>): Promise<void> {
  try {
    await applyRule(rule, judge, now);
  } catch (error) {
    log.error({ err: error, rule: rule.id, kind: rule.kind }, 'an alert rule could not be evaluated');
  }
}
