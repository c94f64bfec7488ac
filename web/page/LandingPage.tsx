import { ConfirmStep } from './ConfirmStep.tsx';
import { LeaveStep } from './LeaveStep.tsx';
import { localService } from './local-service.ts';
import { PageProvider } from './page-context.tsx';
import * as parts from './parts.ts';
import type { Texts } from './texts.ts';
import type { PageView } from './view.ts';

/** The pages behind links in emails. No script runs there, so they are no part of the visitor's script either. */
export function LandingPage({ view, texts }: { view: PageView; texts: Texts }) {
  return (
    <PageProvider view={view} texts={texts} service={localService} parts={parts}>
      {view.step === 'leave' ? <LeaveStep /> : <ConfirmStep />}
    </PageProvider>
  );
}

export const isLanding = ({ step }: PageView) => step === 'leave' || step === 'confirm';
