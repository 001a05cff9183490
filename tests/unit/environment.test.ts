import { describe, expect, it } from 'vitest';
import { Environment, parseEnvironment, parseWebEnvironment } from '#server/environment/environment.ts';

describe('the environment', () => {
  it('has a default for whatever may be left out', () => {
    expect(parseEnvironment({})).toMatchObject({
      PORT: 3000,
      HOST: '127.0.0.1',
      ROUNDTRIP_DATA: '.roundtrip',
      ROUNDTRIP_PUBLIC_DASHBOARD: false,
      LOG_LEVEL: 'info',
    });
  });

  it.each(Object.keys(Environment.shape))('takes an empty %s for one that is not set', (name) => {
    expect(parseEnvironment({ [name]: '' })).toEqual(parseEnvironment({}));
  });

  it('turns text into what it means', () => {
    const environment = parseEnvironment({
      PORT: '8080',
      ROUNDTRIP_PUBLIC_DASHBOARD: '1',
      ROUNDTRIP_ALLOW_PRIVATE_TARGETS: '',
      ROUNDTRIP_SECRET_PARAMETERS: ` pin,,tenant, ${'a,'.repeat(98)}`,
    });
    expect(environment.ROUNDTRIP_SECRET_PARAMETERS).toEqual(['pin', 'tenant', ...Array(98).fill('a')]);
    expect(environment.PORT).toBe(8080);
    expect(environment.ROUNDTRIP_PUBLIC_DASHBOARD).toBe(true);
    expect(environment.ROUNDTRIP_ALLOW_PRIVATE_TARGETS).toBe(undefined);
    expect(parseEnvironment({ ROUNDTRIP_ALLOW_PRIVATE_TARGETS: '0' }).ROUNDTRIP_ALLOW_PRIVATE_TARGETS).toBe(false);
  });

  it.each([
    ['PORT', 'eighty'],
    ['PORT', '70000'],
    ['DATABASE_URL', 'mysql://localhost/roundtrip'],
    ['ROUNDTRIP_SECRET', 'short'],
    ['ROUNDTRIP_ADMIN_PASSWORD', '1234'],
    ['ROUNDTRIP_ALLOW_PRIVATE_TARGETS', 'yes'],
    ['ROUNDTRIP_PUBLIC_DASHBOARD', 'true'],
    ['ROUNDTRIP_RATE_LIMIT', '0'],
    ['ROUNDTRIP_MEASUREMENTS_PER_KEY', '0'],
    ['ROUNDTRIP_MEASUREMENTS_PER_HOST', '1001'],
    ['ROUNDTRIP_CORS_ORIGINS', '*'],
    ['ROUNDTRIP_CORS_ORIGINS', 'https://a.example/'],
    ['ROUNDTRIP_CORS_ORIGINS', 'https://A.example'],
    ['ROUNDTRIP_CORS_ORIGINS', 'https://a.example:443'],
    ['ROUNDTRIP_CORS_ORIGINS', 'file:///a'],
    ['ROUNDTRIP_CORS_ORIGINS', 'https://a.example,'.repeat(101)],
    ['ROUNDTRIP_PUBLIC_URL', 'https://a.example/monitor'],
    ['ROUNDTRIP_PUBLIC_URL', 'https://a.example/?x'],
    ['ROUNDTRIP_PUBLIC_URL', 'https://user@a.example'],
    ['ROUNDTRIP_PUBLIC_URL', 'a.example'],
    ['ROUNDTRIP_SECRET_PARAMETERS', 'pin,_'],
    ['ROUNDTRIP_SECRET_PARAMETERS', 'p'.repeat(101)],
    ['ROUNDTRIP_SECRET_PARAMETERS', 'pin,'.repeat(101)],
    ['OTEL_EXPORTER_OTLP_ENDPOINT', 'collector:4318'],
    ['OTEL_EXPORTER_OTLP_HEADERS', 'a secret'],
    ['OTEL_EXPORTER_OTLP_HEADERS', 'api-key=x,'],
    ['OTEL_METRIC_EXPORT_INTERVAL', '60s'],
    ['OTEL_METRIC_EXPORT_INTERVAL', '99'],
    ['LOG_LEVEL', 'loud'],
  ])('says in one sentence what is wrong with %s=%s', (name, value) => {
    expect(() => parseEnvironment({ [name]: value })).toThrow(
      new RegExp(`^The environment variable ${name} must [^.]+.*\\.$`),
    );
  });

  it('never repeats a secret that is wrong', () => {
    expect(() => parseEnvironment({ ROUNDTRIP_SECRET: 'short-secret' })).toThrow(/^(?!.*short-secret).*$/);
  });

  it('needs a secret for the web process in production, and there alone', () => {
    const secret = 's'.repeat(32);
    expect(() => parseWebEnvironment({ NODE_ENV: 'production' })).toThrow(/ROUNDTRIP_SECRET is missing/);
    expect(parseWebEnvironment({ NODE_ENV: 'production', ROUNDTRIP_SECRET: secret }).ROUNDTRIP_SECRET).toBe(secret);
    expect(parseWebEnvironment({ NODE_ENV: 'development' }).ROUNDTRIP_SECRET).toBeUndefined();
  });
});
