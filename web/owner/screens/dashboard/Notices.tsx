import type { DashboardRange } from '#contract/dashboard.ts';
import { EvidenceAlert } from '../evidence/EvidenceAlert.tsx';
import { useFigures } from './dashboard.api.ts';
import { OpenComplaints } from './OpenComplaints.tsx';
import { PausedNotice } from './PausedNotice.tsx';
import { WrongRecipients } from './WrongRecipients.tsx';

/** Warnings above the figures; usually none. */
export function Notices({ range }: { range: DashboardRange }) {
  const figures = useFigures(range).data;
  const isPaused = figures?.workers_paused === true;
  const complaints = figures?.complaints;
  const wrongRecipients = figures?.wrong_recipients ?? 0;
  return (
    <>
      <EvidenceAlert />
      {isPaused && <PausedNotice />}
      {complaints && complaints.open > 0 && <OpenComplaints complaints={complaints} />}
      {wrongRecipients > 0 && <WrongRecipients count={wrongRecipients} />}
    </>
  );
}
