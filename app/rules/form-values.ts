import type { RuleKind } from '#contract/alert-rule.ts';
import { formList, formNumber, formText } from '../form-text.ts';

/** A rule's form as the API's AlertRuleCreate would have it; Zod says what is wrong with it. */
export function ruleInput(kind: RuleKind, form: FormData) {
  const metric = kind === 'detector' || kind === 'threshold' ? { metric: formText(form, 'metric') } : {};
  return {
    kind,
    name: formText(form, 'name') ?? '',
    enabled: form.has('enabled'),
    ...metric,
    params: paramsInput(kind, form),
    targetIds: formList(form, 'targetIds'),
    regions: formList(form, 'regions'),
    carriers: formList(form, 'carriers'),
    minCells: formNumber(form, 'minCells'),
    severity: formText(form, 'severity') ?? undefined,
    reminderMinutes: formNumber(form, 'reminderMinutes') ?? null,
  };
}

const NUMBERS = {
  detector: [],
  threshold: ['windowMinutes', 'minResults'],
  down: ['share', 'windowMinutes'],
  certificate: ['days'],
  staple: ['hitRatio', 'windowMinutes', 'minHandshakes'],
  silent: ['periods'],
} as const satisfies Record<RuleKind, readonly string[]>;

function paramsInput(kind: RuleKind, form: FormData) {
  const numbers = Object.fromEntries(NUMBERS[kind].map((name) => [name, formNumber(form, `params.${name}`)]));
  if (kind === 'detector')
    return {
      kinds: formList(form, 'params.kinds'),
      falsePagesPerWeek: formNumber(form, 'params.falsePagesPerWeek') ?? null,
    };
  if (kind !== 'threshold') return numbers;
  return {
    ...numbers,
    stat: formText(form, 'params.stat') ?? undefined,
    above: formNumber(form, 'params.above') ?? null,
    below: formNumber(form, 'params.below') ?? null,
  };
}
