import { Link, type LinkProps } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import type { Dashboard } from '#contract/dashboard.ts';
import { useNumber, useSignedPercent } from '../../i18n/use-number.ts';
import { comparisonOf, hasBefore } from './figures.logic.ts';

/** The key figures, each linked to its rows. */
export function Tiles({ figures }: { figures: Dashboard }) {
  const { t } = useTranslation('figures');
  const number = useNumber();
  const { customers, choices, joins, leaves, from } = figures;
  // Of a new site there is nothing to compare with.
  const range = hasBefore(figures) ? figures.range : null;
  return (
    <ul className="grid grid-cols-2 gap-px overflow-hidden rounded-lg border border-line bg-line lg:grid-cols-4">
      <Tile
        to={{ to: '/customers' }}
        name={t('tile.customers')}
        value={number(customers.total)}
        detail={t('tile.new', { number: number(customers.created.now) })}
        {...{ range, counts: customers.created, rise: 'good' }}
      />
      <Tile
        to={{ to: '/evidence', search: { since: from, chose: 'true' } }}
        name={t('tile.choices')}
        value={number(choices.now)}
        hint={t('tile.choices_hint')}
        {...{ range, counts: choices }}
      />
      <Tile
        to={{ to: '/evidence', search: { since: from, move: 'joined' } }}
        name={t('tile.joins')}
        value={number(joins.now)}
        {...{ range, counts: joins, rise: 'good' }}
      />
      <Tile
        to={{ to: '/evidence', search: { since: from, move: 'left' } }}
        name={t('tile.leaves')}
        value={number(leaves.now)}
        {...{ range, counts: leaves, rise: 'bad' }}
      />
    </ul>
  );
}

interface TileProps {
  to: LinkProps;
  name: string;
  value: string;
  /** Under the value: what is compared, where that isn't the value. */
  detail?: string | undefined;
  /** At the end. */
  hint?: string | undefined;
  counts: Counts;
  /** null: not compared. */
  range: Dashboard['range'] | null;
  /** What a rise means; colours the comparison. */
  rise?: 'good' | 'bad' | 'neutral';
}

interface Counts {
  now: number;
  before: number;
}

function Tile({ to, name, value, detail, hint, counts, range, rise = 'neutral' }: TileProps) {
  return (
    <li className="bg-surface">
      <Link {...to} className="block h-full px-4 py-4 no-underline -outline-offset-2 hover:bg-hover sm:px-5">
        <span className="block text-[13px] text-ink-muted">{name}</span>
        <span className="mt-1 block text-2xl font-semibold tracking-tight tabular-nums">{value}</span>
        <span className="mt-0.5 block text-[13px] text-pretty text-ink-muted">
          <Comparison {...{ detail, counts, range, rise }} />
          {hint && <span className="block">{hint}</span>}
        </span>
      </Link>
    </li>
  );
}

type ComparisonProps = Required<Pick<TileProps, 'counts' | 'range' | 'rise'>> & Pick<TileProps, 'detail'>;

/** `12 new, +20% vs. the previous 30 days`. */
function Comparison({ detail, counts, range, rise }: ComparisonProps) {
  const { t } = useTranslation('figures');
  const signed = useSignedPercent();
  const number = useNumber();
  if (range === null) return detail;
  const { kind, share } = comparisonOf(counts);
  const before = t(`before.${range}`);
  if (kind !== 'more' && kind !== 'fewer') {
    return (
      <>
        {detail && <span className="block">{detail}</span>}
        {t(`compare.${kind}`, { before, number: number(counts.before) })}
      </>
    );
  }
  const isGood = (kind === 'more') === (rise === 'good');
  const tone = rise === 'neutral' ? 'text-ink' : isGood ? 'text-success' : 'text-danger';
  return (
    <>
      {detail && `${detail}, `}
      <span className={`font-medium tabular-nums ${tone}`}>{signed(share)}</span>{' '}
      {t('compare.versus', { before })}
    </>
  );
}
