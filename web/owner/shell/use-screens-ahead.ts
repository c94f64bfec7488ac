import { useRouter } from '@tanstack/react-router';
import { useEffect } from 'react';
import { ahead, loadUnasked } from '../read-ahead.ts';
import { useSite } from '../site.tsx';

/** From the first screen on, the others are loaded and read ahead, for the site that the owner works on. */
export function useScreensAhead(): void {
  const router = useRouter();
  const { organization_id, site_id } = useSite();
  useEffect(() => {
    ahead.site = { organization_id, site_id };
    return () => {
      delete ahead.site;
    };
  }, [organization_id, site_id]);
  useEffect(() => {
    if (ahead.read) return;
    void loadUnasked(async () => {
      const { loadScreensAhead } = await import('../screens-ahead.ts');
      void loadScreensAhead(router);
    });
  }, [router]);
}
