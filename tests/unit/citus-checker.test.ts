import { describe, expect, it } from 'vitest';
import { readText, refusals, type Tables } from '../support/citus/checker.ts';

const table = (distributed: boolean, ...columns: string[]) => ({ distributed, columns: new Set(columns) });
const TABLES: Tables = new Map([
  ['result', table(true, 'target_id', 'started_at', 'id', 'ok', 'certificate_id')],
  ['result_evidence', table(true, 'target_id', 'started_at', 'id', 'evidence')],
  ['rollup_dirty', table(true, 'target_id', 'step', 'bucket', 'id')],
  ['target', table(false, 'id', 'deleted_at')],
  ['dictionary', table(false, 'id', 'hash', 'value')],
]);
const CATALOG = { tables: TABLES, mutable: new Set(['concat_ws/*', 'now/0', 'to_char/2', 'random/0']) };
const refused = (text: string) => refusals(text, CATALOG);

const UNION = 'a side of UNION without a distributed table in a lateral subquery';

describe('the checker of statements for Citus refuses', () => {
  it('a correlated subquery beside a set-returning function', () => {
    const text = `select key.n from unnest($1::uuid[], $2::timestamptz[]) with ordinality as key (target_id, started_at, n)
      where exists (select from result where result.target_id = key.target_id and result.started_at = key.started_at)`;
    expect(refused(text)).toEqual(['a subquery of result is correlated with key']);
  });

  it('the same where the rows are inserted', () => {
    const text = `insert into rollup_dirty (target_id, step, bucket)
      select target_id, $2, $3 from (select distinct target_id from unnest($1::uuid[]) as new (target_id)) as around
      where not exists (select from rollup_dirty known where known.target_id = around.target_id and known.step = $2)`;
    expect(refused(text)).toEqual(['a subquery of known is correlated with around']);
  });

  it.each([
    ['order by started_at desc limit 5', '*', 'LIMIT'],
    ['offset 0', '*', 'OFFSET'],
    ['', 'count(*)', 'an aggregate without GROUP BY'],
    ['group by ok', 'ok', 'GROUP BY without target_id'],
    ['', 'distinct ok', 'DISTINCT without target_id'],
    ['', 'row_number() over (order by started_at) as n', 'a window without PARTITION BY target_id'],
  ])('a lateral subquery of each row of a function with «%s»', (end, list, reason) => {
    const text = `select r.* from unnest($1::uuid[]) as t (id)
      cross join lateral (select ${list} from result where target_id = t.id ${end}) r`;
    expect(refused(text)).toEqual([`${reason} in a lateral subquery that hangs on t`]);
  });

  it('a lateral subquery of each row of a table that is everywhere, also one level down', () => {
    const text = `select r.* from target t cross join lateral (
      select * from (select * from result where target_id = t.id limit 1) newest) r where t.deleted_at is null`;
    expect(refused(text)).toEqual(['LIMIT in a lateral subquery that hangs on t']);
  });

  it('an outer join that would copy a whole table', () => {
    const text = `select page.*, evidence from (select * from result where target_id = any($1) order by id limit 10) page
      left join result_evidence e on e.target_id = page.target_id and e.id = page.id`;
    expect(refused(text)).toEqual(['an outer join keeps page, so all of e is copied']);
  });

  it('tables that are not joined by target', () => {
    const text = 'select from result r join result_evidence e on e.id = r.id';
    expect(refused(text)).toEqual(['r, e are not joined by target_id']);
  });

  it.each([
    ["(values ('key', concat_ws(' ', r.ok, r.id))) f", 'concat_ws, which is not immutable, in VALUES'],
    [
      "(values ('a', 'b'), ('at', current_date - r.started_at)) f",
      'the clock or the session, which is not immutable, in VALUES',
    ],
    ["(select to_char(r.started_at, 'DD')) f", 'to_char, which is not immutable, in a subquery without FROM'],
    ['(select each.at from unnest(array[r.started_at, now()]) each (at)) f', 'now, which is not immutable, in FROM'],
    ['(select null as code union all select e ->> 1 from jsonb_array_elements(r.certificate_id) e) f', UNION],
    ['(select r.id union all select each.id from result each where each.target_id = r.target_id) f', UNION],
    ['(select hash from dictionary d where d.id = r.certificate_id union select null) f', UNION],
    ['(select r.id except select r.id) f', 'EXCEPT or INTERSECT in a lateral subquery'],
  ])('of each result of many targets: lateral %s', (lateral, reason) => {
    const text = `select f.* from unnest($1::uuid[]) as t (id) join result r on r.target_id = t.id cross join lateral ${lateral}`;
    expect(refused(text)).toEqual([reason]);
    expect(refused(`${text} where r.target_id = $2`)).toEqual([]);
  });

  it.each([
    [
      'insert into rollup_dirty (step, bucket) values (1, now())',
      'a row of rollup_dirty is inserted without target_id',
    ],
    [
      'insert into rollup_dirty (target_id, step) values ($1, 1) on conflict (step) do nothing',
      'a conflict in rollup_dirty is looked for without target_id',
    ],
    ['update rollup_dirty set target_id = $1 where id = 1', 'target_id of rollup_dirty is changed'],
    ['select from rollup_dirty where step = 1 for update skip locked', 'rows of more than one target are locked'],
    [
      'with gone as (select from result r where exists (select from result_evidence e where e.id = r.id)) select from gone',
      'r, e are not joined by target_id',
    ],
  ])('%s', (text, reason) => {
    expect(refused(text)).toEqual([reason]);
  });
});

