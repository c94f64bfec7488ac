/** Creating a formatter costs more than using it a hundred times, so each is created once. */
const cache = new Map<string, unknown>();

function cached<Options, Format>(
  Type: new (locale: string, options: Options) => Format,
  locale: string,
  options: Options,
): Format {
  const key = Type.name + locale + JSON.stringify(options);
  if (!cache.has(key)) cache.set(key, new Type(locale, options));
  return cache.get(key) as Format;
}

export function dateFormat(locale: string, options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  return cached(Intl.DateTimeFormat, locale, options);
}

/** `Nov 24, 2026, 2:03:05 PM GMT+1`: with its zone, because owners in several read the same evidence. */
export function exactTimeFormat(locale: string, timeZone?: string): Intl.DateTimeFormat {
  return dateFormat(locale, {
    dateStyle: 'medium',
    timeStyle: 'long',
    ...(timeZone === undefined ? {} : { timeZone }),
  });
}

export function numberFormat(locale: string, options: Intl.NumberFormatOptions = {}): Intl.NumberFormat {
  return cached(Intl.NumberFormat, locale, options);
}

/** `+23%`, `−12%`, and `0%` without a sign. */
export function signedPercent(locale: string, share: number): string {
  const format = numberFormat(locale, {
    style: 'percent',
    signDisplay: 'exceptZero',
    maximumFractionDigits: 0,
  });
  // In most languages, the format's minus is a hyphen.
  return format.format(share).replace('-', '−');
}

export function relativeTimeFormat(locale: string): Intl.RelativeTimeFormat {
  return cached(Intl.RelativeTimeFormat, locale, { numeric: 'auto' });
}

export function listFormat(locale: string, options: Intl.ListFormatOptions = {}): Intl.ListFormat {
  return cached(Intl.ListFormat, locale, options);
}
