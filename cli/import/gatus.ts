import { z } from 'zod';
import { MAX_REDIRECTS } from '#contract/target.ts';
import { StartError } from '../start-error.ts';
import {
  headersOf,
  Import,
  type Imported,
  noHttps,
  parseYaml,
  periodOf,
  secondsOf,
  type Taken,
  tagsOf,
} from './imported.ts';

// Gatus: `endpoints` of its configuration (config/endpoint/endpoint.go of TwiN/gatus).

const Endpoint = z.looseObject({
  name: z.string(),
  group: z.string().default(''),
  url: z.string(),
  enabled: z.boolean().default(true),
  interval: z.string().default('60s'),
  method: z.string().default('GET'),
  headers: z.record(z.string(), z.coerce.string()).default({}),
  body: z.string().default(''),
  graphql: z.boolean().default(false),
  conditions: z.array(z.string()).default([]),
  client: z
    .looseObject({ insecure: z.boolean().default(false), 'ignore-redirect': z.boolean().default(false) })
    .prefault({}),
});
type Endpoint = z.infer<typeof Endpoint>;

const Named = z.looseObject({ name: z.string() });
const Config = z.looseObject({
  endpoints: z.array(z.unknown()).default([]),
  'external-endpoints': z.array(z.unknown()).default([]),
  suites: z.array(z.unknown()).default([]),
});

/** The endpoints of a configuration as targets; `env` has the variables that it names. Throws StartError where it is none. */
export function readGatus(text: string, env: Record<string, string | undefined>): Imported {
  const config = Config.safeParse(parseYaml(expand(text, env))).data;
  if (!config) throw new StartError('The file is no configuration of Gatus: a mapping with endpoints.');
  const imported = new Import();
  for (const [index, each] of config.endpoints.entries()) {
    const { data, error } = Endpoint.safeParse(each);
    if (data) imported.add(data.name, takenOf(data));
    else
      imported.leave(
        Named.safeParse(each).data?.name ?? `endpoints.${index}`,
        ...error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`),
      );
  }
  const others = { 'external-endpoints': 'its results are pushed to Gatus', suites: 'a suite of several steps' };
  for (const [section, reason] of Object.entries(others))
    for (const [index, each] of (config[section] as unknown[]).entries())
      imported.leave(Named.safeParse(each).data?.name ?? `${section}.${index}`, reason);
  for (const section of Object.keys(config))
    if (!(section in Config.shape)) imported.leave(section, 'a setting of Gatus itself');
  return imported.end();
}

/** `$NAME` and `${NAME}` are variables, `$$` is a dollar sign, wherever they stand. */
const expand = (text: string, env: Record<string, string | undefined>) =>
  text.replaceAll(/\$(?:\$|\{(\w+)\}|([A-Za-z_]\w*))/g, (all, braced?: string, bare?: string) => {
    const name = braced ?? bare;
    if (name === undefined) return '$';
    const value = env[name];
    if (value === undefined) throw new StartError(`The file names ${all}, which the environment lacks.`);
    return value;
  });

/** An endpoint as a target, or why it is none. */
function takenOf(endpoint: Endpoint): Taken | string {
  const { name, group, url, enabled, interval, method, body, graphql, client } = endpoint;
  // A handshake and nothing after it.
  const isTls = /^tls:\/\//i.test(url);
  if (!isTls && !/^https:\/\//i.test(url)) return noHttps(url);
  const seconds = secondsOf(interval);
  if (seconds === null) return `its interval ${interval} is no duration`;
  const { insecure, 'ignore-redirect': isRedirectIgnored, ...otherOfClient } = client;
  const without = [
    ...Object.keys(endpoint).flatMap((key) => (key in Endpoint.shape ? [] : key)),
    ...Object.keys(otherOfClient).map((key) => `client.${key}`),
  ];
  const expect = expectationOf(endpoint.conditions, without);
  const headers = { ...(graphql && { 'Content-Type': 'application/json' }), ...endpoint.headers };
  return {
    target: {
      name,
      url: isTls ? url.replace(/^tls:/i, 'https:') : url,
      periodSeconds: periodOf(seconds, without),
      enabled,
      tags: tagsOf([group], without),
      settings: {
        verify: !insecure,
        ...(isTls
          ? { http: false }
          : {
              redirects: isRedirectIgnored ? 0 : MAX_REDIRECTS,
              request: {
                method: method.toUpperCase() as 'GET',
                headers: headersOf(headers, without),
                body: body === '' ? null : graphql ? JSON.stringify({ query: body }) : body,
              },
              expect,
            }),
      },
    },
    group,
    without,
  };
}

const OF_RULES: Record<string, string> = {
  '[RESPONSE_TIME]': 'a rule of the kind threshold',
  '[CERTIFICATE_EXPIRATION]': 'a rule of the kind certificate',
};

/** What conditions ask of status and body, and the rest of them by name. Without one of the status any will do. */
function expectationOf(conditions: string[], without: string[]) {
  const [least, most, listed]: [number[], number[], string[]] = [[100], [599], []];
  const expect: { bodyContains?: string; bodyLacks?: string } = {};
  for (const condition of conditions) {
    const [, left = '', sign = '', right = ''] = /^(\S.*?) (==|!=|<=|>=|<|>) (.*)$/.exec(condition) ?? [];
    const body = /^pat\(\*([^*?[\]\\]+)\*\)$/.exec(right)?.[1];
    const codes = right.replace(/^any\((.*)\)$/, '$1').split(/,\s*/);
    const areCodes = left === '[STATUS]' && codes.every((code) => /^[1-5]\d\d$/.test(code));
    if (areCodes && sign === '==' && listed.length === 0) listed.push(...codes);
    else if (areCodes && sign === '<') most.push(Number(right) - 1);
    else if (areCodes && sign === '<=') most.push(Number(right));
    else if (areCodes && sign === '>') least.push(Number(right) + 1);
    else if (areCodes && sign === '>=') least.push(Number(right));
    else if (left === '[BODY]' && sign === '==' && body && !expect.bodyContains) expect.bodyContains = body;
    else if (left === '[BODY]' && sign === '!=' && body && !expect.bodyLacks) expect.bodyLacks = body;
    else if (condition !== '[CONNECTED] == true')
      without.push(`the condition ${condition}${left in OF_RULES ? ` (make ${OF_RULES[left]})` : ''}`);
  }
  const [from, to] = [Math.max(...least), Math.min(...most)];
  const inRange = listed.filter((code) => Number(code) >= from && Number(code) <= to);
  return { status: listed.length > 0 ? inRange : [`${from}-${to}`], ...expect };
}
