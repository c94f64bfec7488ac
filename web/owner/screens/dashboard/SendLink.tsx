import { Send } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { Button } from '#web/ui/Button.tsx';
import { FormError } from '#web/ui/FormError.tsx';
import { EmailSent } from '../../components/EmailSent.tsx';
import { useSite } from '../../site/current-site.tsx';
import { useSendOwnLink } from '../preference-pages/own-link.api.ts';

interface SendLinkProps {
  pageId: string;
  isNext: boolean;
}

/** Mails the owner a personal link, which opens the page whatever its settings. */
export function SendLink({ pageId, isNext }: SendLinkProps) {
  const { t } = useTranslation('first-steps');
  const send = useSendOwnLink(useSite(), pageId);
  return (
    <div className="flex flex-col gap-2 sm:items-end">
      <Button
        icon={<Send />}
        variant={isNext && !send.data ? 'primary' : 'secondary'}
        isPending={send.isPending}
        onPress={() => send.mutate()}
      >
        {t(send.data ? 'send_link.again' : 'tasks.open.action')}
      </Button>
      <FormError error={send.error} />
      <div role="status" className="flex flex-col gap-1 empty:hidden sm:max-w-60 sm:items-end sm:text-end">
        {send.data && (
          <EmailSent>
            <p className="text-success wrap-anywhere">{t('send_link.sent', { email: send.data.email })}</p>
          </EmailSent>
        )}
      </div>
    </div>
  );
}
