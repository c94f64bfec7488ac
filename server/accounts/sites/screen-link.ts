import type { Config } from '#server/platform/config.ts';

/** @returns the address of a screen of the owner app, which opens with this site chosen */
export function screenLink({ appUrl }: Pick<Config, 'appUrl'>, siteId: string, path: string): string {
  const address = new URL(appUrl + path);
  address.searchParams.set('site', siteId);
  return address.href;
}
