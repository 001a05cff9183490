import { z } from 'zod';
import { MAX_REDIRECTS } from '#contract/target.ts';
import { StartError } from '../start-error.ts';
import {
  headersOf,
  Import,
  type Imported,
  noHttps,
  openAddress,
  parseYaml,
  periodOf,
  secondsOf,
  type Taken,
  tagsOf,
} from './imported.ts';

// Prometheus with blackbox_exporter: the jobs of a prometheus.yml that have the exporter probe something, by modules of its blackbox.yml
// (README.md, CONFIGURATION.md and example.yml of prometheus/blackbox_exporter).

type Settings = NonNullable<Taken['target']['settings']>;

/** A mapping in which all may be left out, or that is empty. */
const mapping = <Shape extends z.ZodRawShape>(shape: Shape) =>
  z.preprocess((value) => value ?? {}, z.looseObject(shape));
const words = z.array(z.coerce.string()).default([]);
const texts = z.record(z.string(), z.coerce.string()).default({});
const no = z.boolean().default(false);
const yes = z.boolean().default(true);

const Relabelling = z.looseObject({
  source_labels: words,
  target_label: z.string().default(''),
  action: z.string().default('replace'),
  regex: z.coerce.string().default('(.*)'),
  replacement: z.coerce.string().default('$1'),
});
const jobShape = {
  job_name: z.string(),
  metrics_path: z.string().default('/metrics'),
  scrape_interval: z.string().optional(),
  params: mapping({ module: words, target: words }),
  static_configs: z.array(z.looseObject({ targets: words, labels: texts })).default([]),
  relabel_configs: z.array(Relabelling).default([]),
};
const Job = z.looseObject(jobShape);
type Job = z.infer<typeof Job>;

const globalShape = { scrape_interval: z.string().default('1m') };
const configShape = { global: mapping(globalShape), scrape_configs: z.array(z.unknown()) };
const Config = z.looseObject(configShape);

const tlsShape = {
  insecure_skip_verify: no,
  server_name: z.string().optional(),
  min_version: z.string().default('TLS12'),
  max_version: z.string().default('TLS13'),
};
const reachShape = {
  preferred_ip_protocol: z.string().default(''),
  ip_protocol_fallback: yes,
  tls_config: mapping(tlsShape),
};
const tcpShape = { ...reachShape, tls: no };
const httpShape = {
  ...reachShape,
  valid_status_codes: words,
  method: z.string().default('GET'),
  headers: texts,
  http_headers: z.record(z.string(), z.looseObject({ values: words, secrets: words })).default({}),
  basic_auth: z.looseObject({ username: z.string(), password: z.coerce.string() }).optional(),
  authorization: z.looseObject({ type: z.string().default('Bearer'), credentials: z.string() }).optional(),
  body: z.string().default(''),
  follow_redirects: yes,
  no_follow_redirects: no,
  enable_http2: yes,
  fail_if_ssl: no,
  fail_if_not_ssl: no,
  fail_if_body_matches_regexp: words,
  fail_if_body_not_matches_regexp: words,
};
const moduleShape = { prober: z.string(), http: mapping(httpShape), tcp: mapping(tcpShape) };
const Module = z.looseObject(moduleShape);
type Module = z.infer<typeof Module>;
const Modules = z.looseObject({ modules: z.record(z.string(), z.unknown()) });

/** What a module of these names is where no blackbox.yml is given: as the exporter ships them. */
const SHIPPED = { http_2xx: { prober: 'http' }, http_post_2xx: { prober: 'http', http: { method: 'POST' } } };

/**
 * The targets of the jobs of a prometheus.yml that ask blackbox_exporter; `modulesText` is a blackbox.yml, null: as it is shipped. Throws StartError
 * where either is none.
 */
export function readBlackbox(text: string, modulesText: string | null): Imported {
  const config = Config.safeParse(parseYaml(text)).data;
  if (!config) throw new StartError('The file is no configuration of Prometheus: a mapping with scrape_configs.');
  const modules = modulesText === null ? SHIPPED : Modules.safeParse(parseYaml(modulesText)).data?.modules;
  if (!modules)
    throw new StartError('The file of --modules is no configuration of blackbox_exporter: a mapping with modules.');
  const imported = new Import();
  for (const [index, each] of config.scrape_configs.entries()) {
    const { data, error } = Job.safeParse(each);
    if (data)
      takeJob({ ...data, scrape_interval: data.scrape_interval ?? config.global.scrape_interval }, modules, imported);
    else imported.leave(nameOf(each) ?? `scrape_configs.${index}`, ...issuesOf(error));
  }
  for (const key of [...others(config.global, globalShape, 'global.'), ...others(config, configShape)])
    imported.leave(key, OF_PROMETHEUS);
  return imported.end();
}

