import { useRouter } from '@tanstack/react-router';
import { useEffect } from 'react';
import { useSite } from '../site/current-site.tsx';
import { loadInBackground, setPrefetchSite } from './prefetch.ts';

/**
 * Once the first screen is shown: prefetches the code of all others, the rows of the main ones, and the rows of those
 * that links point at.
 */
export function useScreenPrefetch(mainPaths: readonly string[]): void {
  const router = useRouter();
  const { organization_id, site_id } = useSite();
  useEffect(() => {
    setPrefetchSite({ organization_id, site_id });
    const ending = new AbortController();
    void loadInBackground(async () => {
      const { prefetchScreens } = await import('./prefetch-screens.ts');
      void prefetchScreens(router, mainPaths, ending.signal);
    });
    return () => {
      ending.abort();
      setPrefetchSite(null);
    };
  }, [router, mainPaths, organization_id, site_id]);
}
