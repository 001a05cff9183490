import { describe, expect, it } from 'vitest';
import { readBlackbox } from '#cli/import/blackbox.ts';
import { leftOf, targetsOf, withoutOf } from '../../support/taken-over.ts';

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
        ca_file: "CA_cert.crt"
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
