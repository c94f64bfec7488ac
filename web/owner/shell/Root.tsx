import { Outlet, useMatches } from '@tanstack/react-router';
import { Suspense, useEffect } from 'react';
import { useTranslation } from 'react-i18next';
import { ToastRegion } from '#web/ui/toast.tsx';
import { AppLoader } from './AppLoader.tsx';
import { PRODUCT_NAME } from './Logo.tsx';

export function Root() {
  useTitle();
  return (
    <>
      <Suspense fallback={<AppLoader />}>
        <Outlet />
      </Suspense>
      <ToastRegion />
    </>
  );
}

/** Spec section 4: the route's title, by default the product's name. */
function useTitle() {
  const { t } = useTranslation('shell');
  const key = useMatches({ select: (matches) => matches.at(-1)?.staticData.title });
  const title = key ? t(`titles.${key}`) : PRODUCT_NAME;
  useEffect(() => {
    document.title = title;
  }, [title]);
}
