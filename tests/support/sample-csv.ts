import type { SyntheticSample } from '#analysis/synthetic/samples.ts';

/** The header of a sample file (docs of `roundtrip detect`). */
export const SAMPLE_HEADER = 'timestamp,target,province,carrier,dns_ms,connect_ms,tls_ms,ttfb_ms,ok';

/** One line of a sample file, without the line's end. Milliseconds to a thousandth. */
export function sampleLine(
  series: { target: string; province: string; carrier: string },
  sample: SyntheticSample,
): string {
  const key = `${sample.at},${series.target},${series.province},${series.carrier},${ms(sample.dnsMs)}`;
  if (!sample.ok) return `${key},,,,0`;
  return `${key},${ms(sample.connectMs)},${ms(sample.tlsMs)},${ms(sample.ttfbMs)},1`;
}

function ms(value: number): string {
  return String(Math.round(value * 1_000) / 1_000);
}
