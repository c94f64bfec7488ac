import { useTranslation } from 'react-i18next';
import type { ListFigures } from '#contract/dashboard.ts';
import type { List } from '#contract/lists.ts';
import { TextLink } from '#web/ui/Link.tsx';
import { useNumber } from '../../i18n/use-number.ts';

/** Subscribers, joins, leaves and actions, each linked to its rows. */
export function ListNumbers({ list, figures }: { list: List; figures: ListFigures }) {
  const { t } = useTranslation('figures');
  const number = useNumber();
  const { subscribers, joins, leaves, actions } = figures;
  const came = t('lists.joins', { number: number(joins) });
  const went = t('lists.leaves', { number: number(leaves) });
  const period = t('lists.period');
  const moveOf = (move: 'joined' | 'left') => ({ move, list_id: list.id });
  return (
    <div className="mt-2 flex flex-col gap-1 text-[13px] text-ink-muted">
      <p className="flex flex-wrap gap-x-3 gap-y-1 tabular-nums">
        <TextLink
          to="/customers"
          search={{ receives_list_id: list.id }}
          tone="plain"
          aria-label={`${t('lists.subscribers', { number: number(subscribers) })}: ${list.name}`}
        >
          {t('lists.subscribers', { number: number(subscribers) })}
        </TextLink>
        <span className="flex flex-wrap gap-x-2">
          <TextLink
            to="/evidence"
            search={moveOf('joined')}
            tone="plain"
            aria-label={`${came} ${period}, ${t('tile.joins')}: ${list.name}`}
          >
            {came}
          </TextLink>
          <TextLink
            to="/evidence"
            search={moveOf('left')}
            tone="plain"
            aria-label={`${went} ${period}, ${t('tile.leaves')}: ${list.name}`}
          >
            {went}
          </TextLink>
          <span aria-hidden>{period}</span>
        </span>
      </p>
      <p className="flex flex-wrap gap-x-2 gap-y-1">
        {actions.length === 0 ? (
          t('lists.no_actions')
        ) : (
          <>
            <span>{t('lists.actions')}</span>
            {actions.map(({ id, name, enabled }) => (
              <TextLink key={id} to="/actions" hash={id} tone={enabled ? 'accent' : 'plain'}>
                {enabled ? name : t('lists.action_off', { name })}
              </TextLink>
            ))}
          </>
        )}
      </p>
    </div>
  );
}
