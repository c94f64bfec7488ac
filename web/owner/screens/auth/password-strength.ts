import { ZxcvbnFactory } from '@zxcvbn-ts/core';
import { adjacencyGraphs, dictionary } from '@zxcvbn-ts/language-common';

export type StrengthProblem = 'keys' | 'repeats' | 'sequence' | 'dates' | 'common' | 'word' | 'own';

export interface Strength {
  level: 'weak' | 'fair' | 'good' | 'strong';
  problem: StrengthProblem | null;
}

const zxcvbn = new ZxcvbnFactory({ dictionary, graphs: adjacencyGraphs });

/** Without translations the library returns the keys of its texts. */
const PROBLEMS: Record<string, StrengthProblem> = {
  straightRow: 'keys',
  keyPattern: 'keys',
  simpleRepeat: 'repeats',
  extendedRepeat: 'repeats',
  sequences: 'sequence',
  recentYears: 'dates',
  dates: 'dates',
  topTen: 'common',
  topHundred: 'common',
  common: 'common',
  similarToCommon: 'common',
  wordByItself: 'word',
  namesByThemselves: 'word',
  commonNames: 'word',
  userInputs: 'own',
};

const LEVELS = ['weak', 'weak', 'fair', 'good', 'strong'] as const;

/** @param own the account's own names, which are easy to guess */
export function strengthOf(password: string, own: readonly string[]): Strength {
  const { score, feedback } = zxcvbn.check(password.slice(0, 200), own.flatMap(wordsOf));
  return { level: LEVELS[score], problem: PROBLEMS[feedback.warning ?? ''] ?? null };
}

function wordsOf(name: string): string[] {
  return [name, ...name.split(/[@.]/)].filter((word) => word.length > 2);
}
