import { z } from 'zod';
import { StartError } from '../start-error.ts';
import { headersOf, Import, type Imported, noHttps, periodOf, redirectsOf, type Taken, tagsOf } from './imported.ts';

// Uptime Kuma 1: the backup of its settings (server/model/monitor.js and src/components/settings/Backup.vue of louislam/uptime-kuma, 1.23).

/** Its database, of which version 2 has no backup, says 0 and 1. */
const flag = z.union([z.boolean(), z.literal([0, 1])]).transform(Boolean);
const text = z.string().nullish();

const Monitor = z.looseObject({
  id: z.number(),
  name: z.string(),
  type: z.string(),
  url: text,
  parent: z.number().nullish(),
  interval: z.number().default(60),
  active: flag.default(true),
  method: text,
  headers: text,
  body: text,
  httpBodyEncoding: text,
  keyword: text,
  invertKeyword: flag.default(false),
  ignoreTls: flag.default(false),
  upsideDown: flag.default(false),
  maxredirects: z.number().default(10),
  accepted_statuscodes: z.array(z.string()).default(['200-299']),
  authMethod: text,
  basic_auth_user: text,
  basic_auth_pass: text,
  tlsCa: text,
  tlsCert: text,
  tlsKey: text,
  tags: z.array(z.looseObject({ name: z.string(), value: text })).default([]),
});
type Monitor = z.infer<typeof Monitor>;

const Named = z.looseObject({ name: z.string() });
const Backup = z.looseObject({
  version: z.string(),
  monitorList: z.array(z.unknown()),
  notificationList: z.array(z.unknown()).default([]),
  proxyList: z.array(z.unknown()).default([]),
});

