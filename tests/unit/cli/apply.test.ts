import { expect, it } from 'vitest';
import { parseFile, placeOf, planText } from '#cli/apply.ts';

const TEXT = `targets:
  - name: shop
    url: https://shop.example.org/
  - name: api
    url: \${API}/v1
`;

it('a file has values of the environment for their names, and places for fields', () => {
  const { document, lines } = parseFile({ path: 'a.yaml', text: TEXT }, { API: 'https://api.example.org' });
  expect(document.toJS().targets[1]).toEqual({ name: 'api', url: 'https://api.example.org/v1' });
  expect(placeOf('targets.1.url', document, lines)).toBe(':5:10');
  // What is not there has the place of what it is missing from.
  expect(placeOf('targets.1.vantages.names.0', document, lines)).toBe(':4:5');
  expect(placeOf('webhooks.0.url', document, lines)).toBe('');
});

it.each([
  ['a variable that the environment lacks', TEXT, 'a.yaml:5:10: the environment has no API.'],
  ['what is no YAML', 'targets:\n  - name: "shop\n', 'a.yaml:3:1: Missing closing "quote.'],
  ['a key twice', 'targets: []\ntargets: []\n', 'a.yaml:2:1: Map keys must be unique.'],
])('%s is refused with its line and column', (_what, text, message) => {
  expect(() => parseFile({ path: 'a.yaml', text }, {})).toThrow(message);
});

it('a plan is a line a step, with the fields of a change below it', () => {
  const fields = [{ field: 'settings.tlsVersion', before: 'auto', after: '1.2' }];
  const steps = [
    { section: 'targets' as const, name: 'shop', action: 'change' as const, fields },
    { section: 'alertRules' as const, name: 'slow', action: 'delete' as const, fields: [] },
  ];
  expect(planText({ applied: false, unchanged: 2, steps })).toBe(`~ change target shop
    settings.tlsVersion: "auto" -> "1.2"
- delete alert rule slow
2 to do, 2 unchanged (dry run: nothing was done)
`);
});
