import Link from 'next/link';
import type { ReactNode } from 'react';
import type { Incident } from '#contract/incident.ts';
import { failureSentence, kindText } from '#i18n/incident.ts';
import { sinceText } from '#i18n/time.ts';
import type { Ui } from '#i18n/ui.ts';
import { slowerText } from '#i18n/usual.ts';
import { SEVERITY_TONES, StatusBadge } from '../incident/incident-badges.tsx';
import { described, impactText } from '../incident/incident-text.ts';
import { costText } from '../incident/life-text.ts';
import { Badge } from '../ui/badge.tsx';
import { Sparkline } from '../ui/sparkline.tsx';
import { describedTogether, type Problem, problemsOf } from './problems.ts';
import { failuresOfTarget, isOfFailures, type RankedTarget } from './rank.ts';

/** So many lines are shown; the others are one click away. */
const LINES = 6;

type Props = {
  ui: Ui;
  /** Those that go on. */
  incidents: readonly Incident[];
  targets: readonly RankedTarget[];
  /** Acknowledges the incidents named by the form's fields `id`; null where the reader may not. */
  acknowledge: ((form: FormData) => Promise<void>) | null;
  /** Milliseconds. */
  now: number;
};

/** All that is wrong, a sentence each: incidents to look at, the most urgent first, what no incident tells of a target, and what is known. */
export function ProblemList({ ui, incidents, targets, acknowledge, now }: Props) {
  const { t } = ui;
  const problems = problemsOf(ui, incidents, now);
  const days = new Map(targets.map(({ target }) => [target.id, target.days]));
  /** Of a problem of one target; of several each has its own. */
  const daysOf = ({ incidents: [first, ...others] }: Problem) => {
    const [id, ...more] = new Set(first.cells.map(({ targetId }) => targetId));
    return (others.length + more.length === 0 && id && days.get(id)) || [];
  };
  const linesOf = (look: boolean) =>
    problems
      .filter((problem) => problem.look === look)
      .map((problem) => (
        <ProblemLine
          key={problem.incidents[0].id}
          ui={ui}
          problem={problem}
          days={daysOf(problem)}
          acknowledge={acknowledge}
          now={now}
        />
      ));
  const lines = [
    ...linesOf(true),
    ...targets.flatMap((entry) =>
      otherProblems(ui, entry, now).map(({ key, text, tone }) => (
        <Edged key={`${entry.target.id} ${key}`} edge={tone === 'bad' ? 'bad' : 'warn'}>
          <span className="min-w-0">
            <Link href={`/targets/${entry.target.id}`} prefetch={false} className="link underline">
              {entry.target.name}
            </Link>
            {t('punctuation.colon')}
            <span className={tone === 'bad' ? 'text-bad' : tone === 'warn' ? 'text-warn' : 'text-muted'}>{text}</span>
          </span>
        </Edged>
      )),
    ),
    ...linesOf(false),
  ];
  if (lines.length === 0) return null;
  const [shown, rest] = [lines.slice(0, LINES), lines.slice(LINES)];
  return (
    <section aria-label={t('board.problems')} className="panel mb-3 overflow-hidden">
      <ul className="divide-y divide-line">{shown}</ul>
      {rest.length > 0 ? (
        <details className="border-line border-t">
          <summary className="link w-fit cursor-pointer px-4 py-1.5 text-[0.92rem]">
            {t('brief.more', { n: rest.length })}
          </summary>
          <ul className="divide-y divide-line border-line border-t">{rest}</ul>
        </details>
      ) : null}
    </section>
  );
}

const EDGES = { bad: 'border-l-bad', warn: 'border-l-warn', plain: 'border-l-line' };

function Edged({ edge, children }: { edge: keyof typeof EDGES; children: ReactNode }) {
  return (
    <li className={`flex min-h-9 flex-wrap items-center gap-x-3 gap-y-1 border-l-4 px-3 py-1 ${EDGES[edge]}`}>
      {children}
    </li>
  );
}

type Days = RankedTarget['target']['days'];
type LineProps = Pick<Props, 'ui' | 'acknowledge' | 'now'> & { problem: Problem; days: Days };

