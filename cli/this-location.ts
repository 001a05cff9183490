import { hostname } from 'node:os';
import { EnrolmentCreate } from '#contract/vantage.ts';
import { StartError } from './start-error.ts';

/** Where this machine stands, as far as anybody said: nothing about it is guessed. */
export function thisLocation(env: NodeJS.ProcessEnv = process.env) {
  const country = env.ROUNDTRIP_VANTAGE_COUNTRY || env.ROUNDTRIP_VANTAGE_REGION?.slice(0, 2) || 'ZZ';
  const parsed = EnrolmentCreate.safeParse({
    name: env.ROUNDTRIP_VANTAGE_NAME || hostname(),
    country,
    region: env.ROUNDTRIP_VANTAGE_REGION || `${country}-LOC`,
    carrier: env.ROUNDTRIP_VANTAGE_CARRIER || 'local',
  });
  if (parsed.success) {
    const { expiresInSeconds: _, mayHoldSecrets: __, ...location } = parsed.data;
    return location;
  }
  const [issue] = parsed.error.issues;
  const variable = `ROUNDTRIP_VANTAGE_${givenField(String(issue?.path[0]), env).toUpperCase()}`;
  throw new StartError(`The environment variable ${variable} is invalid: ${issue?.message}.`);
}

/** Country and region are made of one another where only one is given: that one is at fault. */
function givenField(field: string, env: NodeJS.ProcessEnv): string {
  if (field === 'country' && !env.ROUNDTRIP_VANTAGE_COUNTRY) return 'region';
  if (field === 'region' && !env.ROUNDTRIP_VANTAGE_REGION) return 'country';
  return field;
}