const OF_PROMETHEUS = 'a setting of Prometheus itself';
const nameOf = (job: unknown) => z.looseObject({ job_name: z.string() }).safeParse(job).data?.job_name;
const issuesOf = (error: z.ZodError) => error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`);

/** The keys of a mapping that are read nowhere here. */
const others = (found: object, shape: object, prefix = ''): string[] =>
  Object.keys(found).flatMap((key) => (key in shape ? [] : `${prefix}${key}`));

function takeJob(job: Job, modules: Record<string, unknown>, imported: Import): void {
  const { job_name: name, metrics_path: path, static_configs: configs, params } = job;
  if (!path.endsWith('/probe')) {
    imported.leave(name, `no job of blackbox_exporter: its metrics_path is ${path}`);
    return;
  }
  for (const key of others(job, jobShape))
    if (key.endsWith('_sd_configs')) imported.leave(name, `its targets are found by ${key}`);
    else imported.leave(`${name}.${key}`, OF_PROMETHEUS);
  const relabelled = relabelledBy(job);
  const places = configs.flatMap(({ targets, labels }) =>
    (relabelled.isTold ? params.target : targets).map((address) => ({ address, labels })),
  );
  for (const { address, labels } of places) {
    const said = relabelled.problem ?? takenOf(job, relabelled.addressOf(address), labels, modules);
    if (typeof said !== 'string') said.without.push(...relabelled.without);
    imported.add(typeof said === 'string' ? `${name} ${openAddress(address)}` : said.target.name, said);
  }
}

/**
 * What a job makes of the addresses in its list: the usual three rules have the exporter probe them, under their own names. `isTold`: what is probed is in
 * the job's parameters; the list is of exporters.
 */
function relabelledBy({ relabel_configs: rules, params }: Job) {
  const without: string[] = [];
  let template = null as string | null;
  let problem = null as string | null;
  for (const { source_labels: sources, target_label: label, action, regex, replacement } of rules) {
    const source = action === 'replace' && /^\(\.[*+]\)$/.test(regex) ? sources.join() : null;
    if (label === '__param_target' && source === '__address__') template = replacement;
    else if (label === '__param_target' || label === '__param_module') problem = `its relabelling to ${label}`;
    else if (label === 'instance' && (source === '__param_target' || source === '__address__')) continue;
    else if (label !== '__address__' || source !== '')
      without.push(`the relabelling ${action === 'replace' ? `to ${label}` : action}`);
  }
  const isTold = template === null && params.target.length > 0;
  if (template === null && !isTold) problem ??= 'nothing says what is probed: no relabelling to __param_target';
  const addressOf = (address: string) => template?.replaceAll(/\$(?:1|\{1\})/g, () => address) ?? address;
  return { addressOf, isTold, problem, without };
}

/** What one address of a job is as a target, or why it is none. */
function takenOf(job: Job, address: string, labels: Record<string, string>, modules: Record<string, unknown>) {
  const moduleName = labels.__param_module ?? job.params.module[0] ?? 'http_2xx';
  if (!(moduleName in modules))
    return `its module ${moduleName} is unknown: give the exporter’s blackbox.yml with --modules`;
  const { data: module, error } = Module.safeParse(modules[moduleName]);
  if (!module) return `its module ${moduleName}: ${issuesOf(error).join('; ')}`;
  const seconds = secondsOf(job.scrape_interval ?? '');
  if (seconds === null) return `its interval ${job.scrape_interval} is no duration`;
  const without = [
    ...Object.keys(labels).flatMap((label) => (/^__(?!param_module$)/.test(label) ? `the label ${label}` : [])),
    ...others(job.params, { module: [], target: [] }, 'params.'),
    ...others(module, moduleShape),
  ];
  const probed = module.prober === 'http' ? ofHttp(module, address, without) : ofTcp(module, address, without);
  if (typeof probed === 'string') return probed;
  const tags = Object.entries(labels).flatMap(([label, value]) => (label.startsWith('__') ? [] : `${label}:${value}`));
  return {
    target: {
      name: openAddress(address)
        .replace(/^\w+:\/\//, '')
        .replace(/\/$/, ''),
      ...probed,
      periodSeconds: periodOf(seconds, without),
      tags: tagsOf([job.job_name, ...tags], without),
    },
    group: job.job_name,
    without,
  };
}

type Probed = { url: string; settings: Settings };

/** A handshake and nothing after it. */
function ofTcp({ prober, tcp }: Module, address: string, without: string[]): Probed | string {
  if (prober !== 'tcp') return `the prober ${prober}`;
  if (!tcp.tls) return 'the prober tcp without tls: true';
  without.push(...others(tcp, tcpShape, 'tcp.'));
  return { url: `https://${address}`, settings: { http: false, ...reachOf(tcp, without) } };
}

