import { useTranslation } from 'react-i18next';
import type { FieldProblem } from './auth.logic.ts';

/** Turns a check into a react-hook-form rule, with the problem in the owner's language. */
export function useFieldRule() {
  const { t } = useTranslation('auth');
  return (check: (value: string) => FieldProblem | null) => ({
    validate: (value: unknown) => {
      const problem = check(typeof value === 'string' ? value : '');
      return problem === null || t(`problems.${problem}`);
    },
  });
}
