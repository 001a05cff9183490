import { Command } from 'commander';
import { describe, expect, it } from 'vitest';
import { instantOf } from '#cli/import/instant.ts';
import { carrierOf, countryOf, regionOf, regionOfCity } from '#cli/import/places.ts';
import { importCommand, readAs as readFileAs, summaryOf } from '#cli/import.ts';
import { MAINLAND_REGIONS } from '#contract/location.ts';

const readAs = (text: string, as: Parameters<typeof readFileAs>[1]) => readFileAs(Buffer.from(text), as);
/** +08:00 in minutes. */
const SHANGHAI = 480;

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

describe('a CSV of another monitor', () => {
  const MAP = 'at=时间,region=省份,carrier=运营商,tlsMs=ssl:s,connectMs=tcp_us:us,totalMs=total,httpStatus=code';
  const CSV = [
    '\uFEFF时间,省份,运营商,ssl,tcp_us,total,code,"note, of all"',
    '2026-11-01 08:00:00,广东,电信,0.0415,20100,130,200,"he said ""fine"",\r\ntwice"',
    '2026-11-01T00:01:00Z,浙江省,中国移动,-,,,503,',
    '1793500000,CN-BJ,联通,0.05,21000,140,200,',
    'yesterday,广东,电信,0.04,20000,130,200,',
    '2026-11-01 08:05:00,亚特兰,电信,0.04,20000,130,200,',
    '2026-11-01 08:06:00,广东,-,0.04,20000,130,200,',
    '2026-11-01 08:07:00,广东,电信,fast,20000,130,200,',
    '2026-11-01 08:08:00,广东,电信',
    '',
  ].join('\n');

  it('is read by the columns of its fields, units and names; what cannot be read is listed by its line', () => {
    const { measurements, left } = readAs(CSV, { format: 'csv', map: MAP, offset: SHANGHAI });
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
      { place: 'line 6', reason: 'at “yesterday” is no time' },
      { place: 'line 7', reason: 'region “亚特兰” is not known' },
      { place: 'line 8', reason: 'has no carrier' },
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

/** Rows of a CSV with these columns beside at, region and carrier, each row the cells of these alone. */
function rows(columns: string, ...cells: string[]) {
  const lines = cells.map((cell, index) => `2026-11-01T00:0${index}:00Z,CN-GD,telecom,${cell}`);
  return readAs([`at,region,carrier,${columns}`, ...lines, ''].join('\n'), { format: 'csv' });
}

describe('quotes of a CSV', () => {
  it('that stand in a cell without quotes are letters, and take in no other row', () => {
    const { measurements, left } = rows('reason', '5" disk', 'timeout', 'reset', 'foo"', 'say "hi"');
    expect(measurements.map(({ reason }) => reason)).toEqual(['5" disk', 'timeout', 'reset', 'foo"', 'say "hi"']);
    expect(left).toEqual([]);
  });

  it('may have spaces around them, doubled quotes and line breaks in them', () => {
    const { measurements, left } = rows('reason,tlsMs', '"timed, out" ,1', ' "he said ""no"",\r\ntwice",2');
    expect(measurements.map(({ reason, tlsMs }) => [reason, tlsMs])).toEqual([
      ['timed, out', 1],
      ['he said "no",\r\ntwice', 2],
    ]);
    expect(left).toEqual([]);
  });

  it('that are not closed, or not doubled, are reported with their line alone', () => {
    const wrong = 'has a quote that is not closed, or that is not doubled inside a cell';
    const { measurements, left } = rows(
      'reason,tlsMs',
      '"first,1',
      'second,2',
      '"a "good" one",3',
      '"fourth,4',
      'fifth",5',
      '"sixth",6',
      '"last,7',
    );
    expect(measurements.map(({ tlsMs }) => tlsMs)).toEqual([2, 5, 6]);
    expect(left).toEqual([2, 4, 5, 8].map((line) => ({ place: `line ${line}`, reason: wrong })));
    expect(() => readAs('at,region,"carrier\nx,y,z\n', { format: 'csv' })).toThrow(
      'The header of the file, on line 1,',
    );
  });
});

describe('a CSV of a spreadsheet', () => {
  const HEADER = ['at', 'region', 'carrier', 'tlsMs'];
  const ROW = ['2026/1/5 8:05', '广东', '电信', '41'];
  const AT = '2026-01-05T00:05:00.000Z';
  const as = { format: 'csv', offset: SHANGHAI } as const;

  it.each([
    ['commas', `${HEADER}\n${ROW}`],
    ['semicolons, with commas of decimals', `${HEADER.join(';')}\r\n${[...ROW.slice(0, 3), '41,0'].join(';')}\r\n`],
    ['tabs', `${HEADER.join('\t')}\n${ROW.join('\t')}\n`],
    ['what its first line says', `sep=|\r\n${HEADER.join('|')}\r\n${ROW.join('|')}\r\n`],
    ['commas, said by its first line', `\uFEFFsep=,\n${HEADER}\n${ROW}\n`],
  ])('is parted by %s', (_, csv) => {
    const { measurements, left, notes } = readAs(csv, as);
    expect({ left, notes }).toEqual({ left: [], notes: [] });
    expect(measurements).toEqual([expect.objectContaining({ at: AT, region: 'CN-GD', tlsMs: 41 })]);
  });

  it('counts lines with the first one that names the delimiter', () => {
    expect(readAs(`sep=;\n${HEADER.join(';')}\n\nx;y\n`, as).left).toEqual([
      { place: 'line 4', reason: 'has 2 cells, not 4' },
    ]);
  });

  it('is GB18030 or UTF-16 where it is not UTF-8, and says so', () => {
    // 广东 and 电信 as Excel saves them on a Chinese Windows.
    const gb = Buffer.from([0xb9, 0xe3, 0xb6, 0xab, 0x2c, 0xb5, 0xe7, 0xd0, 0xc5]);
    const csv = Buffer.concat([Buffer.from(`${HEADER}\n2026/1/5 8:05,`), gb, Buffer.from(',41\n')]);
    const read = readFileAs(csv, as);
    expect(read.notes).toEqual(['The file is not UTF-8: it was read as GB18030.']);
    expect(read.measurements).toEqual([expect.objectContaining({ at: AT, region: 'CN-GD', carrier: 'telecom' })]);
    const utf16 = Buffer.from(`\uFEFF${HEADER.join('\t')}\r\n${ROW.join('\t')}\r\n`, 'utf16le');
    const other = readFileAs(utf16, as);
    expect(other.notes).toEqual(['The file is not UTF-8: it was read as UTF-16.']);
    expect(other.measurements).toEqual(read.measurements);
    expect(() => readFileAs(Buffer.from([0x61, 0xff, 0xff]), as)).toThrow('neither UTF-8 nor GB18030');
  });
});

describe('times of a CSV', () => {
  it.each([
    ['2026/11/28 8:05', '2026-11-28T00:05:00.000Z'],
    ['2026/1/5 08:05', '2026-01-05T00:05:00.000Z'],
    ['2026-11-28 08:05:06,789', '2026-11-28T00:05:06.789Z'],
    ['2026-11-28T08:05:06.1234567+0000', '2026-11-28T08:05:06.123Z'],
    ['2024-02-29 23:59:59', '2024-02-29T15:59:59.000Z'],
    ['2026-11-28T08:05:00-05:30', '2026-11-28T13:35:00.000Z'],
    ['1793500000', '2026-11-01T02:26:40.000Z'],
    ['1793500000123', '2026-11-01T02:26:40.123Z'],
  ])('%s is %s', (cell, at) => {
    expect((instantOf(cell, SHANGHAI) as Date).toISOString()).toBe(at);
  });

  it.each([
    ['2026-02-30 08:00', 'is no time of the calendar'],
    ['2026-13-01 08:00', 'is no time of the calendar'],
    ['2026-11-28 24:00', 'is no time of the calendar'],
    ['2026-11-28 08:60', 'is no time of the calendar'],
    ['2026-11-28 08:00:60', 'is no time of the calendar'],
    ['2026-11-28 08:00+99:99', 'has no known time zone: +99:99'],
    ['2026-11-28 08:00+23:00', 'has no known time zone: +23:00'],
    ['28/11/2026 08:00', 'is no time'],
    ['', 'is no time'],
  ])('%s %s', (cell, wrong) => {
    expect(instantOf(cell, SHANGHAI)).toBe(wrong);
    expect(instantOf(cell, null)).toBe(wrong);
  });

  it('--offset is spoken of where one is missing', () => {
    expect(instantOf('2026-11-28 08:00', null)).toBe('has no time zone: give --offset, such as +08:00');
  });

  it.each(['+99:99', '+14:01', '-12:30', '08:00', '+8', 'CST'])('%s is refused as the offset', (offset) => {
    const command = new Command().exitOverride().configureOutput({ writeErr: () => {} });
    importCommand(command);
    const typed = ['import', import.meta.filename, '--target', 'x', '--format', 'csv', '--offset', offset];
    expect(() => command.parse(typed, { from: 'user' })).toThrow(
      'It must be one from -12:00 to +14:00, such as +08:00.',
    );
  });
});

describe('what a row of a CSV says of its success', () => {
  it('is a reason, but for one that says that all is well', () => {
    const { measurements } = rows('reason', 'OK', 'ok', '成功', '0', '200', '', '-', 'timeout', '超时');
    expect(measurements.map(({ ok, reason = null }) => [ok, reason])).toEqual([
      ...Array.from({ length: 7 }, () => [true, null]),
      [false, 'timeout'],
      [false, '超时'],
    ]);
    expect(rows('reason,httpStatus', 'OK,503').measurements).toMatchObject([{ ok: false, reason: null }]);
  });

  it('is Y or N', () => {
    const { measurements, left } = rows('ok', 'Y', 'n', 'perhaps');
    expect(measurements.map(({ ok }) => ok)).toEqual([true, false]);
    expect(left).toEqual([{ place: 'line 4', reason: 'ok “perhaps” is neither yes nor no' }]);
  });

  it('has the beginning of a long reason, without half a letter', () => {
    const { measurements, left } = rows('reason', 'x'.repeat(1_001), `${'x'.repeat(999)}😀`);
    expect(measurements.map(({ reason }) => reason?.length)).toEqual([1_000, 999]);
    expect(left).toEqual([]);
  });
});

it('numbers of a CSV are decimal', () => {
  const { measurements, left } = rows(
    'tlsMs,httpStatus,asn',
    '1e1,200,AS4134',
    '0x10,200,',
    '-1,200,',
    '1,0xC8,',
    '.5,0,',
  );
  expect(measurements).toEqual([
    expect.objectContaining({ tlsMs: 10, asn: 4134 }),
    expect.objectContaining({ tlsMs: 0.5, httpStatus: null }),
  ]);
  expect(left.map(({ reason }) => reason)).toEqual([
    'tlsMs “0x10” is no duration',
    'tlsMs “-1” is no duration',
    'httpStatus “0xC8” is no number',
  ]);
});

it('two columns of one name, and a field that is named twice, are an error', () => {
  expect(() => rows('tlsMs,tlsMs', '1,2')).toThrow('The header of the file has “tlsMs” twice.');
  expect(rows('note,note', 'a,b').measurements).toHaveLength(1);
  expect(() => readAs('', { format: 'csv', map: 'at=a,at=b' })).toThrow('--map names at twice.');
});

it('places of a CSV are a city of China, or of another country also a region that has no code', () => {
  const csv = [
    'at,country,region,city,carrier',
    '2026-11-01T00:00:00Z,,,深圳市,鹏博士',
    '2026-11-01T00:00:00Z,,广州,,某某网络',
    '2026-11-01T00:00:00Z,美国,Texas,Dallas,AT&T',
    '2026-11-01T00:00:00Z,us,us-tx,Dallas,AT&T',
    '2026-11-01T00:00:00Z,CN,Atlantis,,电信',
  ].join('\n');
  const { measurements, left } = readAs(csv, { format: 'csv' });
  expect(measurements.map(({ region, carrier }) => [region, carrier])).toEqual([
    ['CN-GD', 'drpeng'],
    ['CN-GD', 'other'],
    ['US-ZZZ', 'at-t'],
    ['US-TX', 'at-t'],
  ]);
  expect(left).toEqual([{ place: 'line 6', reason: 'region “Atlantis” is not known' }]);
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