describe('the checker of statements for Citus takes', () => {
  it.each([
    [
      'what asks for one target',
      'select (select count(*) from result_evidence e where e.id = r.id and e.target_id = $1) from result r where r.target_id = $1 limit 1',
    ],
    [
      'one target that another table names',
      'select e.evidence from result r left join result_evidence e on e.target_id = r.target_id and e.id = r.id where r.target_id = $1 limit 1',
    ],
    [
      'a lateral subquery whose order keeps it one',
      'select r.* from unnest($1::uuid[]) as t (id) cross join lateral (select * from result where target_id = t.id order by target_id) r limit 3',
    ],
    [
      'the newest of each target, one level down',
      `select r.* from unnest($1::uuid[]) as t (id) cross join lateral (
        select * from (select * from result where target_id = t.id order by started_at desc limit 5) newest order by target_id) r`,
    ],
    [
      'groups of the newest of each target',
      `select r.* from unnest($1::uuid[]) as t (id) cross join lateral (
        select count(*) from (select * from result where target_id = t.id order by started_at limit 5) newest group by target_id) r`,
    ],
    [
      'groups and windows by target',
      `select r.* from target t cross join lateral (select target_id, ok, count(*) as n,
        sum(count(*)) over (partition by target_id) as total from result where target_id = t.id group by 1, 2) r`,
    ],
    [
      'a subquery of the same target',
      `select from rollup_dirty a where not exists (select from rollup_dirty b where b.target_id = a.target_id and b.step < a.step)`,
    ],
    [
      'a subquery that is not correlated',
      'insert into rollup_dirty (target_id, step) select id, 60 from unnest($1::uuid[]) as id where id not in (select target_id from rollup_dirty where step = 60)',
    ],
    [
      'whatever is everywhere',
      'select t.id, (select value from dictionary d where d.id = 1 limit 1) from target t for update',
    ],
    [
      'immutable functions of a row, and others that do not hang on one',
      `select f.* from result r cross join lateral (values (r.ok::text || 'a'), (encode(r.id, 'hex'))) f
        cross join lateral unnest(array[r.id]) each cross join unnest(array[now()]) as at cross join (select random()) drawn`,
    ],
    ['each part of a union by itself', 'select id from result union all select id from target'],
    ['several statements, and those that ask nothing', `begin; set local statement_timeout = 1`],
  ])('%s', (_, text) => {
    expect(refused(text)).toEqual([]);
  });
});

describe('the checker of statements for Citus says which shards are asked:', () => {
  it.each([
    ['none', 'select id from target for update'],
    ['one', 'select from result r join result_evidence e using (target_id) where r.target_id = $1'],
    [
      'one',
      'select r.* from unnest($1::uuid[]) as t (id) cross join lateral (select * from result where target_id = t.id and target_id = $2 limit 1) r',
    ],
    ['one', 'select from result where target_id = $1 union all select from result_evidence where target_id = $1'],
    ['all', 'select from result where target_id = any($1)'],
    ['all', 'select r.* from target t join result r on r.target_id = t.id where t.id = any($1)'],
    ['all', 'select from result where target_id = $1 union all select from result_evidence where ok'],
    ['all', 'select from result where target_id = $1; select from result'],
  ] as const)('%s by «%s»', (shards, text) => {
    expect(readText(text, CATALOG).shards).toBe(shards);
  });
});
