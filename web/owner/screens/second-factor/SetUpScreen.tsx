import { SET_UP_PATH } from '#contract/app-paths.ts';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useEffect } from 'react';
import { useTranslation } from 'react-i18next';
import { ErrorState } from '#web/ui/ErrorState.tsx';
import { Button } from '#web/ui/Button.tsx';
import { Skeleton } from '#web/ui/Skeleton.tsx';
import { AuthLayout } from '../auth/AuthLayout.tsx';
import { useSession } from '../../session/session.ts';
import { FactorButtons } from './FactorButtons.tsx';
import { useSecondFactors } from './second-factor.api.ts';

/** For members whose organization requires a second factor: before anything else. */
export function SetUpScreen() {
  const { t } = useTranslation('second-factor');
  const { next } = useSearch({ from: SET_UP_PATH });
  const navigate = useNavigate();
  const accountId = useSession()?.id ?? '';
  const factors = useSecondFactors(accountId);
  const isOwed = factors.data?.is_required !== false;
  const goOn = () => void navigate({ href: next ?? '/dashboard', replace: true });

  useEffect(() => {
    if (!isOwed) void navigate({ href: next ?? '/dashboard', replace: true });
  }, [isOwed, navigate, next]);

  return (
    <AuthLayout title={t('set_up.title')} text={t('set_up.text')}>
      <div className="flex flex-col gap-5">
        {factors.isPending && <Skeleton shape="text" count={2} />}
        {factors.isLoadingError && (
          <ErrorState error={factors.error} onRetry={() => void factors.refetch()} />
        )}
        {factors.data && (
          <>
            <p className="text-pretty">{t('set_up.choose')}</p>
            <FactorButtons
              accountId={accountId}
              hasApp={factors.data.totp !== null}
              isFullWidth
              onAdded={goOn}
            />
          </>
        )}
        <Button variant="ghost" onPress={() => void navigate({ to: '/login', state: { signOut: true } })}>
          {t('set_up.sign_out')}
        </Button>
      </div>
    </AuthLayout>
  );
}
