import { Link, type LinkProps } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import type { Dashboard } from '#contract/dashboard.ts';
import { useNumber } from '../../i18n/use-number.ts';
import { comparisonOf } from './figures.logic.ts';

/** The key figures, each linked to its rows. */
export function Tiles({ figures }: { figures: Dashboard }) {
  const { t } = useTranslation('figures');
  const number = useNumber();
  const { customers, choices, joins, leaves, from, range } = figures;
  const compare = useComparison(range);
  return (
    <ul className="grid grid-cols-2 gap-px overflow-hidden rounded-lg border border-line bg-line lg:grid-cols-4">
      <Tile
        to={{ to: '/customers' }}
        name={t('tile.customers')}
        value={number(customers.total)}
        details={[t('tile.new', { number: number(customers.created.now) }), compare(customers.created)]}
      />
      <Tile
        to={{ to: '/evidence', search: { since: from } }}
        name={t('tile.choices')}
        value={number(choices.now)}
        details={[compare(choices)]}
      />
      <Tile
        to={{ to: '/evidence', search: { since: from, move: 'joined' } }}
        name={t('tile.joins')}
        value={number(joins.now)}
        details={[compare(joins)]}
      />
      <Tile
        to={{ to: '/evidence', search: { since: from, move: 'left' } }}
        name={t('tile.leaves')}
        value={number(leaves.now)}
        details={[compare(leaves)]}
      />
    </ul>
  );
}

function Tile({
  to,
  name,
  value,
  details,
}: {
  to: LinkProps;
  name: string;
  value: string;
  details: string[];
}) {
  return (
    <li className="bg-surface">
      <Link {...to} className="block h-full px-4 py-4 no-underline -outline-offset-2 hover:bg-hover sm:px-5">
        <span className="block text-[13px] text-ink-muted">{name}</span>
        <span className="mt-1 block text-2xl font-semibold tracking-tight tabular-nums">{value}</span>
        {details.map((detail) => (
          <span key={detail} className="mt-0.5 block text-[13px] text-pretty text-ink-muted">
            {detail}
          </span>
        ))}
      </Link>
    </li>
  );
}

/** `12 more than in the 30 days before`. */
function useComparison(range: Dashboard['range']) {
  const { t } = useTranslation('figures');
  const number = useNumber();
  return (counts: { now: number; before: number }) => {
    const { kind, by } = comparisonOf(counts);
    return t(`compare.${kind}`, { number: number(by), before: t(`before.${range}`) });
  };
}
