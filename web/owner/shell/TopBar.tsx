import { Menu as MenuIcon } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { Badge } from '#web/ui/Badge.tsx';
import { IconButton } from '#web/ui/IconButton.tsx';
import { useAccount } from '../account.ts';
import { AccountMenu } from './AccountMenu.tsx';
import { planBadge } from './plan.logic.ts';

export function TopBar({ onOpenMenu }: { onOpenMenu: () => void }) {
  const { t } = useTranslation('shell');
  const plan = planBadge(useAccount().data?.groups ?? []);
  return (
    <header className="sticky top-0 z-30 flex h-14 items-center gap-3 border-b border-line bg-canvas px-4 sm:px-6">
      <span className="xl:hidden">
        <IconButton label={t('open_menu')} icon={<MenuIcon />} onPress={onOpenMenu} />
      </span>
      <span className="flex-1" />
      {plan && <Badge tone="accent">{plan}</Badge>}
      <AccountMenu />
    </header>
  );
}
