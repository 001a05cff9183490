import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Affected } from '#contract/incident.ts';
import { FORMAT_FIELDS, FORMATS } from '#contract/webhook.ts';
import { LOCALES } from '#i18n/locale.ts';
import { MESSAGES } from '#i18n/translator.ts';
import { formOf, isSecretUrl, isSigned, usualUrl, WRITERS } from '#server/webhooks/formats/formats.ts';
import type { Endpoint } from '#server/webhooks/outgoing.ts';
import { samplePayload } from '#server/webhooks/sample-payloads.ts';

const docs = await readFile(path.join(import.meta.dirname, '../../../docs/webhooks.md'), 'utf8');
/** The cells of a format's row in the table of the docs: its name, `url`, `secret`, what is sent. */
const rowOf = (format: string) =>
  docs
    .split('\n')
    .find((line) => line.startsWith(`| \`${format}\` |`))
    ?.split('|')
    .map((cell) => cell.trim())
    .slice(1, -1);

describe.each(FORMATS)('the webhook format %s', (format) => {
  const { url, secret, needsSecret, fields = [] } = WRITERS[format];

  it('shows the address only where it said that this is no credential', () => {
    expect(isSecretUrl(format)).toBe(WRITERS[format].secretUrl !== false);
    if (url === 'none') expect(usualUrl(format)).toBeNull();
    if (typeof url === 'object') expect(usualUrl(format)).toMatch(/^https:/);
  });

  it('asks in its form for what it needs, and has the texts for it in every language', () => {
    expect(formOf(format)).toEqual({ url: url === 'given', secret: secret !== 'none', fields });
    for (const field of fields) expect(FORMAT_FIELDS).toContain(field);
    for (const locale of LOCALES) {
      const { webhooks } = MESSAGES[locale];
      expect([webhooks.format[format], webhooks.formatDef[format]].every(Boolean)).toBe(true);
      for (const texts of [webhooks.secret, webhooks.secretHelp])
        expect(Object.hasOwn(texts, format)).toBe(secret !== 'none');
    }
    expect(needsSecret === undefined || secret !== 'none').toBe(true);
    expect(isSigned(format)).toBe(secret === 'standard');
  });

  it('stands in the table of the docs with its address and its secret', () => {
    const [, address, secretCell, sent] = rowOf(format) ?? [];
    expect(/^omitted/.test(address ?? '')).toBe(url !== 'given');
    expect(secretCell === 'none').toBe(secret === 'none');
    expect(sent).toBeTruthy();
  });
});

const MAIL = {
  host: 'smtp.example.org',
  port: 587,
  secure: false,
  user: null,
  from: 'roundtrip@example.org',
  to: ['ops@example.org'],
};

describe.each(FORMATS)('a title at %s', (format) => {
  const endpoint: Endpoint = {
    format,
    url: 'https://receiver.example.org/x?channel=C1',
    secrets: [
      format === 'standard' || format === 'template' ? 'whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3' : 'R'.repeat(32),
    ],
    language: 'en',
    settings: { email: MAIL, contentType: 'application/json', labels: {} },
    template: '{"title": "{{title}}", "text": "{{text}}"}',
  };

  /** Every text of the request, and of its JSON. */
  function textsOf(targetName: string): string[] {
    const { data: sample } = samplePayload('target.down', new Date(0));
    const affected = { ...(sample.affected as Affected), targetNames: [targetName] };
    const data = { ...sample, targetName, affected, summary: targetName };
    const payload = { type: 'target.down' as const, timestamp: '2026-11-21T08:00:00.000Z', data };
    const outgoing = WRITERS[format].write(endpoint, { messageId: 'm', incidentId: 'i', payload }, new Date(0));
    if (outgoing.kind === 'mail') return [outgoing.subject, outgoing.body];
    const texts: string[] = [];
    JSON.parse(outgoing.body, (_, value) => {
      if (typeof value === 'string') texts.push(value);
      return value;
    });
    return texts;
  }

  it('is what it is, without a backslash', () => {
    const name = 'a_b*c [x] (y) #1 1.5 ~2 C++ -z';
    const texts = textsOf(name);
    expect(texts.some((text) => text.includes(name))).toBe(true);
    expect(texts.join('\n')).not.toContain('\\');
  });

  it('is cut between its characters, and never within what stands for one', () => {
    for (let shift = 0; shift < 12; shift++) {
      const texts = textsOf(`${'x'.repeat(shift)}${'Q&\u{1f600}<'.repeat(2_000)}`);
      expect(texts.every((text) => text.isWellFormed())).toBe(true);
      if (format !== 'slack') continue;
      const section = texts.find((text) => text.startsWith('*')) ?? '';
      expect(section.length).toBeLessThanOrEqual(3_000);
      expect(section).not.toMatch(/&(?!(amp|lt|gt);)/);
    }
  });

  it.runIf(format === 'wecom' || format === 'dingtalk')('has no markup of its own', () => {
    const texts = textsOf('**b** _i_ `c` [x](https://evil.example.org/) <@all> <font color="info">f</font>\n# h');
    const markdown = texts.find((text) => text.startsWith('###'));
    expect(markdown).not.toMatch(/\\|\*\*b|_i_|`|\]\(https:..evil|<@|<font|\n# h/);
  });
});

it('a format that says nothing of its address has a secret one', () => {
  const secret = FORMATS.filter((format) => isSecretUrl(format));
  expect(secret).toEqual(expect.arrayContaining(['slack', 'feishu', 'dingtalk', 'wecom']));
});
