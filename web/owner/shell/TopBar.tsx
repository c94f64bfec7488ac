import { Menu as MenuIcon, Search } from 'lucide-react';
import { use } from 'react';
import { Button } from 'react-aria-components';
import { useTranslation } from 'react-i18next';
import { Badge } from '#web/ui/Badge.tsx';
import { IconButton } from '#web/ui/IconButton.tsx';
import { useAccount } from '../account/account.ts';
import { AccountMenu } from './AccountMenu.tsx';
import { OpenLayerContext } from '../commands/open-layer.ts';
import { planBadge } from './plan.logic.ts';
import { isMac } from '../commands/platform.ts';
import { useSite } from '../site/current-site.tsx';

export function TopBar({ onOpenMenu }: { onOpenMenu: () => void }) {
  const { t } = useTranslation('shell');
  const onOpen = use(OpenLayerContext);
  const { site, sites } = useSite();
  const plan = planBadge(useAccount().data?.groups ?? []);
  return (
    <header className="sticky top-0 z-30 flex h-14 items-center gap-2 border-b border-line bg-canvas px-4 sm:gap-3 sm:px-6">
      <span className="xl:hidden">
        <IconButton label={t('open_menu')} icon={<MenuIcon />} onPress={onOpenMenu} />
      </span>
      <Button
        onPress={() => onOpen('palette')}
        className="flex min-h-9 cursor-pointer items-center gap-2 rounded-lg px-2 text-ink-muted hover:bg-hover hover:text-ink sm:w-64 sm:border sm:border-line sm:bg-surface sm:px-3 pointer-coarse:min-h-11"
      >
        <Search size={16} aria-hidden />
        <span className="flex-1 text-left max-sm:sr-only">{t('commands')}</span>
        <kbd aria-hidden className="font-sans text-xs text-ink-muted max-sm:hidden pointer-coarse:hidden">
          {isMac() ? '⌘ K' : 'Ctrl K'}
        </kbd>
      </Button>
      {/* Where the sidebar, which shows it, is hidden. */}
      <span className="min-w-0 flex-1">
        <span className="line-clamp-2 text-xs font-medium wrap-anywhere xl:hidden">
          {sites.length > 1 && site.name}
        </span>
      </span>
      {plan && <Badge tone="accent">{plan}</Badge>}
      <AccountMenu />
    </header>
  );
}
