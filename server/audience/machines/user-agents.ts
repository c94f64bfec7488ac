const DAY_MS = 86_400_000;

/** Libraries, command lines, and browsers without a window. What names itself a bot is one. */
const SCRIPT =
  /^(?:python|curl|wget|java|go-http|okhttp|axios|node|undici|ruby|perl|php|guzzle|libwww|apache-httpclient|postman)|python-requests|aiohttp|headlesschrome|phantomjs|puppeteer|playwright|(?<!cu)bot\b|(?:crawler|spider|scanner)\b/i;

/** Windows up to 8.1, whose last security updates came in January 2023. */
const OLD_WINDOWS = /Windows NT (?:5\.|6\.[0-3])/;

/** Phones and tablets often can't be updated, so an old browser there says nothing. */
const MOBILE = /Mobile|Android/;

/** Chrome 100 came out on this day, and since then a version about every 31 days. */
const CHROME_100_MS = Date.UTC(2022, 2, 29);
const DAYS_OF_VERSION = 31;

/** Chrome on computers updates itself within weeks; 24 versions are about two years. */
const MOST_VERSIONS_BEHIND = 24;

/** Whether a user agent names a program that isn't a browser with a person before it. */
export function isScript(agent: string): boolean {
  return SCRIPT.test(agent);
}

/** Whether a computer's browser was about two years old at that time, or its Windows without updates. */
export function isOutdated(agent: string, atMs: number): boolean {
  if (MOBILE.test(agent)) return false;
  if (OLD_WINDOWS.test(agent)) return true;
  const version = /Chrome\/(\d+)/.exec(agent)?.[1];
  const newest = 100 + Math.floor((atMs - CHROME_100_MS) / (DAYS_OF_VERSION * DAY_MS));
  return version !== undefined && Number(version) < newest - MOST_VERSIONS_BEHIND;
}
