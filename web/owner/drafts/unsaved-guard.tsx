import { useBlocker } from '@tanstack/react-router';
import { type ReactNode, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { ConfirmDialog } from '#web/ui/ConfirmDialog.tsx';
import { isNavigationForced } from '../session/forced-navigation.ts';

/**
 * Asks before unsaved changes are left behind. `allow` lets the next change of route pass: call it when all is saved.
 * The dialog has to be rendered.
 * @param onDiscard when the person lets the changes go
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
