import { Send } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { Button } from '#web/ui/Button.tsx';
import { FormError } from '#web/ui/FormError.tsx';
import { EmailSent } from '../../components/EmailSent.tsx';
import type { SiteParams } from '../../site/site-params.ts';
import { useSendOwnLink } from './own-link.api.ts';

/** Mails the owner the link that a customer gets. */
export function OwnLink({ site, pageId }: { site: SiteParams; pageId: string }) {
  const { t } = useTranslation('editor');
  const send = useSendOwnLink(site, pageId);
  return (
    <section className="flex flex-col items-start gap-2 border-t border-line pt-5">
      <h3 className="font-medium">{t('own_link.title')}</h3>
      <p className="text-[13px] text-pretty text-ink-muted">{t('own_link.text')}</p>
      <FormError error={send.error} />
      <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
        <Button icon={<Send />} isPending={send.isPending} onPress={() => send.mutate()}>
          {t(send.data ? 'own_link.again' : 'own_link.send')}
        </Button>
        <div role="status">
          {send.data && (
            <EmailSent>
              <span className="text-success wrap-anywhere">
                {t('own_link.sent', { email: send.data.email })}
              </span>
            </EmailSent>
          )}
        </div>
      </div>
    </section>
  );
}
