import { describe, expect, it } from 'vitest';
import { readBlackbox } from '#cli/import/blackbox.ts';
import { readGatus } from '#cli/import/gatus.ts';
import { type Imported, leftText } from '#cli/import/imported.ts';
import { readUptimeKuma } from '#cli/import/uptime-kuma.ts';
import { TargetConfiguration } from '#contract/configuration.ts';

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

/** Targets as the server reads them, by their names. */
const targetsOf = ({ taken }: Imported) =>
  new Map(taken.map(({ target }) => [target.name, TargetConfiguration.parse(target)]));
const leftOf = (imported: Imported) => Object.fromEntries(imported.left.map(({ name, reasons }) => [name, reasons]));
const withoutOf = (imported: Imported) =>
  Object.fromEntries(imported.taken.map(({ target, without }) => [target.name, without]));

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

// The example of README.md of prometheus/blackbox_exporter, and modules of its example.yml and blackbox.yml.
const README = `
scrape_configs:
  - job_name: 'blackbox'
    metrics_path: /probe
    params:
      module: [http_2xx]  # Look for a HTTP 200 response.
    static_configs:
      - targets:
        - http://prometheus.io    # Target to probe with http.
        - https://prometheus.io   # Target to probe with https.
        - http://example.com:8080 # Target to probe with http on port 8080.
    relabel_configs: &relabelling
      - source_labels: [__address__]
        target_label: __param_target
      - source_labels: [__param_target]
        target_label: instance
      - target_label: __address__
        replacement: 127.0.0.1:9115  # The blackbox exporter's real hostname:port.
  - job_name: 'blackbox_exporter'  # collect blackbox exporter's operational metrics.
    static_configs:
      - targets: ['127.0.0.1:9115']
`;
const BY_DNS = `
  - job_name: blackbox_all
    metrics_path: /probe
    params:
      module: [ http_2xx ]  # Look for a HTTP 200 response.
    dns_sd_configs:
      - names:
          - example.com
          - prometheus.io
        type: A
        port: 443
    relabel_configs:
      - source_labels: [__address__]
        target_label: __param_target
        replacement: https://$1/  # Make probe URL be like https://1.2.3.4:443/
      - source_labels: [__param_target]
        target_label: instance
      - target_label: __address__
        replacement: 127.0.0.1:9115  # The blackbox exporter's real hostname:port.
      - source_labels: [__meta_dns_name]
        target_label: __param_hostname  # Make domain name become 'Host' header for probe requests
      - source_labels: [__meta_dns_name]
        target_label: vhost  # and store it in 'vhost' label
`;
/** A job for each of these modules, with one target and the rules of the README. */
const jobOf = (module: string, target: string, more = '') => `
  - { job_name: ${module}, metrics_path: /probe, params: { module: [${module}] }, static_configs: [{ targets: ["${target}"] }], relabel_configs: *relabelling${more} }`;
const PROMETHEUS = `
global: { scrape_interval: 2m, external_labels: { dc: bj } }
rule_files: [rules.yml]
${README.trim()}${BY_DNS.trimEnd()}
  - job_name: shops
    metrics_path: /probe
    scrape_interval: 30s
    scrape_timeout: 10s
    params: { module: [http_2xx_example] }
    static_configs:
      - { targets: [shop.example.cn, "prometheus.io"], labels: { team: web shop, env: prod } }
      - { targets: [login.example.cn], labels: { __param_module: http_basic_auth_example } }
    relabel_configs:
      - { source_labels: [__address__], regex: (.*), replacement: "https://\${1}/", target_label: __param_target }
      - { source_labels: [__param_target], target_label: instance }
      - { target_label: __address__, replacement: "blackbox:9115" }
      - { source_labels: [team], regex: web.*, action: keep }
  - job_name: told
    metrics_path: /probe
    scrape_interval: 5s
    params: { module: [http_post_2xx], target: ["https://told.example.org/in"] }
    static_configs: [{ targets: ["blackbox:9115"] }]
  - { job_name: sometimes, metrics_path: /probe, scrape_interval: often, static_configs: [{ targets: ["https://x.example/"] }], relabel_configs: *relabelling }
  - { job_name: nothing, metrics_path: /probe, static_configs: [{ targets: ["https://x.example/"] }] }
  - { job_name: by hash, metrics_path: /probe, static_configs: [{ targets: [x] }], relabel_configs: [{ source_labels: [a, b], target_label: __param_target }] }
  - { metrics_path: /probe }`;
