import { useTranslation } from 'react-i18next';
import type { Difference } from '#contract/comparisons.ts';
import { TextLink } from '#web/ui/Link.tsx';
import { listFormat } from '../../i18n/formats.ts';
import { useLanguage } from '../../i18n/i18n.ts';
import { useLists } from '../../queries/list-queries.ts';
import { placeOf } from './integrations.logic.ts';

/** The customer of a discrepancy, and what differs. */
export function DifferingCustomer({ difference, tool }: { difference: Difference; tool: string }) {
  const { t } = useTranslation('integrations');
  const mendOf = useMendWords(tool);
  return (
    <>
      <p className="font-medium wrap-anywhere">
        {difference.customer_email === null ? (
          t('difference.no_address')
        ) : (
          <TextLink tone="plain" to="/customers/$id" params={{ id: difference.customer_id }}>
            {difference.customer_email}
          </TextLink>
        )}
      </p>
      <p className="text-[13px] wrap-anywhere text-ink-muted">{mendOf(difference.change)}</p>
    </>
  );
}

/** `Should be on “Weekly” in Brevo, but isn’t.`, `Here: unsubscribe from Weekly news` */
function useMendWords(tool: string): (change: Difference['change']) => string {
  const { t } = useTranslation('integrations');
  const { data: lists = [] } = useLists();
  const language = useLanguage();
  return (change) => {
    if (change.in === 'here') {
      const names = lists.filter(({ id }) => change.list_ids.includes(id)).map(({ name }) => name);
      if (change.list_ids.length === 0) return t('difference.leave_all');
      return t('difference.leave', { lists: listFormat(language).format(names) });
    }
    const target = change.target?.name ?? '';
    return t(`difference.should.${placeOf(change)}_${change.on ? 'on' : 'off'}`, { tool, target });
  };
}
