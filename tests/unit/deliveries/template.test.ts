import { describe, expect, it } from 'vitest';
import { WebhookSettings } from '#contract/webhook.ts';
import { fillTemplate, template, templateProblem } from '#server/webhooks/formats/template.ts';
import { samplePayload } from '#server/webhooks/sample-payloads.ts';

const NOW = new Date('2026-11-21T08:00:00Z');
const values = { type: 'target.down', data: { name: 'a "b"\n\\c', ms: 1.5, none: null, list: [1, 'x'], yes: true } };

describe('a template', () => {
  it('in JSON escapes texts and writes other values as JSON does', () => {
    const source =
      '{"t": "{{type}}", "n": "{{ data.name }}", "ms": {{data.ms}}, "no": {{data.none}}, "l": {{data.list}}}';
    expect(JSON.parse(fillTemplate(source, values, true))).toEqual({
      t: 'target.down',
      n: 'a "b"\n\\c',
      ms: 1.5,
      no: null,
      l: [1, 'x'],
    });
  });

  it('elsewhere writes texts as they are and null as nothing', () => {
    expect(fillTemplate('{{type}}:{{data.none}}:{{data.yes}}', values, false)).toBe('target.down::true');
  });

  it.each([
    ['{{data.absent}}', 'names nothing'],
    ['{{data.name.length}}', 'names nothing'],
    ['{{data.constructor}}', 'names nothing'],
    ['{{data.__proto__}}', 'names nothing'],
    ['{{process.env}}', 'begins with none of'],
    ['{{a b}}', 'is not a path'],
    ['{{}}', 'is not a path'],
  ])('names %s where it cannot be filled in: it %s', (placeholder, problem) => {
    expect(() => fillTemplate(`x ${placeholder}`, values, false)).toThrow(`${placeholder} ${problem}`);
  });

  it('does not fill in what a value brings along', () => {
    expect(fillTemplate('{{data.name}}', { data: { name: '{{data.secret}}', secret: 's' } }, false)).toBe(
      '{{data.secret}}',
    );
  });

  it.each([
    ['{"a": "{{title}}"}', 'application/json', null],
    ['{{title}}: {{text}}', 'text/plain', null],
    ['{"a": "{{title}}"', 'application/json', 'is not JSON'],
    ['{{nothing}}', 'text/plain', '{{nothing}} begins with none of'],
    ['{{title', 'text/plain', '{{title does not close'],
  ])('%s as %s is judged before it is stored', (source, type, problem) => {
    if (problem === null) expect(templateProblem(source, type)).toBeNull();
    else expect(templateProblem(source, type)).toContain(problem);
  });

  it('is sent signed, with the content type chosen', () => {
    const endpoint = {
      format: 'template' as const,
      url: 'https://hook.example/',
      secrets: ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'],
      language: 'zh-CN' as const,
      settings: WebhookSettings.parse({ contentType: 'text/plain' }),
      template: '{{data.targetName}} {{title}}',
    };
    const message = { messageId: 'msg_1', incidentId: null, payload: samplePayload('target.down', NOW) };
    const sent = template.write(endpoint, message, NOW);
    expect(sent.headers).toMatchObject({ 'content-type': 'text/plain', 'webhook-id': 'msg_1' });
    expect(sent.body).toMatch(/^shop\.example\.org \[Roundtrip\] 不可用/);
  });
});