const MODULES = [
  ['tls_connect', 'mail.example.org:993'],
  ['tcp_connect_example', 'mail.example.org:143'],
  ['rabbitmq_insecure', 'queue.example.org:5671'],
  ['smtp_starttls', 'mail.example.org:25'],
  ['http_2xx_oauth_client_credentials', 'https://api.example.com/'],
  ['http_custom_ca_example', 'https://inside.example.com/'],
  ['http_gzip', 'https://gzip.example.com/'],
  ['http_with_proxy', 'https://proxied.example.com/'],
  ['http_with_header_from_files', 'https://keys.example.com/'],
  ['http_3xx', 'https://quic.example.com/'],
  ['icmp', 'ping.example.org'],
  ['dns_soa', '8.8.8.8'],
  ['grpc', 'grpc.example.org:443'],
  ['lost', 'https://lost.example.org/'],
] as const;
const BLACKBOX = `
modules:
  http_2xx: { prober: http, http: { preferred_ip_protocol: "ip4" } }
  http_2xx_example:
    prober: http
    timeout: 5s
    http:
      valid_http_versions: ["HTTP/1.1", "HTTP/2.0"]
      valid_status_codes: []  # Defaults to 2xx
      method: GET
      headers:
        Host: vhost.example.com
        Origin: example.com
      http_headers:
        Accept-Language:
          values:
            - "en-US"
      follow_redirects: true
      fail_if_ssl: false
      fail_if_not_ssl: false
      fail_if_body_matches_regexp:
        - "Could not connect to database"
      fail_if_body_not_matches_regexp:
        - "Download the latest version here"
      fail_if_header_matches: # Verifies that no cookies are set
        - header: Set-Cookie
          allow_missing: true
          regexp: '.*'
      tls_config:
        insecure_skip_verify: false
      preferred_ip_protocol: "ip4" # defaults to "ip6"
      ip_protocol_fallback: false  # no fallback to "ip6"
  http_basic_auth_example:
    prober: http
    http:
      method: POST
      headers:
        Host: "login.example.com"
      basic_auth:
        username: "username"
        password: "mysecret"
  http_post_2xx:
    prober: http
    http:
      method: POST
      headers:
        Content-Type: application/json
      body: '{}'
      no_follow_redirects: true
      valid_status_codes: [200, 201]
      tls_config: { insecure_skip_verify: true, server_name: told.example.com, min_version: TLS13 }
  http_2xx_oauth_client_credentials:
    prober: http
    http:
      valid_status_codes:
        - 200
        - 201
      oauth2: { client_id: "client_id", client_secret: "client_secret", token_url: "https://api.example.com/token" }
  http_custom_ca_example:
    prober: http
    http:
      tls_config:
        ca_file: "/certs/my_cert.crt"
        max_version: TLS11
      fail_if_body_not_matches_regexp: ["^ok$", "fine", "well"]
  http_gzip: { prober: http, http: { method: GET, compression: gzip } }
  http_with_proxy: { prober: http, http: { proxy_url: "http://127.0.0.1:3128", fail_if_ssl: true } }
  http_with_header_from_files: { prober: http, http: { http_headers: { X-API-Key: { files: [/path/to/api-key.txt] } } } }
  http_3xx: { prober: http, http: { preferred_ip_protocol: ip6, enable_http3: true, enable_http2: false } }
  tls_connect: { prober: tcp, timeout: 5s, tcp: { tls: true } }
  tcp_connect_example: { prober: tcp, timeout: 5s }
  smtp_starttls:
    prober: tcp
    tcp:
      query_response: [{ expect: "^220 ([^ ]+) ESMTP (.+)$" }, { starttls: true }]
  rabbitmq_insecure:
    prober: tcp
    tcp:
      query_response:
        - send: "HELO\\r"
        - expect: "AMQP"
      tls: true
      tls_config:
        insecure_skip_verify: true
        ca_file: "/etc/blackbox_exporter/CA_cert.crt"
  icmp: { prober: icmp }
  dns_soa: { prober: dns, dns: { query_name: "prometheus.io", query_type: "SOA" } }
  grpc: { prober: grpc, grpc: { tls: true } }
  postgresql:
    prober: tcp
    tcp: { query_response: [{ send: !!binary AAAACATSFi8= }, { expect_bytes: S }, { starttls: true }] }
`;

