import { AdviceList, AdviceQuery } from '../advice.ts';
import { Distribution, DistributionQuery, Makeup, MakeupQuery } from '../distribution.ts';
import { FailuresQuery, TargetFailures } from '../failure.ts';
import { ById, type Operation } from '../operation.ts';
import { Matrix, MatrixQuery, Series, SeriesQuery } from '../query.ts';
import { Staples, StaplesQuery } from '../staples.ts';
import { TargetFigures, TargetFiguresQuery } from '../target-figures.ts';

export const getStaples = {
  id: 'getStaples',
  method: 'get',
  path: '/api/v1/targets/{id}/staples',
  tag: 'statistics',
  summary: 'OCSP stapling of a target by server address and certificate type',
  description:
    'Based on the clean main results of at most 7 days. Counted are full handshakes whose certificate names a responder or that carried a staple. A server may not staple on the first request after its start: a ratio says more than one result.',
  access: 'read',
  params: ById,
  query: StaplesQuery,
  success: { status: 200, description: 'Hit ratios', schema: Staples },
} as const satisfies Operation;

export const getFailures = {
  id: 'getFailures',
  method: 'get',
  path: '/api/v1/targets/{id}/failures',
  tag: 'statistics',
  summary: 'Failures of a target by phase, reason and source, with share, location and duration',
  description:
    'Based on the main results of a range, without imported ones. Shares are exact; the breakdown into kinds is based on the latest 20,000 failures.',
  access: 'read',
  params: ById,
  query: FailuresQuery,
  success: { status: 200, description: 'Failures by kind', schema: TargetFailures },
} as const satisfies Operation;

export const getAdvice = {
  id: 'getAdvice',
  method: 'get',
  path: '/api/v1/targets/{id}/advice',
  tag: 'statistics',
  summary: 'What to change at a target, on what evidence, worth what',
  description:
    'Based on a sample of the results of at most 31 days, some of each vantage. Round trips are worth the round-trip time of each vantage; `savesMs` is the mean over all vantages by their weights. Empty for a healthy server.',
  access: 'read',
  params: ById,
  query: AdviceQuery,
  success: { status: 200, description: 'Advice, the largest gain first', schema: AdviceList },
} as const satisfies Operation;

export const getTargetFigures = {
  id: 'getTargetFigures',
  method: 'get',
  path: '/api/v1/targets/summary',
  tag: 'statistics',
  summary: 'One statistic of one metric of each target',
  description:
    'Oldest target first. Over the main results of one range, and with `groupBy` of each region or carrier as well: the margins of `/api/v1/matrix`. Pages after the first are of the same range where `from` and `to` are given.',
  access: 'read',
  query: TargetFiguresQuery,
  success: { status: 200, description: 'A page of figures', schema: TargetFigures },
} as const satisfies Operation;

export const getSeries = {
  id: 'getSeries',
  method: 'get',
  path: '/api/v1/series',
  tag: 'statistics',
  summary: 'A statistic of one metric over time',
  description:
    'A point is `[instant, value, n]`; a bucket without data has value null and n 0. Percentiles come from merged histograms, never from averaged percentiles.',
  access: 'read',
  query: SeriesQuery,
  success: { status: 200, description: 'One series per group', schema: Series },
  problems: [404],
} as const satisfies Operation;

export const getMatrix = {
  id: 'getMatrix',
  method: 'get',
  path: '/api/v1/matrix',
  tag: 'statistics',
  summary: 'A statistic of one metric by region and carrier',
  description:
    'Rows are regions, columns carriers, with margins per region, per carrier and overall. A cell without data has value null and n 0.',
  access: 'read',
  query: MatrixQuery,
  success: { status: 200, description: 'Cells and margins', schema: Matrix },
  problems: [404],
} as const satisfies Operation;

export const getDistribution = {
  id: 'getDistribution',
  method: 'get',
  path: '/api/v1/distribution',
  tag: 'statistics',
  summary: 'How the values of one metric are distributed, beside those of the window before',
  description:
    'At most 48 bins, the same for both windows, from the lower of both 1st to the higher of both 99th percentiles; the first and the last hold what lies beyond.',
  access: 'read',
  query: DistributionQuery,
  success: { status: 200, description: 'Shares by bin', schema: Distribution },
  problems: [404],
} as const satisfies Operation;

export const getMakeup = {
  id: 'getMakeup',
  method: 'get',
  path: '/api/v1/makeup',
  tag: 'statistics',
  summary: 'What connections are made of over time: shares of the values of one property',
  description:
    'Of successful handshakes, of resumption those that offered a session. Counted from a sample of results: at most 49 points, of each the last whole rounds of its step.',
  access: 'read',
  query: MakeupQuery,
  success: { status: 200, description: 'One line a value', schema: Makeup },
  problems: [404],
} as const satisfies Operation;
