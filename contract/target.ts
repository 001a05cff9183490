import { z } from 'zod';
import { addressPattern, text } from './bounds.ts';
import { Carrier, Region } from './location.ts';
import { Managed } from './managed.ts';
import { ids, list, NamedQuery } from './query.ts';
import { IpAddress, parseResolver } from './resolver.ts';

/** Shortest and longest period of a check, in seconds. */
export const MIN_PERIOD_SECONDS = 10;
export const MAX_PERIOD_SECONDS = 3_600;

const timeout = z.number().int().min(100).max(60_000);

/** A time-out in milliseconds for every phase: slow DNS must not eat the HTTP budget. */
export const Timeouts = z
  .strictObject({
    dns: timeout.default(3_000),
    tcp: timeout.default(5_000),
    tls: timeout.default(8_000),
    firstByte: timeout.default(8_000),
    download: timeout.default(8_000),
  })
  .meta({ id: 'Timeouts' });
export type Timeouts = z.infer<typeof Timeouts>;

/** Methods that a probe may send. */
export const METHODS = ['GET', 'HEAD', 'OPTIONS', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;

/** Most headers of a request, and most redirects followed one after the other. */
export const MAX_REQUEST_HEADERS = 32;
export const MAX_REDIRECTS = 10;

/** Headers that the connection itself needs: a target's settings cannot set them. */
const OWN_HEADERS = [
  'connection',
  'content-length',
  'host',
  'http2-settings',
  'keep-alive',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
];

const headerName = z
  .string()
  .max(100)
  .regex(/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/, "must be a header name (RFC 9110: letters, digits and !#$%&'*+.^_`|~-)")
  .refine((name) => !OWN_HEADERS.includes(name.toLowerCase()), 'is a header that the probe sets by itself')
  .meta({ description: `none of ${OWN_HEADERS.join(', ')}` });
const headerValue = text(4_000)
  .regex(/^[\t\x20-\x7e\x80-\uffff]*$/, 'must hold no line break or control character')
  .meta({ description: 'sent as UTF-8' });

/** The request that is sent once the handshake is over. */
export const ProbeRequestSettings = z
  .strictObject({
    method: z.enum(METHODS).default('GET'),
    headers: z
      .array(
        z.strictObject({
          name: headerName,
          value: headerValue,
          secret: z.boolean().optional().meta({
            description:
              'true: the value is secret, as it is of headers that hold a secret by their name; default: false',
          }),
        }),
      )
      .max(MAX_REQUEST_HEADERS)
      .default([]),
    body: z.string().max(16_384).nullable().default(null),
  })
  .meta({ id: 'ProbeRequestSettings' });
export type ProbeRequestSettings = z.infer<typeof ProbeRequestSettings>;

/** What the answer must be for the probe to be ok. Text is looked for in the first MiB of the body, as UTF-8. */
export const Expectation = z
  .strictObject({
    status: z
      .array(
        z
          .string()
          .regex(/^([1-5]\d\d(-[1-5]\d\d)?|[1-5]xx)$/, 'must be a status, a range or a class: 200, 200-204, 2xx'),
      )
      .max(20)
      .default([])
      .meta({ description: 'empty: all below 400' }),
    bodyContains: z.string().min(1).max(1_000).nullable().default(null),
    bodyLacks: z.string().min(1).max(1_000).nullable().default(null),
  })
  .meta({ id: 'Expectation' });
export type Expectation = z.infer<typeof Expectation>;

const pem = (max: number) => z.string().max(max);

/** What the prober shows a server that asks who it is. The key is never given back by the API: it reads as null. */
export const ClientCertificate = z
  .strictObject({ certPem: pem(100_000), keyPem: pem(20_000).nullable() })
  .meta({ id: 'ClientCertificate' });
export type ClientCertificate = z.infer<typeof ClientCertificate>;

/** How a target is probed, beyond its URL. */
export const ProbeSettings = z
  .strictObject({
    alpn: z
      .array(z.enum(['h2', 'http/1.1']))
      .min(1)
      .max(2)
      .meta({ uniqueItems: true })
      .default(['h2', 'http/1.1']),
    tlsVersion: z
      .enum(['1.2', '1.3'])
      .nullable()
      .default(null)
      .meta({ description: 'offers only this version; null offers both' }),
    sigalgs: z.enum(['RSA', 'ECDSA', 'both']).nullable().default(null).meta({
      description:
        'requests this certificate type; `both` adds two probes after the main one, for RSA and for ECDSA, as separate Results',
    }),
    resume: z
      .boolean()
      .default(false)
      .meta({ description: 'adds a handshake that resumes the session of each full one, as a separate Result' }),
    // These are left out where they are as by default: an older prober refuses a check with settings that it does not know.
    reuse: z.boolean().optional().meta({
      description:
        'adds a second request on the same connection, as a separate Result; default: false; unused if http is false',
    }),
    compression: z.boolean().optional().meta({
      description:
        'requests a compressed body, as browsers do (accept-encoding: br, gzip); default: false; unused if http is false',
    }),
    certificateCompression: z.boolean().optional().meta({
      description:
        'offers certificate compression (RFC 8879: brotli, zlib, zstd), as browsers do; default: true; TLS 1.3 only',
    }),
    sni: z.string().min(1).max(253).nullable().default(null).meta({
      description: "server name to send, which the certificate must contain; null: the URL's host",
    }),
    family: z
      .union([z.literal(4), z.literal(6)])
      .nullable()
      .default(null)
      .meta({ description: 'connects only by IPv4 or IPv6; null: IPv4 first, then the families in turn' }),
    address: IpAddress.nullable().default(null).meta({ description: 'fixed address instead of a DNS lookup' }),
    resolver: z
      .string()
      .max(64)
      .refine(
        (value) => parseResolver(value) !== null,
        'must be ADDRESS, ADDRESS:PORT or [ADDRESS]:PORT with a port from 1 to 65535',
      )
      .nullable()
      .default(null)
      .meta({ description: "resolver to use instead of the system's: ADDRESS, ADDRESS:PORT or [ADDRESS]:PORT" }),
    verify: z.boolean().default(true).meta({ description: 'false accepts untrusted certificates' }),
    http: z.boolean().default(true).meta({ description: 'false ends the probe after the handshake' }),
    caPem: z
      .string()
      .max(100_000)
      .nullable()
      .default(null)
      .meta({ description: 'trusted roots (PEM) instead of the public roots' }),
    clientCertificate: ClientCertificate.nullable()
      .default(null)
      .meta({ description: 'sent to servers that request one; the key is never returned' }),
    request: ProbeRequestSettings.prefault({}).meta({ description: 'the request; unused if http is false' }),
    expect: Expectation.prefault({}).meta({ description: 'checks of the response; unused if http is false' }),
    redirects: z.number().int().min(0).max(MAX_REDIRECTS).default(0).meta({
      description:
        'how many redirects are followed, each as a separate Result; 0 reports the redirect only; unused if http is false',
    }),
    timeouts: Timeouts.prefault({}),
  })
  .meta({ id: 'ProbeSettings' });
export type ProbeSettings = z.infer<typeof ProbeSettings>;

/** Which vantages probe a target; an empty or missing list selects all. */
export const VantageSelector = z
  .strictObject({
    regions: z.array(Region).max(500).default([]),
    carriers: z.array(Carrier).max(100).default([]),
    vantageIds: z.array(z.uuid()).max(1_000).default([]),
  })
  .meta({ id: 'VantageSelector' });
export type VantageSelector = z.infer<typeof VantageSelector>;

/** Says what is wrong with a target URL, or null. Only https is watched: the handshake is the subject. */
export function targetUrlProblem(value: string): string | null {
  if (!/^https:\/\//i.test(value)) return 'must be a URL that begins with https://';
  let url: URL;
  try {
    url = new URL(value);
  } catch {
    const port = /^https:\/\/[^/?#]*:(\d+)(?:[/?#]|$)/i.exec(value)?.[1];
    return port && Number(port) > 65_535 ? `has port ${port}, which is not between 1 and 65535` : 'is not a URL';
  }
  if (!url.hostname) return 'has no host name';
  if (url.port === '0') return 'has port 0, which is not between 1 and 65535';
  if (url.username || url.password) return 'must not contain a user name or password';
  return null;
}

/** Whether a URL and another text differ in writing alone, as `https://a.example` and `https://A.example/`. */
export const sameUrl = (url: string, other: string): boolean =>
  url === other || (URL.canParse(other) && new URL(url).href === new URL(other).href);

/** Says why nobody can watch a URL, or null. A redirect may lead to a host of any name, and is told of by its Result. */
function watchedUrlProblem(value: string): string | null {
  const problem = targetUrlProblem(value);
  if (problem !== null || /^([a-z0-9._-]+|\[.*\])$/.test(new URL(value).hostname)) return problem;
  return 'has a character that no host name has: letters, digits, -, _ and dots are allowed';
}

export const TargetUrl = z
  .string()
  .trim()
  .max(2_048)
  .superRefine((value, context) => {
    const problem = watchedUrlProblem(value);
    if (problem) context.addIssue({ code: 'custom', message: problem });
  })
  .meta({ pattern: addressPattern('https') });

/** Most tags of a target, and characters of one. */
export const MAX_TAGS = 20;
export const MAX_TAG = 40;

/** A tag: one word of letters, digits, `-`, `_`, `.`, `:` and `/`, so that it can stand in addresses and lists; case counts. */
export const Tag = z
  .string()
  .trim()
  .max(MAX_TAG)
  .regex(/^[\p{L}\p{N}][\p{L}\p{M}\p{N}._:/-]*$/u, 'must be one word of letters, digits, -, _, ., : and /')
  .meta({ id: 'Tag' });

const Tags = z
  .array(Tag)
  .max(MAX_TAGS)
  .refine((tags) => new Set(tags).size === tags.length, 'must not name a tag twice')
  .meta({ uniqueItems: true });

const editable = {
  name: z.string().trim().min(1).max(200),
  url: TargetUrl,
  periodSeconds: z.number().int().min(MIN_PERIOD_SECONDS).max(MAX_PERIOD_SECONDS),
  enabled: z.boolean(),
  vantages: VantageSelector,
  settings: ProbeSettings,
  tags: Tags.meta({ description: 'words to find and group targets by' }),
};

export const TargetCreate = z
  .strictObject({
    ...editable,
    name: editable.name.optional().meta({ description: 'default: the host' }),
    periodSeconds: editable.periodSeconds.default(60),
    enabled: editable.enabled.default(true),
    vantages: editable.vantages.prefault({}),
    settings: editable.settings.prefault({}),
    tags: editable.tags.default([]),
  })
  .meta({ id: 'TargetCreate' });
export type TargetCreate = z.infer<typeof TargetCreate>;

/** Fields left out stay as they are; `settings` and `vantages` are replaced whole. */
export const TargetPatch = z.strictObject(editable).partial().meta({ id: 'TargetPatch' });
export type TargetPatch = z.infer<typeof TargetPatch>;

export const Target = z
  .object({
    id: z.uuid(),
    name: z.string(),
    url: z.string(),
    periodSeconds: z.number().int(),
    enabled: z.boolean(),
    vantages: VantageSelector,
    settings: ProbeSettings,
    tags: z.array(z.string()),
    demo: z.boolean(),
    managed: Managed,
    createdAt: z.iso.datetime(),
    updatedAt: z.iso.datetime(),
  })
  .meta({ id: 'Target' });
export type Target = z.infer<typeof Target>;

/** A page of targets, of those with a name, a tag or one of some ids alone where it is given. */
export const TargetsQuery = z
  .strictObject({
    ...NamedQuery.shape,
    tag: Tag.optional(),
    ids,
  })
  .meta({ id: 'TargetsQuery' });
export type TargetsQuery = z.infer<typeof TargetsQuery>;

/** Targets whose metrics are asked for; all where neither is given. */
export const ProbeMetricsQuery = z
  .strictObject({
    target: z.string().min(1).max(200).optional().meta({ description: 'the id or the name of a target' }),
    tag: list(Tag, MAX_TAGS)
      .optional()
      .meta({ description: 'tags, with commas between them: targets with one of them' }),
  })
  .meta({ id: 'ProbeMetricsQuery' });
export type ProbeMetricsQuery = z.infer<typeof ProbeMetricsQuery>;
