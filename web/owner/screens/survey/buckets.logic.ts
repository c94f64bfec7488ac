import type { Language } from '#contract/fields.ts';
import { AUDIENCE_BUCKETS } from '#contract/survey.ts';

/** Label of an audience bucket with its numbers written as the language writes them. */
export function bucketLabel(
  index: number,
  language: Language,
  rangeText: (range: { from: string; to: string }) => string,
): string {
  const numbers = AUDIENCE_BUCKETS[index]?.label.match(/[\d,]+/g) ?? [];
  const [from, to] = numbers.map((text) =>
    Number(text.replaceAll(',', '')).toLocaleString(language, GROUPED),
  );
  if (from === undefined) return '';
  return to === undefined ? `${from}+` : rangeText({ from, to });
}

// Without it, es and pl would write 1000 beside 15 000.
const GROUPED: Intl.NumberFormatOptions = { useGrouping: 'always' };
