import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { ApiError } from '#contract/client.ts';
import { Button } from '#web/ui/Button.tsx';
import { FormError } from '#web/ui/FormError.tsx';
import { useSettings } from '../../settings.ts';
import { logInByGoogle } from './auth.api.ts';
import { requestGoogleCode } from './google.ts';

/** Only where the product has a Google client. */
export function GoogleButton({ next }: { next?: string | undefined }) {
  const { t } = useTranslation('auth');
  const navigate = useNavigate();
  const clientId = useSettings()?.google_client_id;
  const [isPending, setIsPending] = useState(false);
  const [error, setError] = useState<unknown>(null);
  if (!clientId) return null;

  async function signIn() {
    setIsPending(true);
    setError(null);
    try {
      const code = await requestGoogleCode(clientId);
      if (code === null) return;
      await logInByGoogle(code);
      await navigate({ href: next ?? '/dashboard', replace: true });
    } catch (cause) {
      setError(cause);
    } finally {
      setIsPending(false);
    }
  }

  return (
    <div className="mb-6 flex flex-col gap-3">
      <Button isFullWidth isPending={isPending} icon={<GoogleMark />} onPress={() => void signIn()}>
        {t('with_google')}
      </Button>
      {error instanceof ApiError && <FormError error={error} />}
      {error instanceof Error && !(error instanceof ApiError) && (
        <p role="alert" className="text-danger">
          {error.message}
        </p>
      )}
      <p aria-hidden className="mt-3 flex items-center gap-3 text-[13px] text-ink-muted">
        <span className="h-px flex-1 bg-line" />
        {t('or')}
        <span className="h-px flex-1 bg-line" />
      </p>
    </div>
  );
}

function GoogleMark() {
  return (
    <svg viewBox="0 0 24 24" aria-hidden fill="currentColor">
      <path d="M12.200 10.300v3.700h5.200c-.7 2.200-2.500 3.400-5.200 3.400a5.400 5.400 0 1 1 0-10.800c1.400 0 2.600.5 3.500 1.300l2.800-2.700A9.300 9.300 0 1 0 12.200 21.300c5.400 0 9-3.800 9-9.100 0-.7-.1-1.300-.2-1.900z" />
    </svg>
  );
}
