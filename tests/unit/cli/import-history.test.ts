import { describe, expect, it } from 'vitest';
import { carrierOf, countryOf, regionOf, regionOfCity } from '#cli/import/places.ts';
import { readAs, summaryOf } from '#cli/import.ts';

describe('names of places and networks', () => {
  it.each([
    ['广东', 'CN-GD'],
    ['广东省', 'CN-GD'],
    ['广西壮族自治区', 'CN-GX'],
    ['内蒙古自治区', 'CN-NM'],
    ['北京市', 'CN-BJ'],
    ['Shaanxi', 'CN-SN'],
    ['Hubei Province', 'CN-HB'],
    ['香港特别行政区', 'CN-HK'],
    ['CN-ZJ', 'CN-ZJ'],
    ['US-CA', 'US-CA'],
    ['广东话', null],
    ['Neverland', null],
    ['', null],
  ])('the region %s is %s', (name, code) => {
    expect(regionOf(name)).toBe(code);
  });

  it.each([
    ['电信', 'telecom'],
    ['中国联通', 'unicom'],
    ['China Mobile', 'mobile'],
    ['CHINANET-BACKBONE', 'telecom'],
    ['China Mobile Communications Group Co., Ltd.', 'mobile'],
    ['教育网', 'cernet'],
    ['Hetzner Online', 'hetzner-online'],
    ['Télé2 AB', 'tele2-ab'],
    ['阿里巴巴', null],
    ['', null],
  ])('the carrier %s is %s', (name, carrier) => {
    expect(carrierOf(name)).toBe(carrier);
  });

  it('countries have names in both languages, and cities of China a province', () => {
    expect(['中国', 'China', 'Germany', '日本', 'DE', 'Atlantis'].map(countryOf)).toEqual([
      'CN',
      'CN',
      'DE',
      'JP',
      'DE',
      null,
    ]);
    expect(['Guangzhou', "Xi'an", 'Shanghai', 'Springfield'].map(regionOfCity)).toEqual([
      'CN-GD',
      'CN-SN',
      'CN-SH',
      null,
    ]);
  });
});

describe('a CSV of another monitor', () => {
  const MAP = 'at=时间,region=省份,carrier=运营商,tlsMs=ssl:s,connectMs=tcp_us:us,totalMs=total,httpStatus=code';
  const CSV = [
    '\uFEFF时间,省份,运营商,ssl,tcp_us,total,code,"note, of all"',
    '2026-11-01 08:00:00,广东,电信,0.0415,20100,130,200,"he said ""fine"",\r\ntwice"',
    '2026-11-01T00:01:00Z,浙江省,中国移动,-,,,503,',
    '1793500000,CN-BJ,联通,0.05,21000,140,200,',
    'yesterday,广东,电信,0.04,20000,130,200,',
    '2026-11-01 08:05:00,亚特兰,电信,0.04,20000,130,200,',
    '2026-11-01 08:06:00,广东,阿里巴巴,0.04,20000,130,200,',
    '2026-11-01 08:07:00,广东,电信,fast,20000,130,200,',
    '2026-11-01 08:08:00,广东,电信',
    '',
  ].join('\n');

  it('is read by the columns of its fields, units and names; what cannot be read is listed by its line', () => {
    const { measurements, left } = readAs(CSV, { format: 'csv', map: MAP, offset: '+08:00' });
    expect(measurements).toEqual([
      {
        ...{ at: '2026-11-01T00:00:00.000Z', country: 'CN', region: 'CN-GD', carrier: 'telecom', city: null, ok: true },
        ...{ dnsMs: null, connectMs: expect.closeTo(20.1, 6), tlsMs: 41.5, firstByteMs: null, downloadMs: null },
        ...{ totalMs: 130, httpStatus: 200 },
      },
      expect.objectContaining({ region: 'CN-ZJ', carrier: 'mobile', ok: false, tlsMs: null, httpStatus: 503 }),
      expect.objectContaining({ at: '2026-11-01T02:26:40.000Z', region: 'CN-BJ', carrier: 'unicom' }),
    ]);
    expect(left).toEqual([
      { place: 'line 6', reason: 'at “yesterday” is no time with a time zone (give --offset +08:00 for one without)' },
      { place: 'line 7', reason: 'region “亚特兰” is not known' },
      { place: 'line 8', reason: 'carrier “阿里巴巴” is not known' },
      { place: 'line 9', reason: 'tlsMs “fast” is no duration' },
      { place: 'line 10', reason: 'has 3 cells, not 8' },
    ]);
    expect(summaryOf(measurements)).toBe(
      [
        '3 measurements of 3 places, 1 failed, from 2026-11-01T00:00:00.000Z to 2026-11-01T02:26:40.000Z',
        '       1  CN-GD telecom',
        '       1  CN-ZJ mobile',
        '       1  CN-BJ unicom',
        '',
      ].join('\n'),
    );
  });

  it('needs no map where columns have the names of the fields', () => {
    const csv = 'at,region,carrier,ok,reason,tlsMs\n2026-11-01T00:00:00+08:00,CN-GD,telecom,失败,tls_timeout,\n';
    expect(readAs(csv, { format: 'csv' }).measurements).toEqual([
      expect.objectContaining({ at: '2026-10-31T16:00:00.000Z', ok: false, reason: 'tls_timeout', tlsMs: null }),
    ]);
  });

  it('says which column, field or unit is wrong', () => {
    const read = (map: string) => () => readAs(CSV, { format: 'csv', map });
    expect(read('at=zeit')).toThrow('The header of the file has no column “zeit”');
    expect(read('when=时间')).toThrow('--map has “when=时间”: give FIELD=COLUMN, of the fields at,');
    expect(read('at=时间')).toThrow('No column is carrier: name it by --map carrier=COLUMN.');
    expect(() => readAs('', { format: 'csv' })).toThrow('No column is at');
  });
});

