import { describe, expect, it } from 'vitest';
import { readGatus } from '#cli/import/gatus.ts';
import { leftText } from '#cli/import/imported.ts';
import { readUptimeKuma } from '#cli/import/uptime-kuma.ts';
import { leftOf, targetsOf, withoutOf } from '../../support/taken-over.ts';

const GATUS = `
alerting:
  slack: { webhook-url: "https://hooks.example.org/x" }
x-defaults: &defaults
  group: core services
  interval: 5m
  client: { insecure: true, timeout: 5s }
endpoints:
  - name: front-end
    <<: *defaults
    url: "https://\${DOMAIN}/health"
    headers: { Authorization: "Bearer a$$b", Host: other.example.org, X-Number: 7 }
    conditions:
      - "[STATUS] == any(200, 429)"
      - "[BODY] == pat(*<h1>Welcome*)"
      - "[BODY].status == UP"
      - "[RESPONSE_TIME] < 150"
      - "[CERTIFICATE_EXPIRATION] > 48h"
      - "[CONNECTED] == true"
    alerts: [{ type: slack }]
  - name: health
    group: one
    url: https://one.example.org/
    interval: 1h30m
    enabled: false
    conditions: ["[STATUS] >= 200", "[STATUS] < 300", "[STATUS] != 204"]
    client: { ignore-redirect: true }
  - name: health
    group: two
    url: https://two.example.org/graphql
    interval: 1s
    method: POST
    graphql: true
    body: "{ users { id } }"
    conditions: ["[CONNECTED] == true"]
  - { name: handshake, url: "tls://mail.example.org:993", conditions: ["[CONNECTED] == true"] }
  - { name: insecure, url: "http://example.org/", conditions: ["[STATUS] == 200"] }
  - { name: ping, url: "icmp://example.org", conditions: ["[CONNECTED] == true"] }
  - { name: dns, url: 8.8.8.8, dns: { query-name: example.org, query-type: A }, conditions: ["[DNS_RCODE] == NOERROR"] }
  - { name: sometimes, url: "https://example.org/", interval: often }
  - { name: with a password, url: "https://me:secret@example.org/" }
  - { name: 5, url: "https://example.org/" }
external-endpoints:
  - { name: backup job, token: potato }
suites:
  - { name: sign-in, endpoints: [] }
`;

describe('a configuration of Gatus', () => {
  const imported = readGatus(GATUS, { DOMAIN: 'shop.example.org' });
  const targets = targetsOf(imported);

  it('becomes targets: address, interval, name, group as a tag, request and what is expected', () => {
    expect([...targets.keys()]).toEqual(['front-end', 'one/health', 'two/health', 'handshake']);
    expect(targets.get('front-end')).toMatchObject({
      url: 'https://shop.example.org/health',
      periodSeconds: 300,
      enabled: true,
      tags: ['core-services'],
      settings: {
        verify: false,
        redirects: 10,
        request: {
          method: 'GET',
          headers: [
            { name: 'Authorization', value: 'Bearer a$b' },
            { name: 'X-Number', value: '7' },
          ],
          body: null,
        },
        expect: { status: ['200', '429'], bodyContains: '<h1>Welcome' },
      },
    });
    expect(targets.get('one/health')).toMatchObject({
      enabled: false,
      periodSeconds: 3_600,
      settings: { redirects: 0, expect: { status: ['200-299'] } },
    });
    expect(targets.get('two/health')).toMatchObject({
      periodSeconds: 10,
      settings: {
        request: {
          method: 'POST',
          headers: [{ name: 'Content-Type', value: 'application/json' }],
          body: '{"query":"{ users { id } }"}',
        },
        expect: { status: ['100-599'] },
      },
    });
    expect(targets.get('handshake')).toMatchObject({
      url: 'https://mail.example.org:993',
      periodSeconds: 60,
      settings: { http: false },
    });
  });

  it('loses nothing without a word', () => {
    expect(leftOf(imported)).toEqual({
      insecure: ['its address begins with http://, not with https://'],
      ping: ['its address begins with icmp://, not with https://'],
      dns: ['its address begins with no scheme, not with https://'],
      sometimes: ['its interval often is no duration'],
      'with a password': ['url must not contain a user name or password'],
      'endpoints.9': ['name: Invalid input: expected string, received number'],
      'backup job': ['its results are pushed to Gatus'],
      'sign-in': ['a suite of several steps'],
      alerting: ['a setting of Gatus itself'],
      'x-defaults': ['a setting of Gatus itself'],
    });
    expect(withoutOf(imported)).toEqual({
      'front-end': [
        'alerts',
        'client.timeout',
        'the condition [BODY].status == UP',
        'the condition [RESPONSE_TIME] < 150 (make a rule of the kind threshold)',
        'the condition [CERTIFICATE_EXPIRATION] > 48h (make a rule of the kind certificate)',
        'the header Host',
      ],
      'one/health': ['the condition [STATUS] != 204', 'its interval of 5400 s, in place of which it has 3600 s'],
      'two/health': ['its interval of 1 s, in place of which it has 10 s'],
      handshake: [],
    });
    expect(leftText(imported)).toContain(
      'Not taken over:\n  insecure: its address begins with http://, not with https://\n  ping: ',
    );
    expect(leftText(imported)).toContain(
      'Taken over without a part:\n  front-end: alerts; client.timeout; the condition [BODY].status == UP; ',
    );
  });

  it.each([
    ['- a list', {}, 'The file is no configuration of Gatus: a mapping with endpoints.'],
    ['endpoints: "', {}, 'The file is no YAML: '],
    [GATUS, {}, '{DOMAIN}, which the environment lacks.'],
  ])('is refused where it is none', (text, env, message) => {
    expect(() => readGatus(text, env)).toThrow(message);
  });
});

