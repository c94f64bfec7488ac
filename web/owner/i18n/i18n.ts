import i18next, { type BackendModule } from 'i18next';
import { useSyncExternalStore } from 'react';
import { initReactI18next } from 'react-i18next';
import { LANGUAGES, type Language } from '#contract/fields.ts';
import { keptInBrowser } from '#web/ui/browser-storage.ts';
import { chooseLanguage, toLanguage } from './language.logic.ts';

const KEY = 'language';
const files = import.meta.glob<Record<string, unknown>>(
  ['../locales/*/*.json', '!../locales/*/connectors.json'],
  {
    import: 'default',
  },
);

const lazyFiles: BackendModule = {
  type: 'backend',
  init: () => {},
  read(language, namespace, done) {
    const load = files[`../locales/${language}/${namespace}.json`];
    if (!load) return done(new Error(`no locale file ${language}/${namespace}`), null);
    load().then(
      (texts) => done(null, texts),
      (error: unknown) => done(error instanceof Error ? error : new Error('locale file did not load'), null),
    );
  },
};

/** Loads the texts that every screen needs; the other namespaces come with their screens. */
export async function startI18n(): Promise<void> {
  i18next.on('languageChanged', (language) => {
    document.documentElement.lang = language;
  });
  await i18next
    .use(lazyFiles)
    .use(initReactI18next)
    .init({
      lng: chooseLanguage(keptInBrowser.getItem(KEY), navigator.languages),
      fallbackLng: 'en',
      supportedLngs: [...LANGUAGES],
      ns: ['ui', 'shell'],
      defaultNS: 'ui',
      // The defaults; named, i18next doesn't guess for each text whether its key is a sentence.
      keySeparator: '.',
      nsSeparator: ':',
      interpolation: { escapeValue: false },
    });
}

/** The owner's choice; null leaves it to the browser. */
export function readLanguageChoice(): Language | null {
  return toLanguage(keptInBrowser.getItem(KEY));
}

export function setLanguageChoice(language: Language | null): void {
  if (language === null) keptInBrowser.removeItem(KEY);
  else keptInBrowser.setItem(KEY, language);
  void i18next.changeLanguage(chooseLanguage(language, navigator.languages));
}

export function useLanguageChoice(): Language | null {
  return useSyncExternalStore((listener) => {
    i18next.on('languageChanged', listener);
    return () => i18next.off('languageChanged', listener);
  }, readLanguageChoice);
}

/** The language that is shown now, for dates and numbers. */
export function useLanguage(): Language {
  return useSyncExternalStore(
    (listener) => {
      i18next.on('languageChanged', listener);
      return () => i18next.off('languageChanged', listener);
    },
    () => toLanguage(i18next.resolvedLanguage) ?? 'en',
  );
}
