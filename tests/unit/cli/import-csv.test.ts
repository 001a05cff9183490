import { Command } from 'commander';
import { describe, expect, it } from 'vitest';
import { instantOf } from '#cli/import/instant.ts';
import { importCommand, readAs as readFileAs, summaryOf } from '#cli/import.ts';

const readAs = (text: string, as: Parameters<typeof readFileAs>[1]) => readFileAs(Buffer.from(text), as);

const SHANGHAI = 480;

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
    const csv = 'at,region,carrier\n2026-11-28T08:00Z,CN-GD,telecom\n2026-11-28 08:01,CN-GD,telecom\n';
    expect(() => readAs(csv, { format: 'csv' })).toThrow(
      'line 3: at “2026-11-28 08:01” has no time zone: give --offset',
    );
    expect(readAs(csv, { format: 'csv', offset: SHANGHAI }).measurements).toHaveLength(2);
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
