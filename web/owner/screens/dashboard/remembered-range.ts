import { DASHBOARD_RANGES, type DashboardRange } from '#contract/dashboard.ts';
import { keptInBrowser } from '#web/ui/browser-storage.ts';
import { oneOf } from '../../routing/search-params.logic.ts';

const KEY = 'dashboard-range';
const DEFAULT: DashboardRange = '30d';

/** The range that was last chosen in this browser. */
export function rememberedRange(): DashboardRange {
  return oneOf(keptInBrowser.getItem(KEY), DASHBOARD_RANGES) ?? DEFAULT;
}

export function rememberRange(range: DashboardRange): void {
  keptInBrowser.setItem(KEY, range);
}
