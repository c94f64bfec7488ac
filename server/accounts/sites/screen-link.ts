import type { Config } from '#server/platform/config.ts';

/** @returns the URL of a screen of the owner app, with this site selected */
export function screenLink({ appUrl }: Pick<Config, 'appUrl'>, siteId: string, path: string): string {
  const address = new URL(appUrl + path);
  address.searchParams.set('site', siteId);
  return address.href;
}
