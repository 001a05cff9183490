// What a process of the server is told from outside, read once. `parseEnvironment` checks every variable at the start and
// names the first bad one in a sentence; `environment()` gives the same answer for the rest of the process's life, to
// whichever room asks. Beside it: `log.ts`, the one log (JSON lines, never a secret), and `errors.ts`, the one error that a
// caller may read, with the code that server/http turns into a status.

import { randomBytes } from 'node:crypto';
import ipaddr from 'ipaddr.js';
import { z } from 'zod';
import { MEASUREMENTS_A_MINUTE } from '#contract/measurement.ts';
import { RETENTION_CLASSES } from '#contract/retention.ts';
import { NewPassword } from '#contract/session.ts';

const flag = z
  .enum(['0', '1'], { error: 'must be 1 (on) or 0 (off)' })
  .default('0')
  .transform((value) => value === '1');

/** As `flag`, but undefined where it is not set: then the dashboard's settings decide. */
const decision = z
  .enum(['0', '1'], { error: 'must be 1 (always) or 0 (never); leave it out to decide it in the settings' })
  .transform((value) => value === '1')
  .optional();

const port = z
  .string()
  .regex(/^\d{1,5}$/, 'must be a port number from 1 to 65535')
  .transform(Number)
  .refine((value) => value >= 1 && value <= 65_535, 'must be a port number from 1 to 65535');

// Checked here so that a wrong one is named at the start; read in retention.ts.
const days = z
  .string()
  .regex(/^([1-9]\d{0,3}|10000)$/, 'must be a number of days from 1 to 10000')
  .optional();

const measurements = z
  .string()
  .regex(/^([1-9]\d{0,2}|1000)$/, 'must be a number of measurements a minute from 1 to 1000')
  .transform(Number);

/** Whether a browser may name an origin so: in lower case, and without the port that its scheme has. */
const isWebOrigin = (text: string) => /^https?:/.test(text) && URL.parse(text)?.origin === text;

/** Texts with commas between. */
const list = z
  .string()
  .default('')
  .transform((text) => text.split(',').flatMap((part) => part.trim() || []));

