import { useRouter } from '@tanstack/react-router';
import { useEffect } from 'react';
import { useSite } from '../site/current-site.tsx';
import { loadInBackground, setPrefetchSite } from './prefetch.ts';

let hasBegun = false;

/** Once the first screen is shown: prefetches the code of all others, and the rows of those that links point at. */
export function useScreenPrefetch(): void {
  const router = useRouter();
  const { organization_id, site_id } = useSite();
  useEffect(() => {
    setPrefetchSite({ organization_id, site_id });
    return () => setPrefetchSite(null);
  }, [organization_id, site_id]);
  useEffect(() => {
    if (hasBegun) return;
    void loadInBackground(async () => {
      const { prefetchScreens } = await import('./prefetch-screens.ts');
      if (hasBegun) return;
      hasBegun = true;
      void prefetchScreens(router);
    });
  }, [router]);
}
