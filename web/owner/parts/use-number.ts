import { useLanguage } from '../i18n.ts';

/** Writes numbers as the language of the app does. */
export function useNumber(options?: Intl.NumberFormatOptions): (value: number) => string {
  const format = new Intl.NumberFormat(useLanguage(), options);
  return (value) => format.format(value);
}
