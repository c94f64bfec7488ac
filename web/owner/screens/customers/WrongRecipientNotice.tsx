import { useTranslation } from 'react-i18next';
import type { Customer } from '#contract/customers.ts';
import { Notice } from '#web/ui/Notice.tsx';
import { useExactTime } from '../../components/RelativeTime.tsx';

/** Says that the inbox belongs to somebody else; renders nothing otherwise. */
export function WrongRecipientNotice({ since }: { since: Customer['wrong_recipient_at'] }) {
  const { t } = useTranslation('customers');
  const time = useExactTime();
  if (since === null) return null;
  return (
    <Notice tone="warning">
      <p className="font-medium">{t('wrong_recipient.title')}</p>
      <p className="mt-0.5 text-pretty">{t('wrong_recipient.text', { at: time(since) })}</p>
    </Notice>
  );
}
