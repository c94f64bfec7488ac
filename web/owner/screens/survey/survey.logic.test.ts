import { describe, expect, it } from 'vitest';
import {
  canGoBack,
  domainVerdict,
  goBack,
  goOn,
  nameVerdict,
  NO_ANSWERS,
  pagesUrl,
  sectionOf,
  SURVEY_START,
  type SurveyState,
  toLabel,
  toolsOf,
} from './survey.logic.ts';

function at(step: SurveyState['step'], answers: Partial<SurveyState['answers']> = {}): SurveyState {
  return { step, answers: { ...NO_ANSWERS, ...answers }, organizationId: null };
}

describe('Continue', () => {
  it('leads from start to the tools only for Integrations (spec 83)', () => {
    expect(goOn(at('start', { use: 'integrations' })).step).toBe('integrations-step');
    expect(goOn(at('start', { use: 'preference_center' })).step).toBe('contacts-step');
  });

  it('forgets the tools when Preference center is chosen after all', () => {
    expect(
      goOn(at('start', { use: 'preference_center', tools: ['Drip'], other: 'X' })).answers.tools,
    ).toEqual([]);
  });

  it('follows the order of the other steps (spec 82)', () => {
    let state = at('integrations-step');
    const walked = Array.from({ length: 4 }, () => (state = goOn(state)).step);
    expect(walked).toEqual(['contacts-step', 'third-step', 'fourth-step', 'fifth-step']);
  });
});

describe('Back', () => {
  it('clears all answers where it returns to the start (spec 84)', () => {
    expect(goBack(at('start', { use: 'integrations' }))).toEqual(SURVEY_START);
    expect(goBack(at('integrations-step', { use: 'integrations', tools: ['Drip'] }))).toEqual(SURVEY_START);
    expect(goBack(at('contacts-step', { use: 'preference_center', contacts: 1000 }))).toEqual(SURVEY_START);
  });

  it('keeps the answers between the audience and the tools, if any were chosen (spec 84)', () => {
    const state = at('contacts-step', { tools: ['Drip'] });
    expect(goBack(state)).toEqual({ ...state, step: 'integrations-step' });
  });

  it('leads from the domain to the name, and from the name to the audience', () => {
    expect(goBack(at('fourth-step')).step).toBe('third-step');
    expect(goBack(at('third-step')).step).toBe('contacts-step');
  });

  it('does not lead to the name of an organization that already has it', () => {
    const state = { ...at('fourth-step'), organizationId: '1' };
    expect(canGoBack(state)).toBe(false);
    expect(goBack({ ...state, step: 'fifth-step' }).step).toBe('fourth-step');
  });
});

describe('tools', () => {
  it('append the text of Other when it is filled', () => {
    expect(toolsOf({ ...NO_ANSWERS, tools: ['Drip', 'Other'], other: ' Loops ' })).toEqual([
      'Drip',
      'Other',
      'Loops',
    ]);
    expect(toolsOf({ ...NO_ANSWERS, tools: ['Drip', 'Other'], other: ' ' })).toEqual(['Drip', 'Other']);
    expect(toolsOf({ ...NO_ANSWERS, tools: ['Drip'], other: 'left over' })).toEqual(['Drip']);
  });
});

it('each step names its sidebar entry (spec 82)', () => {
  expect(
    (['start', 'integrations-step', 'contacts-step', 'third-step', 'fifth-step'] as const).map(sectionOf),
  ).toEqual([1, 1, 2, 3, 3]);
});

describe('name', () => {
  it('is not judged before anything was typed, or while typing', () => {
    expect(nameVerdict('', '', false, 'unknown')).toBe('unknown');
    expect(nameVerdict('Acm', 'Ac', true, 'free')).toBe('unknown');
  });

  it('is rejected when it was emptied (spec 100)', () => {
    expect(nameVerdict(' ', ' ', true, 'unknown')).toBe('empty');
  });

  it('is otherwise what the checker says (spec 100)', () => {
    expect(nameVerdict('Acme', 'Acme', true, 'taken')).toBe('taken');
    expect(nameVerdict('a'.repeat(101), 'a'.repeat(101), true, 'free')).toBe('too_long');
  });
});

describe('domain', () => {
  it.each(['-acme', 'acme-', 'ac me', 'ac_me', 'acmé', 'a'.repeat(64), 'a.b'])(
    '%s is invalid (spec 101)',
    (label) => {
      expect(domainVerdict(label, label, 'free')).toBe('invalid');
    },
  );

  it.each(['a', 'acme', 'acme-books', '2go', 'a'.repeat(63)])('%s is valid (spec 101)', (label) => {
    expect(domainVerdict(label, label, 'free')).toBe('free');
  });

  it('accepts capitals and the suffix', () => {
    expect(toLabel(' Acme.Example.com ', 'example.com')).toBe('acme');
    expect(toLabel('acme', 'example.com')).toBe('acme');
  });

  it('is shown as the URL that will open, with the scheme and port of the app', () => {
    expect(pagesUrl('http://localhost:3000', 'acme.localhost')).toBe('http://acme.localhost:3000');
    expect(pagesUrl('https://app.sayso.example', 'acme.sayso.example')).toBe('https://acme.sayso.example');
  });
});
