import { describe, expect, it } from 'vitest';
import { MeasurementCreate } from '#contract/measurement.ts';
import { chooseVantages } from '#server/measurements/choose.ts';
import type { VantageLabels } from '#server/vantages/labels.ts';
import { mainlandVantages } from '../support/vantages.ts';

const all: VantageLabels[] = mainlandVantages().map((vantage) => ({
  ...vantage,
  demo: false,
  proberId: 'a prober',
  deleted: false,
  imported: false,
}));
const names = (chosen: VantageLabels[]) => chosen.map(({ region, carrier }) => `${region} ${carrier}`);
const refusal = (choose: () => unknown) => {
  try {
    choose();
  } catch (error) {
    return (error as { fields: { field: string }[] }).fields[0]?.field;
  }
  return null;
};

describe('the vantages of a measurement', () => {
  it('are all that have a prober, unless it selects some', () => {
    const [first, second, third, ...rest] = all as [VantageLabels, VantageLabels, VantageLabels, ...VantageLabels[]];
    const some = [{ ...first, deleted: true }, { ...second, proberId: null }, { ...third, demo: true }, ...rest];
    expect(chooseVantages({}, some, false)).toHaveLength(90);
    expect(names(chooseVantages({}, some, true))).toEqual([`${third.region} ${third.carrier}`]);
  });

  it('are those of ids and of locations together, each once, in order of region and carrier', () => {
    const beijing = all.filter(({ region }) => region === 'CN-BJ');
    const chosen = chooseVantages(
      {
        vantageIds: [beijing[0]?.id.toUpperCase() ?? '', beijing[1]?.id ?? ''],
        locations: [{ region: 'CN-GD', carrier: 'telecom' }, { region: 'CN-GD' }],
      },
      all,
      false,
    );
    expect(names(chosen)).toEqual(['CN-BJ telecom', 'CN-BJ unicom', 'CN-GD mobile', 'CN-GD telecom', 'CN-GD unicom']);
  });

  it('are spread evenly where there is a limit', () => {
    expect(names(chooseVantages({ locations: [{ limit: 3 }] }, all, false))).toEqual([
      'CN-AH mobile',
      'CN-HE telecom',
      'CN-QH unicom',
    ]);
    expect(new Set(chooseVantages({ locations: [{ limit: 31 }] }, all, false).map(({ region }) => region)).size).toBe(
      31,
    );
    expect(chooseVantages({ locations: [{ limit: 200 }] }, all, false)).toHaveLength(93);
  });

  it('are at most 200: of more a limit must be given', () => {
    const many = [...all, ...all, ...all].map((vantage, index) => ({ ...vantage, id: `${vantage.id}${index}` }));
    expect(refusal(() => chooseVantages({}, many, false))).toBe('locations');
    expect(chooseVantages({ locations: [{ limit: 200 }] }, many, false)).toHaveLength(200);
  });

  it('are refused by the schema where a request names more', () => {
    const url = 'https://a.example/';
    const ids = Array.from({ length: 201 }, (_, at) => `01970000-0000-7000-8000-${String(at).padStart(12, '0')}`);
    const refusals = [
      { vantageIds: ids },
      { locations: [{ limit: 201 }] },
      { locations: [{}] },
      { url: undefined },
      { targetId: ids[0] },
    ].map((selection) => MeasurementCreate.safeParse({ url, ...selection }));
    expect(refusals.map(({ error }) => error?.issues[0]?.path[0])).toEqual([
      'vantageIds',
      'locations',
      'locations',
      'url',
      'url',
    ]);
  });

  it('are named where they cannot be had', () => {
    expect(refusal(() => chooseVantages({ vantageIds: ['x'] }, all, false))).toBe('vantageIds.0');
    expect(refusal(() => chooseVantages({ locations: [{ country: 'CN' }, { region: 'US-OR' }] }, all, false))).toBe(
      'locations.1',
    );
    expect(refusal(() => chooseVantages({}, [], false))).toBe('vantageIds');
  });
});
