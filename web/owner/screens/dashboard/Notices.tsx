import type { DashboardRange } from '#contract/dashboard.ts';
import { EvidenceAlert } from '../evidence/EvidenceAlert.tsx';
import { useFigures } from './dashboard.api.ts';
import { PausedNotice } from './PausedNotice.tsx';

/** Warnings above the figures; usually none. */
export function Notices({ range }: { range: DashboardRange }) {
  const isPaused = useFigures(range).data?.workers_paused === true;
  return (
    <>
      <EvidenceAlert />
      {isPaused && <PausedNotice />}
    </>
  );
}
