import { useBlocker } from '@tanstack/react-router';
import { type ReactNode, useEffect, useEffectEvent, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { ConfirmDialog } from '#web/ui/ConfirmDialog.tsx';
import { isNavigationForced } from '../session/forced-navigation.ts';

type Go = () => void;

/** Of the forms on the screen: whether one asks first, and goes on itself once that is answered. */
const guards = new Set<(go: Go) => boolean>();

/** For what replaces a screen without a navigation, such as changing the site: asks first where changes would be lost. */
export function leaveUnsaved(go: Go): void {
  for (const asks of guards) if (asks(go)) return;
  go();
}

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
  const [waiting, setWaiting] = useState<Go | null>(null);
  const asks = useEffectEvent((go: Go) => {
    if (isHeld()) setWaiting(() => go);
    return isHeld();
  });
  useEffect(() => {
    const guard = (go: Go) => asks(go);
    guards.add(guard);
    return () => void guards.delete(guard);
  }, []);
  const dialog = (
    <ConfirmDialog
      isOpen={blocker.status === 'blocked' || waiting !== null}
      onOpenChange={(isOpen) => {
        if (isOpen) return;
        setWaiting(null);
        blocker.reset?.();
      }}
      title={t('leave.title')}
      description={t('leave.text')}
      confirmLabel={t('leave.confirm')}
      onConfirm={() => {
        onDiscard?.();
        waiting?.();
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
