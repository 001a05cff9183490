import { type ComparisonFigures, MILESTONES, type MilestoneEffect } from '#contract/comparison.ts';
import { signed } from '#i18n/comparison.ts';
import { carrierName, regionName } from '#i18n/names.ts';
import { formatQuantity } from '#i18n/numbers.ts';
import type { Ui } from '#i18n/ui.ts';
import { type Column, Table } from '../ui/table.tsx';
import { DirectionBadge, DirectionSign, levelColumns, Part, Shift, shiftColumn } from './figures.tsx';

type Props = { ui: Ui; figures: ComparisonFigures };

/** What the change is worth until each milestone: shift, the network's part, round trips, server work. */
export function MilestoneEffects({ ui, figures }: Props) {
  const { t } = ui;
  return (
    <Part id="milestones" title={t('comparison.milestones')} note={t('comparison.milestonesNote')}>
      <MilestoneTable ui={ui} milestones={figures.milestones} label={t('comparison.milestones')} />
    </Part>
  );
}

type TableProps = { ui: Ui; milestones: ComparisonFigures['milestones']; label: string };

export function MilestoneTable({ ui, milestones, label }: TableProps) {
  const { t } = ui;
  const rows = MILESTONES.flatMap((milestone) => {
    const effect = milestones[milestone];
    return effect ? { milestone, ...effect } : [];
  });
  return (
    <Table
      label={label}
      rows={rows}
      rowKey={({ milestone }) => milestone}
      columns={[
        {
          key: 'milestone',
          head: t('comparison.milestoneName'),
          cell: ({ milestone }) => (
            <span title={t(`comparison.milestoneDef.${milestone}`)}>{t(`comparison.milestone.${milestone}`)}</span>
          ),
          rowHead: true,
        },
        ...levelColumns(ui),
        {
          key: 'network',
          head: `${t('comparison.network1')} (ms)`,
          cell: ({ network }) => (network ? <Shift ui={ui} interval={network} /> : t('common.noValue')),
          numeric: true,
          wideOnly: true,
        },
        {
          key: 'trips',
          head: t('comparison.roundTrips'),
          cell: ({ roundTrips, roundTripsBy, slope }) =>
            roundTrips ? (
              <span title={tripsNote(ui, roundTripsBy, slope)}>
                <Shift ui={ui} interval={roundTrips} digits={2} />
              </span>
            ) : (
              <Unknown ui={ui} why={t('comparison.noSlope')} />
            ),
          numeric: true,
        },
        {
          key: 'work',
          head: `${t('comparison.work')} (ms)`,
          cell: ({ workMs }) =>
            workMs ? <Shift ui={ui} interval={workMs} /> : <Unknown ui={ui} why={t('comparison.noSlope')} />,
          numeric: true,
        },
        {
          key: 'direction',
          head: t('comparison.status'),
          cell: ({ direction }) => <DirectionBadge ui={ui} direction={direction} />,
        },
      ]}
    />
  );
}

/** How round trips are known, and the slope beside those that were counted. */
function tripsNote(ui: Ui, by: MilestoneEffect['roundTripsBy'], slope: MilestoneEffect['slope']): string {
  const { t } = ui;
  if (by !== 'counted') return t('comparison.tripsBySlope');
  return slope ? t('comparison.tripsCountedSlope', { n: signed(ui, slope.value, 2) }) : t('comparison.tripsCounted');
}

/** The other handshakes of the check in the same windows: how many sessions were refused, and what each is worth. */
export function VariantEffects({ ui, figures }: Props) {
  const { t } = ui;
  const percent = (share: number) => formatQuantity(ui, share, 'ratio');
  return figures.variants.map(({ variant, pairs, refused, milestones }) => {
    const title = t('comparison.variant', { name: t(`variant.${variant}`) });
    return (
      <Part key={variant} id={`variant-${variant}`} title={title} note={t('comparison.variantPairs', { n: pairs })}>
        {refused ? (
          <p className="mb-2">
            {t('comparison.refusedSessions', { before: percent(refused.before), after: percent(refused.after) })}
          </p>
        ) : null}
        <MilestoneTable ui={ui} milestones={milestones} label={title} />
      </Part>
    );
  });
}

function Unknown({ ui, why }: { ui: Ui; why: string }) {
  return (
    <span title={why}>
      <span aria-hidden="true">{ui.t('common.noValue')}</span>
      <span className="sr-only">{why}</span>
    </span>
  );
}

type Region = ComparisonFigures['regions'][number];

