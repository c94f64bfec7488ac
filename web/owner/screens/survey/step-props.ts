import type { Answers } from './survey.logic.ts';

export interface StepProps {
  answers: Answers;
  onAnswer: (answers: Partial<Answers>) => void;
  onContinue: () => void;
  onBack: (() => void) | undefined;
}
