import { z } from 'zod';
import { StartError } from '../start-error.ts';
import { type ReadFile, Reading } from './measurements.ts';
import { carrierOf, countryOf, placedIn, regionOf, regionOfCity } from './places.ts';

// Alibaba Cloud: answers of CloudMonitor's DescribeSiteMonitorLog. `Data` is a JSON text of rows, whose fields are those of the example in the
// reference (help.aliyun.com, API cms 2019-01-01 DescribeSiteMonitorLog; the same in the comments of DescribeSiteMonitorLogResponseBody of
// aliyun/alibabacloud-typescript-sdk): timestamp (ms), isp and city (codes of DescribeSiteMonitorISPCityList), ispCN, ispEN, provinceCN,
// provinceEN, cityCN, cityEN, countryCN, countryEN, errorCode, HTTPDNSTime, HTTPConnectTime, tcpConnectTime, SSLConnectTime,
// HTTPDownloadTime, TotalTime (ms, 0 for what did not happen), HTTPResponseCode. `curl...Time` count from the start, as curl's do, and are not
// phases; none of the rest is the wait for the first byte. Error codes: help.aliyun.com, cms, “Error codes and status codes”.

const word = z.union([z.string(), z.number()]).transform(String).nullish();
const Row = z.looseObject({
  timestamp: z.coerce.number().int().positive(),
  isp: word,
  ispCN: word,
  ispEN: word,
  city: word,
  cityCN: word,
  cityEN: word,
  provinceCN: word,
  provinceEN: word,
  countryCN: word,
  countryEN: word,
  errorCode: z.coerce.number().default(0),
  HTTPResponseCode: z.coerce.number(),
  HTTPDNSTime: z.coerce.number().default(0),
  HTTPConnectTime: z.coerce.number().default(0),
  tcpConnectTime: z.coerce.number().default(0),
  SSLConnectTime: z.coerce.number().default(0),
  HTTPDownloadTime: z.coerce.number().default(0),
  TotalTime: z.coerce.number().default(0),
});
type Row = z.infer<typeof Row>;
const Answer = z.looseObject({ Data: z.union([z.string(), z.array(z.unknown())]) });

/** Measurements of answers of DescribeSiteMonitorLog, one or a list of them. Throws StartError for what is none. */
export function readAlibaba(json: unknown): ReadFile {
  const reading = new Reading();
  for (const [number, each] of [json].flat().entries()) {
    const { data } = Answer.safeParse(each);
    if (!data) throw new StartError('The file is no answer of DescribeSiteMonitorLog: an object with Data.');
    for (const [index, row] of rowsOf(data.Data).entries()) {
      const { data: read, error } = Row.safeParse(row);
      const place = `${Array.isArray(json) ? `${number}.` : ''}Data.${index}`;
      if (read) reading.add(place, measurementOf(read));
      else reading.leave(place, error.issues.map(({ path, message }) => `${path.join('.')} ${message}`).join('; '));
    }
  }
  return reading.end();
}

function rowsOf(data: string | unknown[]): unknown[] {
  try {
    const rows: unknown = typeof data === 'string' ? JSON.parse(data) : data;
    if (Array.isArray(rows)) return rows;
  } catch {
    // as for what is no list
  }
  throw new StartError('Data of the file is no JSON list of rows.');
}

/** Codes of CloudMonitor that say which reason of ours it was; the others are kept as they are. */
const REASONS: Record<number, string> = {
  613: 'dns_error',
  615: 'http_body_mismatch',
  617: 'too_many_redirects',
};

function measurementOf(row: Row): Record<string, unknown> | string {
  const { isp, ispCN, ispEN, city, cityCN, cityEN, provinceCN, provinceEN, countryCN, countryEN, errorCode } = row;
  if (!ispCN && !ispEN)
    return `isp ${isp} and city ${city} are codes without names: ask for rows with ispCN and cityCN`;
  const carrier = carrierOf(ispCN, ispEN);
  const province = provinceCN || provinceEN;
  const region = (province ? regionOf(province) : null) ?? regionOfCity(cityCN ?? '') ?? regionOfCity(cityEN ?? '');
  const country = countryOf(countryEN ?? '') ?? countryOf(countryCN ?? '') ?? region?.slice(0, 2) ?? null;
  if (country === null) return `country ${countryEN ?? countryCN ?? 'null'} is not known`;
  if (country === 'CN' && region === null) return `province ${province ?? 'null'} is not known`;
  const ms = (value: number) => (value > 0 ? value : null);
  const httpStatus = row.HTTPResponseCode >= 100 && row.HTTPResponseCode < 600 ? row.HTTPResponseCode : null;
  const ok = errorCode < 400 && (httpStatus === null || httpStatus < 400);
  return {
    at: new Date(row.timestamp).toISOString(),
    ...placedIn(country, country === 'CN' ? region : null),
    ...{ carrier, city: cityCN || cityEN || null, ok },
    dnsMs: ms(row.HTTPDNSTime),
    connectMs: ms(row.HTTPConnectTime) ?? ms(row.tcpConnectTime),
    tlsMs: ms(row.SSLConnectTime),
    downloadMs: ms(row.HTTPDownloadTime),
    totalMs: ms(row.TotalTime),
    httpStatus,
    ...(ok || errorCode < 600 ? {} : { reason: REASONS[errorCode] ?? `CloudMonitor error ${errorCode}` }),
  };
}
