/** Making one costs more than using it a hundred times: each is made once, and serves every row. */
const made = new Map<string, unknown>();

function kept<Format>(kind: string, locale: string, options: object, make: () => Format): Format {
  const key = `${kind} ${locale} ${JSON.stringify(options)}`;
  if (!made.has(key)) made.set(key, make());
  return made.get(key) as Format;
}

export function dateFormat(locale: string, options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  return kept('date', locale, options, () => new Intl.DateTimeFormat(locale, options));
}

export function numberFormat(locale: string, options: Intl.NumberFormatOptions = {}): Intl.NumberFormat {
  return kept('number', locale, options, () => new Intl.NumberFormat(locale, options));
}

export function relativeTimeFormat(locale: string): Intl.RelativeTimeFormat {
  return kept('relative', locale, {}, () => new Intl.RelativeTimeFormat(locale, { numeric: 'auto' }));
}
