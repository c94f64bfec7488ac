import { useLanguage } from './i18n.ts';
import { numberFormat, signedPercent } from './formats.ts';

/** Formats numbers in the app's language. */
export function useNumber(options?: Intl.NumberFormatOptions): (value: number) => string {
  const format = numberFormat(useLanguage(), options);
  return (value) => format.format(value);
}

/** A change as a share. */
export function useSignedPercent(): (share: number) => string {
  const language = useLanguage();
  return (share) => signedPercent(language, share);
}
