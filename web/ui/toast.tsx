import { CircleAlert, CircleCheck, X } from 'lucide-react';
import {
  Text,
  UNSTABLE_Toast as AriaToast,
  UNSTABLE_ToastContent as AriaToastContent,
  UNSTABLE_ToastQueue as ToastQueue,
  UNSTABLE_ToastRegion as AriaToastRegion,
} from 'react-aria-components';
import { useTranslation } from 'react-i18next';
import { Button } from './Button.tsx';
import { IconButton } from './IconButton.tsx';

interface ToastContent {
  text: string;
  tone: 'success' | 'error';
  action?: ToastAction | undefined;
}

interface ToastAction {
  /** Without it, Undo. */
  label?: string;
  onPress: () => void;
}

/** ui.md: whatever is destructive can be undone for 8 s. */
export const TOAST_MS = 8000;

const queue = new ToastQueue<ToastContent>({ maxVisibleToasts: 3 });

/**
 * Shows a short message for 8 s, announced to screen readers. `onUndo` adds an Undo button, `action` another one;
 * `onExpire` runs when it goes without either. Gives a function that closes it.
 */
export function toast(
  text: string,
  options: {
    tone?: ToastContent['tone'];
    onUndo?: () => void;
    action?: Required<ToastAction>;
    onExpire?: () => void;
  } = {},
): () => void {
  let isPressed = false;
  const action: ToastAction | undefined = options.action ?? (options.onUndo && { onPress: options.onUndo });
  const key = queue.add(
    {
      text,
      tone: options.tone ?? 'success',
      action: action && {
        ...action,
        onPress: () => {
          isPressed = true;
          queue.close(key);
          action.onPress();
        },
      },
    },
    {
      timeout: TOAST_MS,
      onClose: () => {
        if (!isPressed) options.onExpire?.();
      },
    },
  );
  return () => queue.close(key);
}

/** Once per app. */
export function ToastRegion() {
  const { t } = useTranslation('ui');
  return (
    <AriaToastRegion
      queue={queue}
      aria-label={t('messages')}
      // It spans the window but must not take the clicks beside a message, nor cover buttons, which are at the right.
      className="pointer-events-none fixed right-4 bottom-4 left-4 z-60 flex flex-col gap-2 outline-none in-[body:has([data-form-bar])]:bottom-20 xl:in-[body:has(#main)]:left-72"
    >
      {({ toast: shown }) => (
        <AriaToast
          toast={shown}
          className="pointer-events-auto flex w-full max-w-md animate-rise flex-wrap items-center justify-end gap-x-3 gap-y-1 rounded-lg border border-line bg-raised py-2 pr-2 pl-4 shadow-lift"
        >
          {shown.content.tone === 'success' ? (
            <CircleCheck size={16} aria-hidden className="shrink-0 text-success" />
          ) : (
            <CircleAlert size={16} aria-hidden className="shrink-0 text-danger" />
          )}
          <AriaToastContent className="min-w-0 flex-1 basis-52 wrap-anywhere">
            <Text slot="title">{shown.content.text}</Text>
          </AriaToastContent>
          {/* They wrap together. */}
          <span className="flex items-center gap-x-2">
            {shown.content.action && (
              <Button size="sm" onPress={shown.content.action.onPress}>
                {shown.content.action.label ?? t('undo')}
              </Button>
            )}
            <IconButton label={t('close')} icon={<X />} slot="close" />
          </span>
        </AriaToast>
      )}
    </AriaToastRegion>
  );
}
