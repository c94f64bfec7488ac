import { useLanguage } from './i18n.ts';
import { numberFormat } from './formats.ts';

/** Formats numbers in the app's language. */
export function useNumber(options?: Intl.NumberFormatOptions): (value: number) => string {
  const format = numberFormat(useLanguage(), options);
  return (value) => format.format(value);
}
