import { useNavigate } from '@tanstack/react-router';
import { Keyboard, Languages, LogOut, Search, Settings, SunMoon, Users } from 'lucide-react';
import { use } from 'react';
import { useTranslation } from 'react-i18next';
import { MenuItem, MenuLayer, MenuSection, MenuSeparator, Submenu } from '#web/ui/Menu.tsx';
import { useLanguageChoice } from '../i18n/i18n.ts';
import { LANGUAGE_NAMES } from '../i18n/language.logic.ts';
import { chooseTheme } from '../preferences/preferences.ts';
import { THEMES, useTheme } from '../preferences/theme.ts';
import { OpenLayerContext } from '../commands/open-layer.ts';
import { hasKeyboard } from '../commands/has-keyboard.ts';
import { LanguageItems } from '../preferences/LanguageMenu.tsx';
import type { LazyLayerProps } from '../components/LazyMenu.tsx';

export function AccountMenuLayer(layer: LazyLayerProps) {
  const { t } = useTranslation('shell');
  const navigate = useNavigate();
  const language = useLanguageChoice();
  const theme = useTheme();
  const onOpen = use(OpenLayerContext);
  return (
    <MenuLayer {...layer} label={t('account_menu')}>
      <MenuItem icon={<Settings />} onAction={() => void navigate({ to: '/account-settings' })}>
        {t('account_settings')}
      </MenuItem>
      <MenuItem icon={<Users />} onAction={() => void navigate({ to: '/customers' })}>
        {t('titles.customers')}
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
        <ThemeItems />
      </Submenu>
      <MenuItem icon={<Search />} onAction={() => onOpen('palette')}>
        {t('commands')}
      </MenuItem>
      {hasKeyboard() && (
        <MenuItem icon={<Keyboard />} onAction={() => onOpen('shortcuts')}>
          {t('shortcuts')}
        </MenuItem>
      )}
      <MenuSeparator />
      <MenuItem icon={<LogOut />} onAction={() => void navigate({ to: '/login', state: { signOut: true } })}>
        {t('sign_out')}
      </MenuItem>
    </MenuLayer>
  );
}

function ThemeItems() {
  const { t } = useTranslation('shell');
  const theme = useTheme();
  return (
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
  );
}
