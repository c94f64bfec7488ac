import { ChevronDown } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { useAccount } from '../account/account.ts';
import { Avatar } from '../components/Avatar.tsx';
import { LazyMenu } from '../components/LazyMenu.tsx';

/** The account's avatar and name, with its menu. */
export function AccountMenu() {
  const { t } = useTranslation('shell');
  const account = useAccount().data;
  return (
    <LazyMenu
      label={account ? `${t('account_menu')}: ${account.username}` : t('account_menu')}
      className="flex min-h-9 cursor-pointer items-center gap-2 rounded-lg px-2 hover:bg-hover pointer-coarse:min-h-11"
      load={async () => (await import('./AccountMenuLayer.tsx')).AccountMenuLayer}
    >
      <Avatar url={account?.avatar ?? null} />
      <span className="hidden max-w-40 truncate font-medium sm:inline">{account?.username}</span>
      <ChevronDown size={16} aria-hidden className="text-ink-muted" />
    </LazyMenu>
  );
}
