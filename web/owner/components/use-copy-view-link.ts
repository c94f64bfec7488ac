import { useTranslation } from 'react-i18next';
import { toast } from '#web/ui/toast.tsx';
import { useCopy } from '#web/ui/use-copy.ts';
import { linkToSite } from '../site/site-link.ts';
import { useSite } from '../site/current-site.tsx';

/** Copies a link that opens what the window shows now for a colleague, whichever site they worked on last. */
export function useCopyViewLink(): () => Promise<void> {
  const { t } = useTranslation('ui');
  const { site_id } = useSite();
  const copy = useCopy();
  return async () => {
    if (await copy(linkToSite(site_id, location.href))) toast(t('view_copied'));
  };
}
