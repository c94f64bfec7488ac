import { useTranslation } from 'react-i18next';
import type { CustomerDetails } from '#contract/customers.ts';
import { Notice } from '#web/ui/Notice.tsx';
import { useExactTime } from '../../components/RelativeTime.tsx';

/** Says that the mailbox rejects our emails; renders nothing otherwise. */
export function BounceNotice({ bounce }: { bounce: CustomerDetails['email_bounce'] }) {
  const { t } = useTranslation('customers');
  const time = useExactTime();
  if (bounce === null) return null;
  return (
    <Notice tone="warning">
      <p className="font-medium">{t('bounce.title')}</p>
      <p className="mt-0.5 text-pretty">{t('bounce.text', { at: time(bounce.at) })}</p>
      <p className="mt-1 font-mono text-[13px] wrap-anywhere">{bounce.reply}</p>
    </Notice>
  );
}
