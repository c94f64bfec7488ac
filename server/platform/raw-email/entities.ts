const NAMED: Record<string, string> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: '\u00a0',
  zwnj: '\u200c',
  zwj: '\u200d',
  shy: '\u00ad',
  szlig: 'ß',
  aelig: 'æ',
  oslash: 'ø',
  aring: 'å',
  oelig: 'œ',
};

/** Letters with an accent, such as the `eacute` of French. */
const ACCENTS: Record<string, string> = {
  acute: '\u0301',
  grave: '\u0300',
  circ: '\u0302',
  tilde: '\u0303',
  uml: '\u0308',
  cedil: '\u0327',
  caron: '\u030c',
};

function namedLetter(name: string): string | null {
  const accent = ACCENTS[name.slice(1).toLowerCase()];
  return (
    NAMED[name.toLowerCase()] ?? (accent === undefined ? null : `${name.charAt(0)}${accent}`.normalize('NFC'))
  );
}

/** Replaces the escapes of HTML that links and their texts have. Others stay as they are. */
export function unescapeHtml(text: string): string {
  return text.replaceAll(/&(?:#(\d{1,7})|#x([\da-f]{1,6})|([a-z]{2,7}));/gi, (whole, decimal, hex, name) => {
    if (typeof name === 'string') return namedLetter(name) ?? whole;
    const code = typeof decimal === 'string' ? Number(decimal) : Number.parseInt(String(hex), 16);
    return code > 0 && code <= 0x10_ff_ff && !(code >= 0xd8_00 && code <= 0xdf_ff)
      ? String.fromCodePoint(code)
      : whole;
  });
}
