import { describe, expect, it } from 'vitest';
import { carrierOf, countryOf, regionOf, regionOfCity } from '#cli/import/places.ts';
import { readAs as readFileAs } from '#cli/import.ts';
import { MAINLAND_REGIONS } from '#contract/location.ts';

const readAs = (text: string, as: Parameters<typeof readFileAs>[1]) => readFileAs(Buffer.from(text), as);
/** +08:00 in minutes. */
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
    ['cn-gd', 'CN-GD'],
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
    ['广东电信', 'telecom'],
    ['深圳市移动', 'mobile'],
    ['中华电信', 'other'],
    ['香港电信', 'other'],
    ['中国教育网', 'cernet'],
    ['广电', 'broadnet'],
    ['阿里巴巴', 'alibaba'],
    ['阿里云', 'alibaba'],
    ['腾讯云', 'tencent'],
    ['华为云', 'huawei'],
    ['鹏博士', 'drpeng'],
    ['长城宽带', 'gwbn'],
    ['多线BGP', 'bgp'],
    ['BGP', 'bgp'],
    ['某某网络', 'other'],
    ['', null],
  ])('the carrier %s is %s', (name, carrier) => {
    expect(carrierOf(name)).toBe(carrier);
  });

  it('countries have names in both languages, and cities of China a province', () => {
    expect(['中国', 'China', 'Germany', '日本', 'DE', 'cn', 'Atlantis'].map(countryOf)).toEqual([
      ...['CN', 'CN', 'DE', 'JP', 'DE', 'CN', null],
    ]);
  });

  it.each([
    ['Guangzhou', 'CN-GD'],
    ["Xi'an", 'CN-SN'],
    ['Shanghai', 'CN-SH'],
    ['广州', 'CN-GD'],
    ['深圳市', 'CN-GD'],
    ['成都', 'CN-SC'],
    ['苏州', 'CN-JS'],
    ['宿州', 'CN-AH'],
    ['呼和浩特', 'CN-NM'],
    ['北京', 'CN-BJ'],
    ['北京市朝阳区', 'CN-BJ'],
    ['广东省广州市', 'CN-GD'],
    ['广西壮族自治区南宁市', 'CN-GX'],
    // A prefecture of Qinghai.
    ['海南藏族自治州', null],
    ['Springfield', null],
    // No region of Laos.
    ['La-Paz', null],
  ])('the city %s is in %s', (city, region) => {
    expect(regionOfCity(city)).toBe(region);
  });

  it('every mainland region has its capital', () => {
    const capitals =
      '北京 天津 石家庄 太原 呼和浩特 沈阳 长春 哈尔滨 上海 南京 杭州 合肥 福州 南昌 济南 郑州 武汉 长沙 广州 南宁 海口 重庆 成都 贵阳 昆明 拉萨 西安 兰州 西宁 银川 乌鲁木齐';
    expect(capitals.split(' ').map(regionOfCity)).toEqual(MAINLAND_REGIONS);
  });
});

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
    const { measurements, left, hosts } = readAs(JSON.stringify(GLOBALPING), { format: 'globalping' });
    expect([...hosts]).toEqual(['shop.example.org']);
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
