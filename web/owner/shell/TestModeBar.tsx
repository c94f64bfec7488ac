import { FlaskConical } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { Button } from '#web/ui/Button.tsx';
import { moveFocusToScreen } from '#web/ui/move-focus.ts';
import { TextLink } from '#web/ui/Link.tsx';
import { usePermission } from '../account/permissions.ts';
import { useHeldText } from '../queries/held-queries.ts';
import { GoLiveDialog } from '../components/GoLiveDialog.tsx';

export interface TestModeBarProps {
  isGoingLive: boolean;
  setIsGoingLive: (isGoingLive: boolean) => void;
}

/** On every screen of a site in test mode. */
export function TestModeBar({ isGoingLive, setIsGoingLive }: TestModeBarProps) {
  const { t } = useTranslation('test-mode');
  const canGoLive = usePermission('admin');
  const held = useHeldText();
  return (
    <aside
      ref={moveFocusToScreen}
      aria-label={t('card.title')}
      className="flex min-h-13 flex-wrap items-center gap-x-3 gap-y-2 border-b border-line bg-warning-soft px-4 py-2 sm:px-6 print:hidden"
    >
      <FlaskConical size={16} aria-hidden className="shrink-0 text-warning" />
      <p className="min-w-0 flex-1 basis-56 text-pretty">
        <span className="font-medium">{t('bar.text')}</span>{' '}
        {held !== null && (
          <TextLink to="/deliveries" search={{ status: 'waiting' }}>
            {held}
          </TextLink>
        )}
      </p>
      {canGoLive && (
        <Button size="sm" onPress={() => setIsGoingLive(true)}>
          {t('go_live.action')}
        </Button>
      )}
      <GoLiveDialog isOpen={isGoingLive} onOpenChange={setIsGoingLive} />
    </aside>
  );
}
