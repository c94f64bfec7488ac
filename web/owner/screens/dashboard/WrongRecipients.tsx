import { useTranslation } from 'react-i18next';
import { Notice } from '#web/ui/Notice.tsx';
import { TextLink } from '#web/ui/Link.tsx';
import { useNumber } from '../../i18n/use-number.ts';

/** Says how many customers' inboxes belong to somebody else. */
export function WrongRecipients({ count }: { count: number }) {
  const { t } = useTranslation('customers');
  const number = useNumber();
  return (
    <div role="status">
      <Notice tone="warning">
        <p className="font-medium">{t('wrong_recipient.count', { number: number(count) })}</p>
        <p className="mt-1 text-pretty">
          {t('wrong_recipient.count_text')}{' '}
          <TextLink to="/customers" search={{ state: 'wrong_recipient' }}>
            {t('wrong_recipient.show')}
          </TextLink>
        </p>
      </Notice>
    </div>
  );
}