/** A monitor as a backup has it, as far as it says something. */
const monitor = (own: object) => ({
  ...{ description: null, url: 'https://', method: 'GET', hostname: null, port: null, maxretries: 0, weight: 2_000 },
  ...{ parent: null, active: true, type: 'http', timeout: 48, interval: 60, retryInterval: 60, resendInterval: 0 },
  ...{ keyword: null, invertKeyword: false, expiryNotification: false, ignoreTls: false, upsideDown: false },
  ...{ maxredirects: 10, accepted_statuscodes: ['200-299'], proxyId: null, notificationIDList: {}, tags: [] },
  ...{ authMethod: null, headers: null, body: null, basic_auth_user: null, basic_auth_pass: null, tlsCa: null },
  ...{ tlsCert: null, tlsKey: null, httpBodyEncoding: null, includeSensitiveData: true },
  ...own,
});
const KUMA = {
  version: '1.23.16',
  notificationList: [{ id: 1, name: 'ops on Slack', active: true, isDefault: true, config: '{}' }],
  monitorList: [
    monitor({ id: 1, name: 'Shops', type: 'group', url: null }),
    monitor({ id: 2, name: 'China', type: 'group', url: null, parent: 1 }),
    monitor({
      ...{ id: 3, name: 'shop', parent: 2, url: 'https://shop.example.cn/', interval: 20, timeout: 16 },
      tags: [
        { tag_id: 1, monitor_id: 3, value: 'web', name: 'team', color: '#059669' },
        { tag_id: 2, monitor_id: 3, value: '', name: 'prod', color: '#059669' },
        { tag_id: 3, monitor_id: 3, value: '', name: '!', color: '#059669' },
      ],
    }),
    monitor({
      ...{
        id: 4,
        name: 'welcome',
        type: 'keyword',
        url: 'https://shop.example.org/',
        keyword: 'Welcome',
        active: false,
      },
      ...{
        ignoreTls: true,
        maxredirects: 0,
        accepted_statuscodes: ['200', '300-399'],
        method: 'POST',
        body: '{"a":1}',
      },
      ...{ authMethod: 'basic', basic_auth_user: 'me', basic_auth_pass: 'secret', headers: '{"X-Key":"k"}' },
      ...{ maxretries: 3, notificationIDList: { 1: true }, expiryNotification: true, timeout: 10 },
    }),
    monitor({
      ...{ id: 5, name: 'api', type: 'json-query', url: 'https://api.example.org/', jsonPath: 'status' },
      ...{ expectedValue: 'ok', invertKeyword: true, keyword: 'error', interval: 86_400, timeout: 48 },
    }),
    monitor({ id: 6, name: 'plain', url: 'http://example.org/' }),
    monitor({ id: 7, name: 'host', type: 'ping', hostname: 'example.org', url: 'https://' }),
    monitor({ id: 8, name: 'closed', url: 'https://closed.example.org/', upsideDown: true }),
    monitor({ id: 9, name: 'shop', url: 'https://shop.example.com/' }),
    monitor({ id: 10, name: 'shop', url: 'https://shop.example.net/' }),
    monitor({ id: 11, name: 'Nothing yet', type: 'group', url: null }),
  ],
};

