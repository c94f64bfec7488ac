/** Making one costs more than using it a hundred times: each is made once, and serves every row. */
const made = new Map<string, unknown>();

function kept<Options, Format>(
  Type: new (locale: string, options: Options) => Format,
  locale: string,
  options: Options,
): Format {
  const key = Type.name + locale + JSON.stringify(options);
  if (!made.has(key)) made.set(key, new Type(locale, options));
  return made.get(key) as Format;
}

export function dateFormat(locale: string, options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  return kept(Intl.DateTimeFormat, locale, options);
}

export function numberFormat(locale: string, options: Intl.NumberFormatOptions = {}): Intl.NumberFormat {
  return kept(Intl.NumberFormat, locale, options);
}

export function relativeTimeFormat(locale: string): Intl.RelativeTimeFormat {
  return kept(Intl.RelativeTimeFormat, locale, { numeric: 'auto' });
}
