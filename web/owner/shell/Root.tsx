import { Outlet, useMatches } from '@tanstack/react-router';
import { Suspense, useEffect } from 'react';
import { useTranslation } from 'react-i18next';
import { ToastRegion } from '#web/ui/toast.tsx';
import { AppLoader } from '../components/AppLoader.tsx';
import { OfflineNotice } from './OfflineNotice.tsx';
import { showTitle } from '../routing/titles.ts';

export function Root() {
  useTitleInLanguage();
  return (
    <>
      <Suspense fallback={<AppLoader />}>
        <Outlet />
      </Suspense>
      <OfflineNotice />
      <ToastRegion />
    </>
  );
}

/** The guard sets the title on every change of route; this follows a change of language. */
function useTitleInLanguage() {
  const title = useMatches({ select: (matches) => matches.at(-1)?.staticData.title });
  const { t } = useTranslation('shell');
  useEffect(() => showTitle(title, t), [title, t]);
}
