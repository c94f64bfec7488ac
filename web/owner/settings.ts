import { queryOptions, useQuery } from '@tanstack/react-query';
import { getAppSettings } from '#contract/app-settings.ts';
import { call } from './api.ts';

export const settingsQuery = queryOptions({
  queryKey: ['app-settings'],
  queryFn: () => call(getAppSettings, {}),
  staleTime: Infinity,
});

/** What the dashboard has to know before anyone logs in; undefined until it came. */
export function useSettings() {
  return useQuery(settingsQuery).data;
}

/** Does this server send the emails that settings promise? Until that is known, nothing is said against it. */
export function useSendsEmail(): boolean {
  return useSettings()?.sends_email ?? true;
}
