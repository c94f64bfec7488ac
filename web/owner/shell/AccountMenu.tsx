import { useNavigate } from '@tanstack/react-router';
import { ChevronDown, Languages, LogOut, Settings, SunMoon } from 'lucide-react';
import { Button } from 'react-aria-components';
import { useTranslation } from 'react-i18next';
import { Menu, MenuItem, MenuSection, MenuSeparator, Submenu } from '#web/ui/Menu.tsx';
import { useAccount } from '../account.ts';
import { useLanguageChoice } from '../i18n.ts';
import { LANGUAGE_NAMES } from '../language.logic.ts';
import { Avatar } from '../parts/Avatar.tsx';
import { chooseTheme } from '../preferences.ts';
import { logOut } from '../session.ts';
import { THEMES, useTheme } from '../theme.ts';
import { LanguageItems } from './LanguageMenu.tsx';

export function AccountMenu() {
  const { t } = useTranslation('shell');
  const navigate = useNavigate();
  const account = useAccount().data;
  const language = useLanguageChoice();
  const theme = useTheme();
  return (
    <Menu
      label={t('account_menu')}
      trigger={
        <Button
          aria-label={account ? `${t('account_menu')}: ${account.username}` : t('account_menu')}
          className="flex min-h-9 cursor-pointer items-center gap-2 rounded-lg px-2 hover:bg-hover pointer-coarse:min-h-11"
        >
          <Avatar url={account?.avatar ?? null} />
          <span className="hidden max-w-40 truncate font-medium sm:inline">{account?.username}</span>
          <ChevronDown size={16} aria-hidden className="text-ink-muted" />
        </Button>
      }
    >
      <MenuItem icon={<Settings />} onAction={() => void navigate({ to: '/account-settings' })}>
        {t('account_settings')}
      </MenuItem>
      <Submenu
        label={t('language')}
        item={
          <MenuItem icon={<Languages />} hint={language ? LANGUAGE_NAMES[language] : t('browser_default')}>
            {t('language')}
          </MenuItem>
        }
      >
        <LanguageItems />
      </Submenu>
      <Submenu
        label={t('theme')}
        item={
          <MenuItem icon={<SunMoon />} hint={t(`themes.${theme}`)}>
            {t('theme')}
          </MenuItem>
        }
      >
        <MenuSection
          label={t('theme')}
          selectionMode="single"
          disallowEmptySelection
          selectedKeys={[theme]}
          onSelectionChange={(keys) => {
            const [key] = keys;
            const chosen = THEMES.find((one) => one === key);
            if (chosen) chooseTheme(chosen);
          }}
        >
          {THEMES.map((one) => (
            <MenuItem key={one} id={one}>
              {t(`themes.${one}`)}
            </MenuItem>
          ))}
        </MenuSection>
      </Submenu>
      <MenuSeparator />
      <MenuItem
        icon={<LogOut />}
        onAction={() => {
          void logOut();
          void navigate({ to: '/login' });
        }}
      >
        {t('sign_out')}
      </MenuItem>
    </Menu>
  );
}