/** As `GET /v1/measurements/{id}` answers, without headers and bodies. */
const GLOBALPING = {
  id: '2AdoNr7mDbNTHwpo1000bsmU8',
  type: 'http',
  status: 'finished',
  createdAt: '2026-11-01T09:06:32.131Z',
  updatedAt: '2026-11-01T09:06:33.410Z',
  target: 'shop.example.org',
  probesCount: 4,
  results: [
    {
      probe: {
        continent: 'AS',
        region: 'Eastern Asia',
        country: 'CN',
        state: null,
        city: 'Guangzhou',
        asn: 4134,
        longitude: 113.26,
        latitude: 23.12,
        network: 'CHINANET-BACKBONE',
        tags: ['eyeball-network'],
        resolvers: ['private'],
      },
      result: {
        status: 'finished',
        resolvedAddress: '203.0.113.7',
        statusCode: 200,
        statusCodeName: 'OK',
        timings: { total: 213, download: 2, firstByte: 52, dns: 14, tls: 94, tcp: 51 },
        tls: { authorized: true, protocol: 'TLSv1.3' },
        rawOutput: 'HTTP/1.1 200 OK',
      },
    },
    {
      probe: { country: 'US', state: 'TX', city: 'Dallas', asn: 7018, network: 'AT&T Enterprises, LLC', tags: [] },
      result: {
        status: 'failed',
        rawOutput: 'connect ECONNREFUSED 203.0.113.7:443\nmore',
        statusCode: null,
        timings: { total: null, download: null, firstByte: null, dns: 9, tls: null, tcp: null },
      },
    },
    {
      probe: { country: 'DE', state: null, city: 'Falkenstein', asn: 24_940, network: 'Hetzner Online', tags: [] },
      result: { status: 'finished', statusCode: 503, timings: { total: 40, dns: 1, tcp: 5, tls: 10, firstByte: 20 } },
    },
    {
      probe: { country: 'HK', state: null, city: 'Hong Kong', asn: 9304, network: 'HGC Global', tags: [] },
      result: { status: 'offline', rawOutput: 'This probe is currently offline.' },
    },
  ],
};

describe('JSON of Globalping', () => {
  it('is read with its places, phases and failures', () => {
    const { measurements, left } = readAs(JSON.stringify(GLOBALPING), { format: 'globalping' });
    expect(measurements).toEqual([
      {
        ...{ at: '2026-11-01T09:06:32.131Z', country: 'CN', region: 'CN-GD', city: 'Guangzhou', carrier: 'telecom' },
        ...{ asn: 4134, access: 'lastmile', ok: true, dnsMs: 14, connectMs: 51, tlsMs: 94, firstByteMs: 52 },
        ...{ downloadMs: 2, totalMs: 213, httpStatus: 200 },
      },
      expect.objectContaining({
        ...{ country: 'US', region: 'US-TX', carrier: 'at-t-enterprises-llc', ok: false, dnsMs: 9, connectMs: null },
        reason: 'connect ECONNREFUSED 203.0.113.7:443',
      }),
      expect.objectContaining({
        region: 'DE-ZZZ',
        carrier: 'hetzner-online',
        ok: false,
        httpStatus: 503,
        reason: null,
      }),
    ]);
    expect(left).toEqual([
      {
        place: '2AdoNr7mDbNTHwpo1000bsmU8 results.3',
        reason: 'its probe went offline, which says nothing of the target',
      },
    ]);
    expect(readAs(JSON.stringify([GLOBALPING, GLOBALPING]), { format: 'globalping' }).measurements).toHaveLength(6);
  });

  it('is refused where it is no measurement, or a ping', () => {
    const read = (json: unknown) => () => readAs(JSON.stringify(json), { format: 'globalping' });
    expect(read({ ...GLOBALPING, type: 'ping' })).toThrow(
      'The measurement 2AdoNr7mDbNTHwpo1000bsmU8 is of the type ping: only those of the type http have phases of a request.',
    );
    expect(read({ error: { type: 'not_found' } })).toThrow('What the file holds is no measurement of Globalping: id');
    expect(() => readAs('{', { format: 'globalping' })).toThrow('The file is no JSON');
  });
});

