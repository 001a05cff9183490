import type { ReactElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { describe, expect, it } from 'vitest';
import { readFilter } from '#components/filters/filter.ts';
import { KeptFields } from '#components/filters/filter-bar.tsx';
import { RuleForm } from '#components/rule/rule-form.tsx';
import { SilenceForm } from '#components/rule/silence-form.tsx';
import { TargetForm } from '#components/target/target-form.tsx';
import { UNTOUCHED } from '#components/ui/form.tsx';
import { FormPage } from '#components/ui/page.tsx';
import { VantageFields } from '#components/vantage/vantage-fields.tsx';
import { WebhookFields } from '#components/webhook/webhook-fields.tsx';
import { AlertRuleCreate, RULE_KINDS } from '#contract/alert-rule.ts';
import { TargetCreate } from '#contract/target.ts';
import { FORMATS, WebhookSettings } from '#contract/webhook.ts';
import { LOCALES } from '#i18n/locale.ts';
import { translator } from '#i18n/translator.ts';
import type { Ui } from '#i18n/ui.ts';
import { formOf } from '#server/webhooks/formats/formats.ts';

const action = async () => UNTOUCHED;
const probe = async () => ({ problem: null, errors: {}, values: {}, lines: [] });
const targets = [{ id: '01940000-0000-7000-8000-000000000009', name: 'shop' }];
const rules = [{ id: '01940000-0000-7000-8000-000000000002', name: '' }];

const webhookDraft = (format: (typeof FORMATS)[number]) => ({
  ...{ name: '', format, url: null, secrets: [], language: 'en' as const, events: [], ruleIds: [], severities: [] },
  ...{ settings: WebhookSettings.parse({}), template: null, enabled: true },
});
const ruleDraft = (kind: (typeof RULE_KINDS)[number]) =>
  AlertRuleCreate.parse({
    kind,
    name: kind,
    ...(kind === 'threshold' ? { metric: 'tls', params: { above: 200 } } : {}),
  });
const vantageDraft = { name: '', country: 'CN', region: 'CN-GD', city: null, carrier: 'telecom', asn: null };

/** Every form, of each kind that it has. */
const FORMS: [name: string, form: (ui: Ui) => ReactElement][] = [
  ...RULE_KINDS.map((kind): [string, (ui: Ui) => ReactElement] => [
    `a rule: ${kind}`,
    (ui) => (
      <RuleForm
        ui={ui}
        draft={ruleDraft(kind)}
        targets={targets}
        action={action}
        replay={async () => ({ sentence: '', note: null, firings: [] })}
        probe={probe}
        submit="Add"
      />
    ),
  ]),
  ...FORMATS.map((format): [string, (ui: Ui) => ReactElement] => [
    `a webhook: ${format}`,
    (ui) => <WebhookFields ui={ui} draft={webhookDraft(format)} form={formOf(format)} rules={rules} />,
  ]),
  [
    'a target',
    (ui) => {
      const draft = { ...TargetCreate.parse({ url: 'https://shop.example/' }), name: 'shop' };
      return <TargetForm ui={ui} draft={draft} action={action} submit="Add" probe={probe} />;
    },
  ],
  ['a silence', (ui) => <SilenceForm ui={ui} targets={targets} starts="" ends="" action={action} />],
  ['a vantage', (ui) => <VantageFields ui={ui} draft={{ ...vantageDraft, access: 'idc', mayHoldSecrets: false }} />],
];

const attribute = (tag: string, name: string) => new RegExp(` ${name}="([^"]*)"`).exec(tag)?.[1];

describe.each(LOCALES)('the form (%s) of', (locale) => {
  const ui: Ui = { locale, t: translator(locale), timeZone: 'Asia/Shanghai', theme: 'system' };

  it.each(RULE_KINDS)('a rule of the kind %s has a field for each of its parameters', (kind) => {
    const [, form] = FORMS.find(([name]) => name === `a rule: ${kind}`) ?? [];
    const html = renderToStaticMarkup(form?.(ui));
    const names = Object.keys(ruleDraft(kind).params).map((name) => `name="params.${name}"`);
    expect(names.filter((name) => !html.includes(name))).toEqual([]);
  });

  it.each(FORMS)('%s has a label, a help and a place for its error at every field', (_name, form) => {
    const html = renderToStaticMarkup(form(ui));
    const ids = [...html.matchAll(/ id="([^"]*)"/g)].map(([, id]) => id);
    expect(ids).toEqual([...new Set(ids)]);
    const fields = html.match(/<(?:input|select|textarea)\b[^>]*>/g) ?? [];
    expect(fields.length).toBeGreaterThan(1);
    for (const field of fields) {
      const [id, type] = [attribute(field, 'id'), attribute(field, 'type')];
      if (type === 'hidden') continue;
      // A box is inside of its label; its group has the place for the error.
      if (type === 'checkbox' || type === 'radio') {
        expect(html.split(field)[0], field).toMatch(/<label[^>]*>(?:(?!<\/label>).)*$/s);
        continue;
      }
      expect(html, field).toMatch(new RegExp(`<label[^>]* for="${id}"[^>]*>[^<]+`));
      for (const described of attribute(field, 'aria-describedby')?.split(' ') ?? []) expect(ids).toContain(described);
      expect(ids, field).toContain(`${attribute(field, 'name')}-error`);
    }
  });
});

it.each([
  [
    'en',
    'what you change here is undone by the next apply',
    'Remove it?</p><p class="mt-2">It is kept in a file: the next roundtrip apply',
  ],
  ['zh-CN', '在此处所做的修改会在下次应用时被覆盖', 'Remove it?</p><p class="mt-2">此项由配置文件管理'],
] as const)('the page of a form (%s) says so where its thing is kept as code, and nowhere else', (locale, ...said) => {
  const ui: Ui = { locale, t: translator(locale), timeZone: 'Asia/Shanghai', theme: 'system' };
  const page = (managed: boolean) =>
    renderToStaticMarkup(
      <FormPage
        ui={ui}
        managed={managed}
        title="shop"
        remove={{ id: 'x', label: 'Remove', text: 'Remove it?', action: async () => {} }}
      >
        {null}
      </FormPage>,
    );
  for (const each of said) {
    expect(page(true)).toContain(each);
    expect(page(false)).not.toContain(each);
  }
});

describe('the form that narrows a page', () => {
  it('keeps what was chosen elsewhere on it, and leaves out what it has fields for', () => {
    const chosen = {
      range: '7d',
      map: 'world',
      axis: 'log',
      extremes: 'shown',
      makeup: 'group',
      overlay: 'day',
      spread: 'cumulative',
    };
    const filter = readFilter({ ...chosen, metric: 'tcp', region: 'CN-GD' }, 0);
    const html = renderToStaticMarkup(<KeptFields kind="figures" filter={filter} />);
    const kept = [...html.matchAll(/name="(.+?)" value="(.+?)"/g)].map(([, name, value]) => [name, value]);
    expect(Object.fromEntries(kept)).toEqual(chosen);
  });
});
