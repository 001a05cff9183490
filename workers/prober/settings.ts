import { join } from 'node:path';

export type ProcessSettings = { server: string; token: string | undefined; dataDir: string; logLevel: string };
type Given = { server?: string | undefined; token?: string | undefined; data?: string | undefined };

const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'];

/** Arguments first, then ROUNDTRIP_SERVER, ROUNDTRIP_TOKEN and ROUNDTRIP_DATA; a string says what is wrong. */
export function proberSettings(given: Given, env: Record<string, string | undefined>): ProcessSettings | string {
  const server = given.server ?? env.ROUNDTRIP_SERVER;
  if (!server) return '--server (or ROUNDTRIP_SERVER) is missing: give the address of the Roundtrip server';
  if (!/^https?:\/\//i.test(server) || !URL.canParse(server)) {
    return `--server is ${JSON.stringify(server)}, which is not an http:// or https:// address`;
  }
  const token = given.token ?? (env.ROUNDTRIP_TOKEN || undefined);
  if (token !== undefined && (token.length < 10 || token.length > 200)) {
    return '--token is not an enrolment token: one begins with rte_';
  }
  const logLevel = env.LOG_LEVEL || 'info';
  if (!LOG_LEVELS.includes(logLevel)) return `LOG_LEVEL is ${logLevel}: give one of ${LOG_LEVELS.join(', ')}`;
  return { server, token, dataDir: given.data ?? join(env.ROUNDTRIP_DATA || '.roundtrip', 'prober'), logLevel };
}
