import type { ComponentType } from 'react';
import { ConfirmStep } from './ConfirmStep.tsx';
import { LeaveStep } from './LeaveStep.tsx';
import { localService } from './local-service.ts';
import { PageProvider } from './page-context.tsx';
import * as parts from './parts.ts';
import { ReportStep } from './ReportStep.tsx';
import { TakenDownStep } from './TakenDownStep.tsx';
import type { Texts } from './texts.ts';
import type { PageStep, PageView } from './view.ts';

const STEPS: Partial<Record<PageStep, ComponentType>> = {
  leave: LeaveStep,
  confirm: ConfirmStep,
  report: ReportStep,
  'taken-down': TakenDownStep,
};

/**
 * The pages behind links in emails, and those that aren't the business's own. No script runs there, so they are no part of
 * the visitor's script either.
 */
export function LandingPage({ view, texts }: { view: PageView; texts: Texts }) {
  const Step = STEPS[view.step];
  if (!Step) return null;
  return (
    <PageProvider view={view} texts={texts} service={localService} parts={parts}>
      <Step />
    </PageProvider>
  );
}

export const isLanding = ({ step }: PageView) => step in STEPS;
