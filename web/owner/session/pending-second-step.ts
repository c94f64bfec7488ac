import { useNavigate } from '@tanstack/react-router';
import { SECOND_STEP_PATH } from '#contract/app-paths.ts';
import { ApiError } from '#contract/client.ts';
import type { SecondStep } from '#contract/second-factors.ts';
import { clearAuth, isLogged, onAuthChange } from './session.ts';

/** A log-in that still needs its second factor. Only in this window's memory: the ticket is half a log-in. */
let waiting: SecondStep | null = null;

export function pendingSecondStep(): SecondStep | null {
  return waiting;
}

// After a successful log-in no second step is pending.
onAuthChange(() => {
  if (isLogged()) waiting = null;
});

function isStep(data: unknown): data is SecondStep {
  return typeof data === 'object' && data !== null && 'ticket' in data && 'ways' in data;
}

/** Null for any other error. */
export function secondStepOf(error: unknown): SecondStep | null {
  if (!(error instanceof ApiError) || error.errors[0]?.code !== 'second_factor_required') return null;
  return isStep(error.data) ? error.data : null;
}

/**
 * Returns a function that goes to the second step if the error asks for it, and says whether it did.
 */
export function useSecondStep(): (error: unknown, next?: string) => boolean {
  const navigate = useNavigate();
  return (error, next) => {
    const step = secondStepOf(error);
    if (step === null) return false;
    waiting = step;
    clearAuth();
    void navigate({ to: SECOND_STEP_PATH, search: next === undefined ? {} : { next }, replace: true });
    return true;
  };
}