function ofHttp({ http }: Module, address: string, without: string[]): Probed | string {
  if (!/^https:\/\//i.test(address)) return noHttps(address);
  if (http.fail_if_ssl) return 'it fails where there is TLS (fail_if_ssl)';
  without.push(...others(http, httpShape, 'http.'));
  const follows = http.follow_redirects && !http.no_follow_redirects;
  return {
    url: address,
    settings: {
      ...reachOf(http, without),
      ...(http.enable_http2 ? {} : { alpn: ['http/1.1'] }),
      redirects: follows ? MAX_REDIRECTS : 0,
      request: {
        method: http.method.toUpperCase() as 'GET',
        headers: headersOf(requestHeaders(http, without), without),
        body: http.body || null,
      },
      expect: {
        status: http.valid_status_codes.length > 0 ? http.valid_status_codes : ['2xx'],
        bodyLacks: literalOf(http.fail_if_body_matches_regexp, without),
        bodyContains: literalOf(http.fail_if_body_not_matches_regexp, without),
      },
    },
  };
}

/** Of several values of a header the exporter sends the last. */
function requestHeaders({ headers, http_headers, basic_auth, authorization }: Module['http'], without: string[]) {
  const pair = basic_auth && Buffer.from(`${basic_auth.username}:${basic_auth.password}`).toString('base64');
  const listed = Object.entries(http_headers).flatMap(([name, { values, secrets, ...rest }]) => {
    if (Object.keys(rest).length > 0) without.push(`the header ${name} of files`);
    const value = [...values, ...secrets].at(-1);
    return value === undefined ? [] : [[name, value]];
  });
  return {
    ...headers,
    ...Object.fromEntries(listed),
    ...(pair && { Authorization: `Basic ${pair}` }),
    ...(authorization && { Authorization: `${authorization.type} ${authorization.credentials}` }),
  };
}

/** The one text that an answer must have, or lack, where expressions say no more than that. */
function literalOf(expressions: string[], without: string[]): string | null {
  const literal = expressions.find((each) => /^[^\\^$.*+?()[\]{}|]+$/.test(each)) ?? null;
  without.push(...expressions.filter((each) => each !== literal).map((each) => `the expression ${each}`));
  return literal;
}

const VERSIONS: Record<string, Settings> = {
  'TLS12 to TLS13': {},
  'TLS12 to TLS12': { tlsVersion: '1.2' },
  'TLS13 to TLS13': { tlsVersion: '1.3' },
};

/** How the server is reached, and what of its certificate counts. */
function reachOf(reach: Module['tcp' | 'http'], without: string[]): Settings {
  const { preferred_ip_protocol: protocol, ip_protocol_fallback: mayFallBack, tls_config: tls } = reach;
  const versions = `${tls.min_version} to ${tls.max_version}`;
  if (!(versions in VERSIONS)) without.push(`the versions ${versions}`);
  if (mayFallBack && protocol === 'ip6') without.push('IPv6 before IPv4');
  // Each file is on the exporter's machine.
  without.push(...others(tls, tlsShape, 'tls_config.'));
  return {
    verify: !tls.insecure_skip_verify,
    ...(tls.server_name && { sni: tls.server_name }),
    ...VERSIONS[versions],
    ...(mayFallBack ? {} : { family: protocol === 'ip4' ? 4 : 6 }),
  };
}
