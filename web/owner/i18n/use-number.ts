import { useLanguage } from './i18n.ts';
import { numberFormat } from './formats.ts';

/** Writes numbers as the language of the app does. */
export function useNumber(options?: Intl.NumberFormatOptions): (value: number) => string {
  const format = numberFormat(useLanguage(), options);
  return (value) => format.format(value);
}
