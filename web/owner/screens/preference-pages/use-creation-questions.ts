import { useCallback, useState } from 'react';
import { type CreationQuestion, questionsLeft } from './page-problems.ts';
import type { PageForm } from './pages.logic.ts';

/** What was answered with "off", which the form does not tell from no answer. Kept while another tab is open. */
export function useCreationQuestions(form: PageForm, isNew: boolean) {
  const [off, setOff] = useState<readonly CreationQuestion[]>([]);
  const answer = useCallback((question: CreationQuestion, isOn: boolean) => {
    setOff((before) => [...before.filter((one) => one !== question), ...(isOn ? [] : [question])]);
  }, []);
  const forget = useCallback(() => setOff([]), []);
  const left = isNew ? questionsLeft(form, off) : [];
  return { off, answer, forget, left };
}