/** What the server's processes read from the environment (names: docs/operations.md). Every other variable is left alone. */
export const Environment = z.object({
  NODE_ENV: z.string().optional(),
  PORT: port.default(3000),
  HOST: z.string().default('127.0.0.1'),
  DATABASE_URL: z
    .string()
    .regex(
      /^postgres(ql)?:\/\/\S+$/,
      'must look like postgresql://user:password@host:5432/database; leave it out for the embedded PostgreSQL',
    )
    .optional(),
  DATABASE_REPLICA_URL: z
    .string()
    .regex(
      /^postgres(ql)?:\/\/\S+$/,
      'must look like postgresql://user:password@host:5432/database and name a standby of DATABASE_URL; leave it out without one',
    )
    .optional(),
  ROUNDTRIP_DATA: z.string().default('.roundtrip'),
  ROUNDTRIP_SECRET: z
    .string()
    .min(32, 'must have at least 32 characters; make one with: openssl rand -hex 32')
    .optional(),
  ROUNDTRIP_ADMIN_PASSWORD: NewPassword.optional(),
  ROUNDTRIP_ALLOW_PRIVATE_TARGETS: decision,
  ROUNDTRIP_PUBLIC_DASHBOARD: flag,
  ROUNDTRIP_PUBLIC_URL: z
    .url({ protocol: /^https?$/, error: 'must be the address of the dashboard, such as https://roundtrip.example.org' })
    .refine(
      (text) => URL.parse(text)?.href === `${URL.parse(text)?.origin}/`,
      'must be an address without a path, query or user, such as https://roundtrip.example.org: Roundtrip needs a host name or port of its own',
    )
    .optional(),
  ROUNDTRIP_CORS_ORIGINS: list.refine(
    (origins) => origins.length <= 100 && origins.every((origin) => isWebOrigin(origin)),
    'must be at most 100 origins with commas between, each a scheme and a host without a path, such as https://app.example.org,http://localhost:5173',
  ),
  ROUNDTRIP_RATE_LIMIT: z
    .string()
    .regex(/^[1-9]\d{0,6}$/, 'must be how many requests a minute one key may make, such as 3000')
    .default('3000')
    .transform(Number),
  ROUNDTRIP_MEASUREMENTS_PER_KEY: measurements.default(MEASUREMENTS_A_MINUTE.key),
  ROUNDTRIP_MEASUREMENTS_PER_HOST: measurements.default(MEASUREMENTS_A_MINUTE.host),
  ROUNDTRIP_TRUSTED_PROXIES: z
    .string()
    .default('127.0.0.0/8,::1')
    .transform((text) => text.split(',').map((part) => part.trim()))
    .refine(
      (parts) => parts.every((part) => part === 'none' || ipaddr.isValid(part) || ipaddr.isValidCIDR(part)),
      'must be addresses or networks with commas between, such as 127.0.0.1,10.0.0.0/8, or the word none',
    ),
  ROUNDTRIP_SECRET_PARAMETERS: list.refine(
    (names) => names.length <= 100 && names.every((name) => name.length <= 100 && /[\p{L}\p{N}]/u.test(name)),
    'must be at most 100 names with commas between, each of at most 100 characters and with a letter or digit in it, such as pin,tenant',
  ),
  OTEL_EXPORTER_OTLP_ENDPOINT: z
    .url({
      protocol: /^https?$/,
      error: 'must be the address at which a collector takes OTLP over HTTP, such as http://collector:4318',
    })
    .optional(),
  // Read by OpenTelemetry itself; checked here, so that a wrong one is named at the start.
  OTEL_EXPORTER_OTLP_HEADERS: z
    .string()
    .regex(/^[^=,]+=[^,]*(,[^=,]+=[^,]*)*$/, 'must be headers with commas between, such as api-key=secret,tenant=shop')
    .optional(),
  OTEL_METRIC_EXPORT_INTERVAL: z
    .string()
    .regex(/^[1-9]\d{2,7}$/, 'must be the milliseconds from one push to the next, from 100 to 99999999')
    .default('60000')
    .transform(Number),
  ...Object.fromEntries(Object.values(RETENTION_CLASSES).map(({ variable }) => [variable, days])),
  LOG_LEVEL: z
    .enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'], {
      error: 'must be one of fatal, error, warn, info, debug, trace, silent',
    })
    .default('info'),
});
export type Environment = z.infer<typeof Environment>;

/** The environment is wrong: `message` is one sentence that names the variable and says what to do. */
export class EnvironmentError extends Error {
  override readonly name = 'EnvironmentError';
}

/** Parses an environment; an empty variable, as Compose passes on, is one that is not set. Throws EnvironmentError for the first variable that cannot be used. */
export function parseEnvironment(source: Record<string, string | undefined>): Environment {
  const given = Object.fromEntries(Object.entries(source).filter(([, value]) => value !== ''));
  const parsed = Environment.safeParse(given);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new EnvironmentError(`The environment variable ${issue?.path.join('.')} ${issue?.message}.`);
}

/** As `parseEnvironment`, and what only the web process cannot do without: a secret to seal and sign with. */
export function parseWebEnvironment(source: Record<string, string | undefined>): Environment {
  const environment = parseEnvironment(source);
  if (environment.NODE_ENV === 'production' && !environment.ROUNDTRIP_SECRET) {
    throw new EnvironmentError(
      'The environment variable ROUNDTRIP_SECRET is missing: set it to 32 or more random characters, the same for every web process (openssl rand -hex 32).',
    );
  }
  return environment;
}

let parsed: Environment | undefined;

/** This process's environment, parsed once. Throws EnvironmentError. */
export function environment(): Environment {
  parsed ??= parseEnvironment(process.env);
  return parsed;
}

let temporarySecret: string | undefined;

/** The secret that signs cookies. Outside production a process without one makes its own, which ends with it. */
export function webSecret(): string {
  temporarySecret ??= environment().ROUNDTRIP_SECRET ?? randomBytes(32).toString('hex');
  return temporarySecret;
}
