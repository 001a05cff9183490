import { describe, expect, it } from 'vitest';
import { AlertRuleCreate } from '#contract/alert-rule.ts';
import { MatrixQuery, SeriesQuery } from '#contract/query.ts';
import { METRIC_TABLE, METRICS, WATCHED_METRICS } from '#contract/vocabulary.ts';
import en from '../../i18n/en.json' with { type: 'json' };
import zhCN from '../../i18n/zh-CN.json' with { type: 'json' };
import { words } from '../support/words.ts';

const target = '0197a000-0000-7000-8000-000000000000';
const threshold = { kind: 'threshold', name: 'slow', params: { stat: 'p95', above: 500 } };
const detector = { kind: 'detector', name: 'found' };

describe.each(Object.entries(METRIC_TABLE))('the metric %s', (metric, row) => {
  it.runIf(row.charts)('has a name and a definition in every language', () => {
    const texts: Record<string, unknown>[] = [en.metric, en.metricDef, zhCN.metric, zhCN.metricDef];
    expect(texts.map((names) => typeof names[metric])).toEqual(texts.map(() => 'string'));
  });

  it('is taken by series and matrices, thresholds and detector rules as its row says, and by nothing else', () => {
    expect({
      series: SeriesQuery.safeParse({ target, metric }).success,
      matrix: MatrixQuery.safeParse({ target, metric }).success,
      threshold: AlertRuleCreate.safeParse({ ...threshold, metric }).success,
      detector: AlertRuleCreate.safeParse({ ...detector, metric }).success,
    }).toEqual({ series: row.charts, matrix: row.charts, threshold: row.rules, detector: row.detection !== null });
  });
});

describe('the lists made from the table', () => {
  it('have a number each in rollups, which stays what it is', () => {
    const numbers = METRICS.map((metric) => METRIC_TABLE[metric].rollup);
    expect(numbers.slice(0, 8)).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
    expect(new Set(numbers).size).toBe(numbers.length);
  });

  it('have the order that answers, forms and rollups have had', () => {
    expect(METRICS.slice(0, 8)).toEqual(words('dns tcp tls firstByte download total roundTrips firstBody'));
    expect(WATCHED_METRICS).toEqual(['tls', 'tcp', 'firstByte', 'failures', 'refused']);
  });
});