describe('a configuration of Prometheus with blackbox_exporter', () => {
  const jobs = MODULES.map(([module, target]) => jobOf(module, target)).join('');
  const imported = readBlackbox(PROMETHEUS + jobs, BLACKBOX);
  const targets = targetsOf(imported);

  it('becomes targets: address, interval, labels as tags, request and what is expected', () => {
    expect([...targets.keys()]).toEqual([
      ...[
        'blackbox/prometheus.io',
        'shop.example.cn',
        'shops/prometheus.io',
        'login.example.cn',
        'told.example.org/in',
      ],
      ...[
        'mail.example.org:993',
        'queue.example.org:5671',
        'api.example.com',
        'inside.example.com',
        'gzip.example.com',
      ],
      ...['keys.example.com', 'quic.example.com'],
    ]);
    expect(targets.get('blackbox/prometheus.io')).toMatchObject({
      url: 'https://prometheus.io',
      periodSeconds: 120,
      tags: ['blackbox'],
      settings: { verify: true, family: null, redirects: 10, expect: { status: ['2xx'] } },
    });
    expect(targets.get('shop.example.cn')).toMatchObject({
      url: 'https://shop.example.cn/',
      periodSeconds: 30,
      tags: ['shops', 'team:web-shop', 'env:prod'],
      settings: {
        family: 4,
        redirects: 10,
        request: {
          method: 'GET',
          headers: [
            { name: 'Origin', value: 'example.com' },
            { name: 'Accept-Language', value: 'en-US' },
          ],
        },
        expect: { bodyLacks: 'Could not connect to database', bodyContains: 'Download the latest version here' },
      },
    });
    expect(targets.get('login.example.cn')?.settings.request).toMatchObject({
      method: 'POST',
      headers: [{ name: 'Authorization', value: 'Basic dXNlcm5hbWU6bXlzZWNyZXQ=' }],
    });
    expect(targets.get('told.example.org/in')).toMatchObject({
      url: 'https://told.example.org/in',
      periodSeconds: 10,
      settings: {
        verify: false,
        sni: 'told.example.com',
        tlsVersion: '1.3',
        redirects: 0,
        request: { method: 'POST', body: '{}' },
        expect: { status: ['200', '201'] },
      },
    });
    expect(targets.get('mail.example.org:993')).toMatchObject({
      url: 'https://mail.example.org:993',
      settings: { http: false, verify: true },
    });
    expect(targets.get('queue.example.org:5671')).toMatchObject({ settings: { http: false, verify: false } });
    expect(targets.get('quic.example.com')).toMatchObject({ settings: { alpn: ['http/1.1'] } });
  });

  it('loses nothing without a word', () => {
    expect(leftOf(imported)).toEqual({
      'global.external_labels': ['a setting of Prometheus itself'],
      rule_files: ['a setting of Prometheus itself'],
      'blackbox http://prometheus.io': ['its address begins with http://, not with https://'],
      'blackbox http://example.com:8080': ['its address begins with http://, not with https://'],
      blackbox_exporter: ['no job of blackbox_exporter: its metrics_path is /metrics'],
      blackbox_all: ['its targets are found by dns_sd_configs'],
      'shops.scrape_timeout': ['a setting of Prometheus itself'],
      'sometimes https://x.example/': ['its interval often is no duration'],
      'nothing https://x.example/': ['nothing says what is probed: no relabelling to __param_target'],
      'by hash x': ['its relabelling to __param_target'],
      'scrape_configs.8': ['job_name: Invalid input: expected string, received undefined'],
      'tcp_connect_example mail.example.org:143': ['the prober tcp without tls: true'],
      'smtp_starttls mail.example.org:25': ['the prober tcp without tls: true'],
      'http_with_proxy https://proxied.example.com/': ['it fails where there is TLS (fail_if_ssl)'],
      'icmp ping.example.org': ['the prober icmp'],
      'dns_soa 8.8.8.8': ['the prober dns'],
      'grpc grpc.example.org:443': ['the prober grpc'],
      'lost https://lost.example.org/': ['its module lost is unknown: give the exporter’s blackbox.yml with --modules'],
    });
    expect(withoutOf(imported)).toEqual({
      'blackbox/prometheus.io': [],
      'shop.example.cn': [
        ...['timeout', 'http.valid_http_versions', 'http.fail_if_header_matches', 'the header Host'],
        'the relabelling keep',
      ],
      'shops/prometheus.io': [
        ...['timeout', 'http.valid_http_versions', 'http.fail_if_header_matches', 'the header Host'],
        'the relabelling keep',
      ],
      'login.example.cn': ['the header Host', 'the relabelling keep'],
      'told.example.org/in': ['its interval of 5 s, in place of which it has 10 s'],
      'mail.example.org:993': ['timeout'],
      'queue.example.org:5671': ['tcp.query_response', 'tls_config.ca_file'],
      'api.example.com': ['http.oauth2'],
      'inside.example.com': [
        ...['the versions TLS12 to TLS11', 'tls_config.ca_file', 'the expression ^ok$', 'the expression well'],
      ],
      'gzip.example.com': ['http.compression'],
      'keys.example.com': ['the header X-API-Key of files'],
      'quic.example.com': ['http.enable_http3', 'IPv6 before IPv4'],
    });
  });

  it('says no password and no parameter of an address, nor a line of a broken file', () => {
    const addresses = [
      'http://bob:hunter2@b.example',
      'https://admin:s3cret@a.example',
      'https://c.example/health?token=abc1',
    ];
    const { taken, left } = readBlackbox(README + addresses.map((each) => jobOf('http_2xx', each)).join(''), null);
    expect(taken.at(-1)?.target).toMatchObject({
      name: 'c.example/health',
      url: 'https://c.example/health?token=abc1',
    });
    expect(JSON.stringify(left)).not.toMatch(/hunter2|s3cret|abc1/);
    expect(left.map(({ name }) => name)).toEqual(expect.arrayContaining(['http_2xx http://b.example']));
    const broken = () => readBlackbox('scrape_configs:\n  - basic_auth: { password: @s3cret }', null);
    expect(broken).toThrow(/^The file is no YAML: .* at line 2/);
    expect(broken).not.toThrow(/s3cret/);
  });

  it('has the modules that the exporter ships where no file of them is given', () => {
    const { taken, left } = readBlackbox(README + jobOf('tls_connect', 'mail.example.org:993'), null);
    expect(taken.map(({ target }) => target.url)).toEqual(['https://prometheus.io']);
    expect(left.at(-1)?.reasons).toEqual([
      'its module tls_connect is unknown: give the exporter’s blackbox.yml with --modules',
    ]);
  });

  it.each([
    ['endpoints: []', null, 'The file is no configuration of Prometheus: a mapping with scrape_configs.'],
    ['scrape_configs: []', '- x', 'The file of --modules is no configuration of blackbox_exporter: a mapping with mod'],
    ['scrape_configs: "', null, 'The file is no YAML: '],
  ])('is refused where it is none', (text, modules, message) => {
    expect(() => readBlackbox(text, modules)).toThrow(message);
  });
});
