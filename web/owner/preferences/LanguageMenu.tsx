import { ChevronDown, Languages } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { LANGUAGES } from '#contract/fields.ts';
import { Button } from '#web/ui/Button.tsx';
import { Menu, MenuItem, MenuSection } from '#web/ui/Menu.tsx';
import { useLanguageChoice } from '../i18n/i18n.ts';
import { LANGUAGE_NAMES, toLanguage } from '../i18n/language.logic.ts';
import { BROWSER_DEFAULT, chooseLanguage } from './preferences.ts';

/** For screens without an account menu. @param isShort shows only the icon on phones */
export function LanguageMenu({ isShort = false }: { isShort?: boolean }) {
  const { t } = useTranslation('shell');
  const language = useLanguageChoice();
  return (
    <Menu
      label={t('language')}
      placement="top start"
      trigger={
        <Button variant="ghost" size="sm" icon={<Languages />}>
          <span className="sr-only">{t('language')}: </span>
          <span className={isShort ? 'max-sm:sr-only' : ''}>
            {language ? LANGUAGE_NAMES[language] : t('browser_default')}
          </span>
          <ChevronDown aria-hidden />
        </Button>
      }
    >
      <LanguageItems />
    </Menu>
  );
}

/** The languages and the browser's default, as menu items. */
export function LanguageItems() {
  const { t } = useTranslation('shell');
  const language = useLanguageChoice();
  return (
    <MenuSection
      label={t('language')}
      selectionMode="single"
      disallowEmptySelection
      selectedKeys={[language ?? BROWSER_DEFAULT]}
      onSelectionChange={(keys) => {
        const [key] = keys;
        chooseLanguage(key === BROWSER_DEFAULT ? null : toLanguage(String(key)));
      }}
    >
      {[
        <MenuItem key={BROWSER_DEFAULT} id={BROWSER_DEFAULT}>
          {t('browser_default')}
        </MenuItem>,
        ...LANGUAGES.map((one) => (
          <MenuItem key={one} id={one}>
            {LANGUAGE_NAMES[one]}
          </MenuItem>
        )),
      ]}
    </MenuSection>
  );
}
