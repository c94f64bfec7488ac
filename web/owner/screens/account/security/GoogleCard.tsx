import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Button } from '#web/ui/Button.tsx';
import { Card } from '#web/ui/Card.tsx';
import { FormError } from '#web/ui/FormError.tsx';
import { toast } from '#web/ui/toast.tsx';
import { useAppSettings } from '../../../api/app-settings.ts';
import { unlinkGoogleOf } from '../account.api.ts';
import type { SectionProps } from '../section-props.ts';

/** Whether the account is linked with Google; renders nothing if Google sign-in is not set up. */
export function GoogleCard({ account }: SectionProps) {
  const { t } = useTranslation('account');
  const settings = useAppSettings();
  const [isPending, setIsPending] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const { google_email: email, has_usable_password: hasPassword } = account;
  if (!settings?.google_client_id && email === null) return null;

  async function unlink() {
    setIsPending(true);
    setError(null);
    try {
      await unlinkGoogleOf(account.id);
      toast(t('google.unlinked'));
    } catch (cause) {
      setError(cause);
    } finally {
      setIsPending(false);
    }
  }

  return (
    <Card title={t('google.title')}>
      <div className="flex flex-col items-start gap-3">
        <FormError error={error} />
        <p className="break-words">{email === null ? t('google.none') : t('google.linked', { email })}</p>
        {email !== null && (
          <>
            <Button isPending={isPending} isDisabled={!hasPassword} onPress={() => void unlink()}>
              {t('google.unlink')}
            </Button>
            {!hasPassword && <p className="text-[13px] text-ink-muted">{t('google.needs_password')}</p>}
          </>
        )}
      </div>
    </Card>
  );
}