/** The row of the example in the reference of DescribeSiteMonitorLog, of a task that failed. */
const DOCUMENTED = {
  ...{ redirectCount: 0.0, SSLConnectTime: 0.0, pingDetail: '', HTTPConnectTime: 0.0, isp: '465', errorCode: 611 },
  ...{ ispCN: '阿里巴巴', resolution: '', areaEN: 'HuaBei', taskEndTimestamp: 1638422475687, targetIspEN: '' },
  ...{
    TotalTime: 1.0,
    taskStartTimestamp: 1638422474389,
    countryCN: '中国',
    provinceEN: 'Beijing',
    countryEN: 'China',
  },
  ...{ targetCityEN: '', curlConnectTime: 0.0, ips: '', route: '', tcpConnectTime: 0.0, cityEN: 'Beijing' },
  ...{
    HTTPDownloadSpeed: 0.0,
    HTTPDownloadTime: 0.0,
    HTTPResponseCode: 0.0,
    areaCN: '华北',
    city: '546',
    expection: '',
  },
  ...{ suorceIp: '192.168.XX.XX ', ispEN: 'Alibaba', HTTPDNSTime: 1.0, targetIsp: '', curlStarttransferTime: 0.0 },
  ...{ provinceCN: '北京市', timestamp: 1638422474000, redirectTime: 0.0, targetCity: '', expect: '' },
  ...{
    HTTPDownloadSize: 0.0,
    localDns: '192.168.XX.XX',
    cityCN: '北京市',
    taskId: 'afa5c3ce-f944-4363-9edb-ce919a29****',
  },
};
const SUCCEEDED = {
  ...DOCUMENTED,
  ...{ errorCode: 200, isp: '132', ispCN: '电信', ispEN: 'China Telecom', provinceCN: '广东省', cityCN: '广州市' },
  ...{ HTTPResponseCode: 200.0, HTTPDNSTime: 12.0, HTTPConnectTime: 21.0, SSLConnectTime: 43.0, HTTPDownloadTime: 2.0 },
  ...{ TotalTime: 102.0 },
};
const answer = (...rows: object[]) =>
  JSON.stringify({ Code: '200', Message: 'successful', Success: 'true', Data: JSON.stringify(rows) });

describe('JSON of DescribeSiteMonitorLog', () => {
  it('is read by the names of its rows; 0 is what did not happen', () => {
    const { isp, city, timestamp, HTTPResponseCode } = SUCCEEDED;
    const codes = { isp, city, timestamp, HTTPResponseCode };
    const { measurements, left } = readAs(answer(DOCUMENTED, SUCCEEDED, codes, { isp: '5' }), { format: 'alibaba' });
    expect(measurements).toEqual([
      {
        ...{ at: '2021-12-02T05:21:14.000Z', country: 'CN', region: 'CN-BJ', carrier: 'alibaba', city: '北京市' },
        ...{ ok: false, dnsMs: 1, connectMs: null, tlsMs: null, downloadMs: null, totalMs: 1, httpStatus: null },
        reason: 'CloudMonitor error 611',
      },
      expect.objectContaining({
        ...{ region: 'CN-GD', carrier: 'telecom', city: '广州市', ok: true, dnsMs: 12, connectMs: 21, tlsMs: 43 },
        ...{ downloadMs: 2, totalMs: 102, httpStatus: 200 },
      }),
    ]);
    expect(left).toEqual([
      {
        place: 'Data.2',
        reason: 'isp 132 and city 546 are codes without names: ask for rows with ispCN and cityCN',
      },
      { place: 'Data.3', reason: expect.stringContaining('timestamp') },
    ]);
  });

  it('is refused where it has no rows', () => {
    expect(() => readAs('{"Code":"403"}', { format: 'alibaba' })).toThrow('no answer of DescribeSiteMonitorLog');
    expect(() => readAs('{"Data":"<html>"}', { format: 'alibaba' })).toThrow('Data of the file is no JSON list');
    expect(() => readAs('{"Data":"[]"}', { format: 'alibaba', map: 'at=x' })).toThrow('--map is for CSV alone');
  });
});
