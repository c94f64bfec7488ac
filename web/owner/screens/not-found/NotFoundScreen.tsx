import { useTranslation } from 'react-i18next';
import { LinkButton } from '#web/ui/LinkButton.tsx';
import { useSession } from '../../session/session.ts';

/** Also shown to customers whose link leads nowhere, so it speaks to both. */
export function NotFoundScreen() {
  const { t } = useTranslation('shell');
  const session = useSession();
  return (
    <main className="flex min-h-dvh flex-col items-center justify-center px-6 py-12 text-center">
      <p aria-hidden className="text-6xl font-semibold tracking-tight text-accent tabular-nums">
        404
      </p>
      <h1 className="mt-4 text-2xl font-semibold tracking-tight">{t('not_found.title')}</h1>
      <p className="mt-2 max-w-sm text-balance text-ink-muted">{t('not_found.text')}</p>
      <div className="mt-6">
        {session ? (
          <LinkButton to="/dashboard" variant="primary">
            {t('not_found.to_dashboard')}
          </LinkButton>
        ) : (
          <LinkButton to="/login">{t('not_found.to_login')}</LinkButton>
        )}
      </div>
    </main>
  );
}
