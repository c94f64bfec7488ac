import type { Plugin } from 'vite';
import { LANGUAGES } from '#contract/fields.ts';

const TEXTS = /\/react-aria\/dist\/private\/intl\/\w+\/([a-z]{2})-[A-Z]{2}\.\w+$/;

/** Leaves out what React Aria says in languages that the app does not speak. */
export function ownLanguages(): Plugin {
  return {
    name: 'own-languages',
    apply: 'build',
    enforce: 'pre',
    load(id) {
      const language = TEXTS.exec(id)?.[1];
      const isOurs = language === undefined || LANGUAGES.some((one) => one === language);
      return isOurs ? null : 'export default {};';
    },
  };
}