describe('a backup of Uptime Kuma', () => {
  const imported = readUptimeKuma(JSON.stringify(KUMA));
  const targets = targetsOf(imported);

  it('becomes targets: address, interval, name, groups and tags as tags, request and what is expected', () => {
    expect([...targets.keys()]).toEqual(['Shops/China/shop', 'welcome', 'api', 'shop']);
    expect(targets.get('Shops/China/shop')).toMatchObject({
      url: 'https://shop.example.cn/',
      periodSeconds: 20,
      tags: ['Shops/China', 'team:web', 'prod'],
      settings: { verify: true, redirects: 10, expect: { status: ['200-299'] } },
    });
    expect(targets.get('welcome')).toMatchObject({
      enabled: false,
      settings: {
        verify: false,
        redirects: 0,
        request: {
          method: 'POST',
          headers: [
            { name: 'Content-Type', value: 'application/json' },
            { name: 'Authorization', value: 'Basic bWU6c2VjcmV0' },
            { name: 'X-Key', value: 'k' },
          ],
          body: '{"a":1}',
        },
        expect: { status: ['200', '300-399'], bodyContains: 'Welcome' },
      },
    });
    expect(targets.get('api')).toMatchObject({ periodSeconds: 3_600, settings: { expect: { bodyLacks: null } } });
  });

  it('loses nothing without a word', () => {
    expect(leftOf(imported)).toEqual({
      plain: ['its address begins with http://, not with https://'],
      host: ['the type ping'],
      closed: ['it is upside down: up where nothing answers'],
      shop: ['another has this name'],
      'Nothing yet': ['a group of nothing'],
      'ops on Slack': ['a notification: make a webhook'],
    });
    expect(withoutOf(imported)).toEqual({
      'Shops/China/shop': ['the tag !'],
      welcome: [
        'its notifications (make a webhook)',
        'the warning before its certificate ends (make a rule of the kind certificate)',
        '3 retries',
        'its time-out of 10 s',
      ],
      api: ['the query status with the value ok', 'its interval of 86400 s, in place of which it has 3600 s'],
      shop: [],
    });
  });

  it('has a monitor whose headers cannot be read, and the others all the same', () => {
    const [, , shop, welcome] = KUMA.monitorList;
    const { taken, left } = readUptimeKuma(
      JSON.stringify({ ...KUMA, monitorList: [shop, { ...welcome, headers: 'X-Key: k' }], notificationList: [] }),
    );
    expect(left).toEqual([]);
    expect(taken.map(({ target: { name }, without }) => [name, without[0]])).toEqual([
      ['shop', 'the tag !'],
      ['welcome', expect.anything()],
    ]);
    expect(taken[1]?.without).toContain('its headers, which are no JSON object');
  });

  it('may come of the database of version 2, which says 0 and 1', () => {
    const [, , , welcome] = KUMA.monitorList;
    const made = { version: '2', monitorList: [{ ...welcome, active: 1, ignoreTls: 0, invertKeyword: 1 }] };
    expect(targetsOf(readUptimeKuma(JSON.stringify(made))).get('welcome')).toMatchObject({
      enabled: true,
      settings: { verify: true, expect: { bodyLacks: 'Welcome' } },
    });
  });

  it.each([
    ['{}', 'The file is no backup of Uptime Kuma 1: JSON with version and monitorList.'],
    ['monitorList: []', 'The file is no JSON: '],
  ])('is refused where it is none', (text, message) => {
    expect(() => readUptimeKuma(text)).toThrow(message);
  });
});
