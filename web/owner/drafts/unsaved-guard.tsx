import { useBlocker } from '@tanstack/react-router';
import { type ReactNode, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { ConfirmDialog } from '#web/ui/ConfirmDialog.tsx';
import { isNavigationForced } from '../session/forced-navigation.ts';

/**
 * Prompts before unsaved changes are lost. Call `allow` once everything is saved: the next navigation then passes. The
 * dialog has to be rendered.
 * @param onDiscard when the person chooses to lose the changes
 */
export function useUnsavedGuard(
  isDirty: boolean,
  onDiscard?: () => void,
): { allow: () => void; dialog: ReactNode } {
  const { t } = useTranslation('editing');
  const isAllowed = useRef(false);
  const isHeld = () => isDirty && !isAllowed.current && !isNavigationForced();
  const blocker = useBlocker({ shouldBlockFn: isHeld, enableBeforeUnload: isHeld, withResolver: true });
  const dialog = (
    <ConfirmDialog
      isOpen={blocker.status === 'blocked'}
      onOpenChange={(isOpen) => {
        if (!isOpen) blocker.reset?.();
      }}
      title={t('leave.title')}
      description={t('leave.text')}
      confirmLabel={t('leave.confirm')}
      onConfirm={() => {
        onDiscard?.();
        blocker.proceed?.();
      }}
    />
  );
  return {
    allow: () => {
      isAllowed.current = true;
    },
    dialog,
  };
}
