import type { Ui } from '#i18n/ui.ts';

/** The rules of a fresh installation: their ids, and the names that the migration `incidents` gave them. */
const SEEDED = [
  { id: '01940000-0000-7000-8000-000000000001', name: 'Spikes, regressions and improvements', kind: 'detector' },
  { id: '01940000-0000-7000-8000-000000000002', name: 'Target down', kind: 'down' },
  { id: '01940000-0000-7000-8000-000000000003', name: 'Certificate expires', kind: 'certificate' },
  { id: '01940000-0000-7000-8000-000000000004', name: 'OCSP staple unhealthy', kind: 'staple' },
  { id: '01940000-0000-7000-8000-000000000005', name: 'Vantage silent', kind: 'silent' },
] as const;

/** The name of a rule. One that came with the installation and was not renamed is in the reader's language. */
export function ruleName({ t }: Ui, rule: { id: string | null; name: string }): string {
  const seeded = SEEDED.find(({ id, name }) => id === rule.id && name === rule.name);
  return seeded ? t(`rules.seeded.${seeded.kind}`) : rule.name;
}
