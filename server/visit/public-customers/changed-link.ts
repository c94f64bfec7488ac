/*
 * Some scanners append a quote to parameters, or put markup into them, to see what a page does with it. A quote within a
 * value is none of that: a campaign may have one in its name. Nor is one after a challenge: people copy links with it.
 */
const ENDS_WITH_QUOTE = /(?:%27|%22|['"])$/i;
const MARKUP = /%3C|</i;
const IS_CHALLENGE = /^(?:amp;)*challenge$/;

/** Did a scanner change a parameter of the page's URL? Takes a time that grows with the URL's length, as anybody may ask. */
export function hasChangedLink(url: string): boolean {
  const [, ...parameters] = url.split(/[?&]/);
  return parameters.some((one) => {
    const at = one.indexOf('=');
    if (at < 0) return false;
    const value = one.slice(at + 1);
    if (MARKUP.test(value)) return true;
    return ENDS_WITH_QUOTE.test(value.slice(-3)) && !IS_CHALLENGE.test(one.slice(0, at));
  });
}
