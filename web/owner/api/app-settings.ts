import { queryOptions, useQuery } from '@tanstack/react-query';
import { getAppSettings } from '#contract/app-settings.ts';
import { call } from './call.ts';

export const appSettingsQuery = queryOptions({
  queryKey: ['app-settings'],
  queryFn: () => call(getAppSettings, {}),
  staleTime: Infinity,
});

/** The server's settings, which are readable before anyone logs in; undefined while they load. */
export function useAppSettings() {
  return useQuery(appSettingsQuery).data;
}

/** Whether this server sends email. Assumed until it is known, so that no warning flashes. */
export function useSendsEmail(): boolean {
  return useAppSettings()?.sends_email ?? true;
}
