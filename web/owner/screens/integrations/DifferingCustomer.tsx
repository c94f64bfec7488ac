import { useTranslation } from 'react-i18next';
import type { Difference } from '#contract/comparisons.ts';
import { TextLink } from '#web/ui/Link.tsx';
import { useChangeWords } from './use-change-words.ts';

/** The customer of a discrepancy, and what differs. */
export function DifferingCustomer({ difference, tool }: { difference: Difference; tool: string }) {
  const { t } = useTranslation('integrations');
  const differenceOf = useChangeWords('should', tool);
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
      <p className="text-[13px] wrap-anywhere text-ink-muted">{differenceOf(difference.change)}</p>
    </>
  );
}