/** The monitors of a backup as targets. Throws StartError where it is none. */
export function readUptimeKuma(file: string): Imported {
  const backup = Backup.safeParse(parsed(file)).data;
  if (!backup) throw new StartError('The file is no backup of Uptime Kuma 1: JSON with version and monitorList.');
  const imported = new Import();
  const monitors = backup.monitorList.flatMap((each, index) => {
    const { data, error } = Monitor.safeParse(each);
    if (data) return data;
    const reasons = error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`);
    imported.leave(Named.safeParse(each).data?.name ?? `monitorList.${index}`, ...reasons);
    return [];
  });
  const groups = new Map(monitors.flatMap((each) => (each.type === 'group' ? [[each.id, each]] : [])));
  for (const monitor of monitors)
    if (monitor.type === 'group') leaveEmptyGroup(monitor, monitors, imported);
    else imported.add(monitor.name, takenOf(monitor, groupsOf(monitor, groups)));
  for (const section of ['notificationList', 'proxyList'] as const)
    for (const [index, each] of backup[section].entries())
      imported.leave(
        Named.safeParse(each).data?.name ?? `${section}.${index}`,
        section === 'proxyList' ? 'a proxy' : 'a notification: make a webhook',
      );
  for (const section of Object.keys(backup))
    if (!(section in Backup.shape)) imported.leave(section, 'nothing of a target');
  return imported.end();
}

function parsed(file: string): unknown {
  try {
    return JSON.parse(file);
  } catch (error) {
    throw new StartError(`The file is no JSON: ${(error as Error).message}`);
  }
}

/** A group is a tag of what is in it. */
function leaveEmptyGroup({ id, name }: Monitor, monitors: Monitor[], imported: Import): void {
  if (!monitors.some(({ parent }) => parent === id)) imported.leave(name, 'a group of nothing');
}

/** The groups that a monitor is in, from the outermost. */
function groupsOf({ parent }: Monitor, groups: Map<number, Monitor>, depth = 0): Monitor[] {
  const group = parent == null || depth > groups.size ? undefined : groups.get(parent);
  return group ? [...groupsOf(group, groups, depth + 1), group] : [];
}

const TYPES = ['http', 'keyword', 'json-query'];

/** A monitor as a target, or why it is none. */
function takenOf(monitor: Monitor, groups: Monitor[]): Taken | string {
  const { name, type, url, authMethod, keyword, invertKeyword } = monitor;
  if (!TYPES.includes(type)) return `the type ${type}`;
  if (!url || !/^https:\/\//i.test(url)) return noHttps(url ?? '');
  if (monitor.upsideDown) return 'it is upside down: up where nothing answers';
  const without = partsLeft(monitor);
  const group = groups.map((each) => each.name).join('/');
  const tags = monitor.tags.map(({ name: tag, value }) => (value ? `${tag}:${value}` : tag));
  const isMutual = authMethod === 'mtls';
  const said = keyword && type === 'keyword' ? { [invertKeyword ? 'bodyLacks' : 'bodyContains']: keyword } : {};
  return {
    target: {
      name,
      url,
      periodSeconds: periodOf(monitor.interval, without),
      enabled: [monitor, ...groups].every(({ active }) => active),
      tags: tagsOf([group, ...tags], without),
      settings: {
        verify: !monitor.ignoreTls,
        redirects: redirectsOf(monitor.maxredirects, without),
        ...(isMutual && monitor.tlsCa ? { caPem: monitor.tlsCa } : {}),
        ...(isMutual && monitor.tlsCert && monitor.tlsKey
          ? { clientCertificate: { certPem: monitor.tlsCert, keyPem: monitor.tlsKey } }
          : {}),
        request: {
          method: (monitor.method || 'GET').toUpperCase() as 'GET',
          headers: headersOf(requestHeaders(monitor, without), without),
          body: monitor.body || null,
        },
        expect: { status: monitor.accepted_statuscodes, ...said },
      },
    },
    group,
    without,
  };
}

/** Headers as it keeps them, a JSON object; null where they are none. */
function readHeaders(text: string): Record<string, string> | null {
  try {
    return z.record(z.string(), z.coerce.string()).safeParse(JSON.parse(text)).data ?? null;
  } catch {
    return null;
  }
}

/** Its own headers over those that its body and its password bring along. */
function requestHeaders(monitor: Monitor, without: string[]): Record<string, string> {
  const { body, httpBodyEncoding, authMethod, basic_auth_user: user, basic_auth_pass: password } = monitor;
  const types: Record<string, string> = { json: 'application/json', xml: 'text/xml; charset=utf-8' };
  const type = body ? types[httpBodyEncoding || 'json'] : undefined;
  const pair = Buffer.from(`${user ?? ''}:${password ?? ''}`).toString('base64');
  const own = readHeaders(monitor.headers || '{}');
  if (!own) without.push('its headers, which are no JSON object');
  return {
    ...(type && { 'Content-Type': type }),
    ...(authMethod === 'basic' && { Authorization: `Basic ${pair}` }),
    ...own,
  };
}

/** What of a monitor is no setting of a target. */
function partsLeft(monitor: Monitor): string[] {
  const { type, interval, authMethod } = monitor;
  const isSet = (key: string) => !['', '0', 'false', '{}', 'null', 'undefined'].includes(said(monitor[key]));
  const timeout = Number(monitor.timeout ?? 0);
  return [
    ...(isSet('notificationIDList') ? ['its notifications (make a webhook)'] : []),
    ...(isSet('expiryNotification')
      ? ['the warning before its certificate ends (make a rule of the kind certificate)']
      : []),
    ...(isSet('maxretries') ? [`${monitor.maxretries} retries`] : []),
    ...(isSet('resendInterval') ? ['repeated notifications'] : []),
    ...(isSet('proxyId') ? ['its proxy'] : []),
    ...(isSet('description') ? ['its description'] : []),
    ...(timeout !== 0 && timeout !== 48 && timeout !== interval * 0.8 ? [`its time-out of ${timeout} s`] : []),
    ...(type === 'json-query' ? [`the query ${monitor.jsonPath} with the value ${monitor.expectedValue}`] : []),
    ...(authMethod && authMethod !== 'basic' && authMethod !== 'mtls' ? [`its sign-in by ${authMethod}`] : []),
  ];
}

const said = (value: unknown) => (typeof value === 'object' ? JSON.stringify(value) : String(value));
