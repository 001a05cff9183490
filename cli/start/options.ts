import { TargetUrl } from '#contract/target.ts';
import { parseEnvironment } from '#server/environment/environment.ts';
import { browserUrl, parsePort } from '../address.ts';
import { StartError } from '../start-error.ts';
import { thisLocation } from '../this-location.ts';

/** What commander hands over, each still as it was typed. */
export type TypedOptions = { port?: string; host?: string; demo: boolean; apart?: boolean };

/** What `roundtrip start` was asked for, checked. */
export type StartOptions = {
  host: string;
  port: number;
  url: string;
  demo: boolean;
  /** The jobs get a process of their own. */
  apart: boolean;
  targets: string[];
};

/** Options win over the environment. Throws a StartError or EnvironmentError that names the first thing that is wrong. */
export function readOptions(typed: TypedOptions, urls: string[]): StartOptions {
  const environment = parseEnvironment(process.env);
  // Where this machine stands is needed late; a wrong word about it is said at once.
  thisLocation();
  const host = typed.host || environment.HOST;
  const port = typed.port === undefined ? environment.PORT : parsePort(typed.port);
  const { demo, apart = false } = typed;
  return { host, port, url: browserUrl(host, port), demo, apart, targets: urls.map(checkedUrl) };
}

function checkedUrl(typed: string): string {
  const parsed = TargetUrl.safeParse(typed);
  if (parsed.success) return new URL(parsed.data).href;
  throw new StartError(`The target ${JSON.stringify(typed)} ${parsed.error.issues[0]?.message ?? 'is not a URL'}.`);
}
