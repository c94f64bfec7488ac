import { useEffect, useState } from 'react';
import { keptInTab } from '#web/ui/browser-storage.ts';
import { surveyKey } from '../../session/owner-storage.ts';
import { STEPS, SURVEY_START, type SurveyState } from './survey.logic.ts';

/** The survey outlives a reload of its tab, for one person. */
export function useSurveyDraft(userId: string) {
  const key = surveyKey(userId);
  const [state, setState] = useState<SurveyState>(() => read(key));
  useEffect(() => {
    keptInTab.setItem(key, JSON.stringify(state));
  }, [key, state]);
  return { state, setState, evict: () => keptInTab.removeItem(key) };
}

/** The subdomain that was chosen in a survey which was broken off. */
export function domainOfDraft(userId: string): string {
  return read(surveyKey(userId)).answers.domain;
}

function read(key: string): SurveyState {
  try {
    const value: unknown = JSON.parse(keptInTab.getItem(key) ?? 'null');
    return isState(value) ? value : SURVEY_START;
  } catch {
    return SURVEY_START;
  }
}

/** Only this file writes it; what an older release wrote may lack a part. */
function isState(value: unknown): value is SurveyState {
  if (typeof value !== 'object' || value === null || !('step' in value) || !('answers' in value))
    return false;
  const { step, answers } = value;
  if (!STEPS.some((one) => one === step) || typeof answers !== 'object' || answers === null) return false;
  return 'organizationId' in value && Object.keys(SURVEY_START.answers).every((field) => field in answers);
}