function ProblemLine({ ui, problem, days, acknowledge, now }: LineProps) {
  const { t } = ui;
  const [first, ...others] = problem.incidents;
  const open = problem.incidents.filter(({ status }) => status === 'open');
  const about = described(ui, describedTogether(problem), now).about;
  // Of several each has its own.
  const cost = others.length > 0 ? null : (costText(ui, first) ?? impactText(ui, first));
  const href = others.length > 0 ? `/incidents?kind=${first.kind}` : `/incidents/${first.id}`;
  return (
    <Edged edge={!problem.look ? 'plain' : first.severity === 'info' ? 'warn' : 'bad'}>
      <Badge tone={problem.look ? SEVERITY_TONES[first.severity] : 'plain'} title={t(`severity.${first.severity}`)}>
        {kindText(ui, first)}
      </Badge>
      <span className="min-w-0 max-sm:w-full sm:flex-1">
        <Link href={href} prefetch={false} className="link">
          {about}
        </Link>
        {cost === null ? null : <span className="text-[0.92rem] text-muted"> · {cost}</span>}
      </span>
      {problem.look ? null : <StatusBadge ui={ui} incident={first} />}
      {days.length === 0 ? null : (
        <span className="max-lg:hidden">
          <Sparkline ui={ui} points={days} said={(values) => t('board.daysSaid', values)} />
        </span>
      )}
      {acknowledge && open.length > 0 && first.state !== 'quiet' ? (
        <form action={acknowledge}>
          {open.map(({ id }) => (
            <input key={id} type="hidden" name="id" value={id} />
          ))}
          <button type="submit" className="link min-h-6 text-[0.92rem]" aria-label={t('board.acknowledge', { about })}>
            {t('incident.acknowledge')}
          </button>
        </form>
      ) : null}
    </Edged>
  );
}

/** The problems of targets that no incident of theirs shows, each with the name of its target. */
export const problemLines = (ui: Ui, targets: readonly RankedTarget[], now: number) =>
  targets.flatMap((entry) =>
    otherProblems(ui, entry, now).map(({ key, text }) => ({
      key: `${entry.target.id} ${key}`,
      text: `${entry.target.name}${ui.t('punctuation.colon')}${text}`,
    })),
  );

type OtherProblem = { key: string; text: string; tone: 'bad' | 'warn' | 'muted' };

/** At most so many kinds of failure are shown of a target; failures of probers from this share on. */
const KINDS = 2;
const SHOWN_SHARE = 0.01;

/** Problems of a target that none of its incidents shows, as sentences: why probes fail, a lack of results, that it is slower than usual. */
function otherProblems(ui: Ui, { target, incidents, trouble }: RankedTarget, now: number): OtherProblem[] {
  const { t } = ui;
  // One of several targets names no reason.
  const isTold = incidents.some((incident) => isOfFailures(incident) && incident.failure !== null);
  const failures = trouble.includes('failing') && !isTold ? failuresOfTarget(target).slice(0, KINDS) : [];
  const probers = target.failures.filter(({ source, share }) => source === 'prober' && share >= SHOWN_SHARE);
  const problems = [...failures, ...probers.slice(0, 1)].map(
    (failure): OtherProblem => ({
      key: `${failure.source} ${failure.phase} ${failure.reason}`,
      text: failureSentence(ui, failure, target.places, now),
      tone: failure.source === 'prober' ? 'muted' : 'bad',
    }),
  );
  if (target.staleSince !== null) {
    const time = sinceText(ui, target.staleSince, now);
    const key = target.lastResultAt === null ? 'failing.staleNew' : 'failing.stale';
    problems.unshift({ key: 'stale', text: t(key, { time }), tone: 'bad' });
  }
  const { p50, slowerSince: since, usual } = target;
  if (incidents.length === 0 && since !== null && p50 !== null && usual.tls !== undefined)
    problems.push({ key: 'slower', text: slowerText(ui, { since, value: p50, usual: usual.tls }, now), tone: 'warn' });
  return problems;
}
