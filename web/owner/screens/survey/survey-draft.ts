import { useEffect, useState } from 'react';
import { SURVEY_START, type SurveyState } from './survey.logic.ts';

/** The survey outlives a reload of its tab, for one person. */
export function useSurveyDraft(userId: string) {
  const key = `survey:${userId}`;
  const [state, setState] = useState<SurveyState>(() => read(key));
  useEffect(() => {
    sessionStorage.setItem(key, JSON.stringify(state));
  }, [key, state]);
  return { state, setState, forget: () => sessionStorage.removeItem(key) };
}

function read(key: string): SurveyState {
  try {
    const value: unknown = JSON.parse(sessionStorage.getItem(key) ?? 'null');
    // Written by this file alone: a shape of an older release falls out at the first missing field.
    if (typeof value !== 'object' || value === null || !('step' in value) || !('answers' in value)) return SURVEY_START;
    return { ...SURVEY_START, ...value };
  } catch {
    return SURVEY_START;
  }
}
