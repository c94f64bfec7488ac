import { numberFormat } from '../i18n/formats.ts';
import { useLanguage } from '../i18n/i18n.ts';

/** `4.49:1`, as the owner's language writes it. */
export function useRatioText(): (ratio: number) => string {
  const number = numberFormat(useLanguage(), { maximumFractionDigits: 2 });
  // Rounded down: 4.499 must not read as 4.5, the limit that it misses.
  return (ratio) => `${number.format(Math.floor(ratio * 100) / 100)}:1`;
}
