import type { AdviceCode, ServerKind } from '#contract/advice.ts';
import type { Values } from './rule.ts';

/** What the `server` header of a response says, as far as there are snippets for it; null where it says nothing of the kind. */
export function serverKindOf(header: string | null): ServerKind | null {
  if (!header) return null;
  return KINDS.find(([pattern]) => pattern.test(header))?.[1] ?? null;
}

/** Whether a header names any software at all: where it is none of ours, another one's configuration is of no use. */
export const namesServer = (header: string | null): boolean => Boolean(header?.trim());

const KINDS: readonly [RegExp, ServerKind][] = [
  [/cloudflare|cloudfront|akamai|fastly|amazons3|bunnycdn|gws|\besa\b|byte-?nginx|jsp3|nws|edgio|cdn/i, 'cdn'],
  [/nginx|openresty|tengine|angie/i, 'nginx'],
  [/^apache(?:\/|\s|$)/i, 'apache'],
  [/haproxy/i, 'haproxy'],
  [/caddy/i, 'caddy'],
  [/node|express/i, 'node'],
];

const INITIAL_WINDOW =
  '# the default of Linux since 3.0; on every route that sets less\nip route change default via GATEWAY dev DEVICE initcwnd 10';
const OWN_MACHINE = ['nginx', 'apache', 'haproxy', 'caddy', 'node'] as const;
const onOwnMachine = (snippet: string) => Object.fromEntries(OWN_MACHINE.map((kind) => [kind, snippet]));

/**
 * Configuration by code and server, each measured in the lab before and after (docs/advice.md). Where a server has none, none
 * was proven: Apache's documented `H2TLSWarmUpSize` does nothing, Caddy and Go size records by themselves.
 */
const SNIPPETS: { readonly [Code in AdviceCode]?: Partial<Record<ServerKind, string>> } = {
  tls12: {
    nginx: 'ssl_protocols TLSv1.2 TLSv1.3;',
    apache: 'SSLProtocol -all +TLSv1.2 +TLSv1.3',
    haproxy:
      '# in "global"; drop no-tlsv13 and ssl-max-ver there and on every bind\nssl-default-bind-options ssl-min-ver TLSv1.2',
  },
  no_false_start: { nginx: 'ssl_ciphers ECDHE+AESGCM:ECDHE+CHACHA20;' },
  flight_over_window: {
    nginx:
      '# leaf and intermediates alone, without the root; ECDSA is 2 kB smaller than RSA\nssl_certificate     /etc/ssl/site-ecdsa-fullchain.pem;\nssl_certificate_key /etc/ssl/site-ecdsa.key;',
  },
  nagle: { nginx: 'tcp_nodelay on;' },
  small_window: onOwnMachine(INITIAL_WINDOW),
  record_over_window: {
    nginx: 'ssl_buffer_size 4k;',
    haproxy: '# in "global"\ntune.ssl.maxrecord 1400',
    node: "server.on('secureConnection', (socket) => socket.setMaxSendFragment(1400));",
  },
  hello_retry: {
    nginx: '# before OpenSSL 3.5 without X25519MLKEM768\nssl_ecdh_curve X25519MLKEM768:X25519:prime256v1;',
  },
  no_post_quantum: { nginx: '# OpenSSL 3.5 or later\nssl_ecdh_curve X25519MLKEM768:X25519:prime256v1;' },
  no_resumption: {
    nginx: 'ssl_session_cache shared:SSL:10m;\nssl_session_timeout 1d;',
  },
  large_rsa_key: {
    nginx:
      '# two certificates: clients that know ECDSA get the small one\nssl_certificate     /etc/ssl/site-ecdsa-fullchain.pem;\nssl_certificate_key /etc/ssl/site-ecdsa.key;\nssl_certificate     /etc/ssl/site-rsa2048-fullchain.pem;\nssl_certificate_key /etc/ssl/site-rsa2048.key;',
  },
  no_http2: { nginx: '# nginx 1.25.1 or later; before: listen 443 ssl http2;\nhttp2 on;' },
  no_keep_alive: { nginx: 'keepalive_timeout 65s;' },
};

/** What no line of configuration cures: ciphers bring no ALPN, a cache of one machine is not shared, a chain of ECDSA is none of RSA. */
const CURED_ELSEWHERE: { readonly [Code in AdviceCode]?: (values: Values) => boolean } = {
  no_false_start: ({ reason }) => reason === 'alpn',
  no_resumption: ({ reason }) => reason === 'refused',
  flight_over_window: ({ ecdsa = 'leaf' }) => ecdsa !== 'leaf',
};

/** The snippets for a piece of advice, by server; none where they would not change what was found. */
export function snippetsOf(code: AdviceCode, values: Values): Partial<Record<ServerKind, string>> {
  return CURED_ELSEWHERE[code]?.(values) ? {} : (SNIPPETS[code] ?? {});
}