/** The effect by region and carrier, each with its interval. */
export function CellEffects({ ui, figures }: Props) {
  const { t } = ui;
  const { cells, regions, milestone } = figures;
  const carriers = [...new Set(cells.map(({ carrier }) => carrier))];
  const inChina = regions.every(({ region }) => region.startsWith('CN-'));
  const title = t(inChina ? 'comparison.cells' : 'comparison.cellsRegions');
  const carrierColumn = (carrier: string): Column<Region> => ({
    key: carrier,
    head: carrierName(ui, carrier),
    cell: ({ region }) => {
      const cell = cells.find((each) => each.region === region && each.carrier === carrier);
      return cell ? <CellEffect ui={ui} effect={cell} /> : t('common.noValue');
    },
    numeric: true,
  });
  return (
    <Part
      id="cells"
      title={title}
      note={t('comparison.cellsNote', { milestone: t(`comparison.milestone.${milestone}`) })}
    >
      <Table
        label={title}
        density="compact"
        rows={regions}
        rowKey={({ region }) => region}
        columns={[
          { key: 'region', head: t('comparison.region'), cell: ({ region }) => regionName(ui, region), rowHead: true },
          ...(carriers.length > 1
            ? [
                {
                  key: 'all',
                  head: t('comparison.allCarriers'),
                  cell: (region: Region) => <CellEffect ui={ui} effect={region} />,
                  numeric: true,
                },
              ]
            : []),
          ...carriers.map(carrierColumn),
        ]}
      />
    </Part>
  );
}

function CellEffect({ ui, effect }: { ui: Ui; effect: Omit<Region, 'region'> }) {
  return (
    <span className="inline-flex items-baseline gap-1">
      <DirectionSign ui={ui} direction={effect.direction} />
      <Shift ui={ui} interval={effect.server ?? effect.shift} />
    </span>
  );
}

type UnmatchedVantage = ComparisonFigures['onlyBefore'][number];

/** More vantages than this are folded away: what they say together stands above. */
const UNFOLDED = 12;

/** Behind a click, where there is a text for it; printed in any case. */
function Folded({ text, children }: { text: string | null; children: React.ReactNode }) {
  if (text === null) return children;
  return (
    <details className="print-open">
      <summary className="cursor-pointer">{text}</summary>
      <div className="mt-2">{children}</div>
    </details>
  );
}

/** Every vantage that measured on both sides, and those that did not: by name, or by region and carrier. */
export function VantageEffects({ ui, figures, named }: Props & { named: boolean }) {
  const { t } = ui;
  const nameOf = ({ name, region, carrier }: UnmatchedVantage) =>
    named ? name : `${regionName(ui, region)} · ${carrierName(ui, carrier)}`;
  const names = (list: UnmatchedVantage[]) => [...new Set(list.map(nameOf))].join(t('punctuation.list'));
  const minutes = Math.round(figures.blockMs / 6_000) / 10;
  return (
    <Part id="vantages" title={t('comparison.vantages')} note={t('comparison.pairs', { n: figures.pairs, minutes })}>
      {minutes < 10 ? <p className="mb-2 text-warn">{t('comparison.shortBlocks')}</p> : null}
      <Folded
        text={figures.vantages.length > UNFOLDED ? t('comparison.allVantages', { n: figures.vantages.length }) : null}
      >
        <Table
          label={t('comparison.vantages')}
          density="dense"
          rows={figures.vantages}
          rowKey={({ id }) => id}
          columns={[
            { key: 'vantage', head: t('comparison.vantage'), cell: nameOf, rowHead: true },
            {
              key: 'rtt',
              head: t('comparison.rtt'),
              cell: ({ rttMs }) => formatQuantity(ui, rttMs, 'ms'),
              numeric: true,
            },
            shiftColumn(ui),
            {
              key: 'server',
              head: `${t('comparison.serverPart')} (ms)`,
              cell: ({ server }) => (server ? <Shift ui={ui} interval={server} /> : t('common.noValue')),
              numeric: true,
            },
            {
              key: 'network',
              head: `${t('comparison.rttShift')} (ms)`,
              cell: ({ networkMs }) => signed(ui, networkMs),
              numeric: true,
              wideOnly: true,
            },
            {
              key: 'n',
              head: t('comparison.n'),
              cell: ({ n }) => `${n.before} / ${n.after}`,
              numeric: true,
              wideOnly: true,
            },
            {
              key: 'direction',
              head: t('comparison.status'),
              cell: ({ direction }) => <DirectionBadge ui={ui} direction={direction} />,
            },
          ]}
        />
      </Folded>
      {figures.onlyBefore.length > 0 ? (
        <p className="mt-2 text-muted">{t('comparison.onlyBefore', { names: names(figures.onlyBefore) })}</p>
      ) : null}
      {figures.onlyAfter.length > 0 ? (
        <p className="mt-2 text-muted">{t('comparison.onlyAfter', { names: names(figures.onlyAfter) })}</p>
      ) : null}
    </Part>
  );
}
