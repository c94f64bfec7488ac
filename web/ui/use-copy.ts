import { useCallback } from 'react';
import { useTranslation } from 'react-i18next';
import { toast } from './toast.tsx';

/** Copies to the clipboard; where the browser refuses, says so and gives false. */
export function useCopy(): (value: string) => Promise<boolean> {
  const { t } = useTranslation('ui');
  return useCallback(
    async (value) => {
      try {
        await navigator.clipboard.writeText(value);
        return true;
      } catch {
        toast(t('copy_failed'), { tone: 'error' });
        return false;
      }
    },
    [t],
  );
}
