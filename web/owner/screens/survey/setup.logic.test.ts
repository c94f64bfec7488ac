import { describe, expect, it } from 'vitest';
import { setUp, SetupError, type SetupCalls } from './setup.logic.ts';

function recorded(failing: keyof SetupCalls | null = null) {
  const log: string[] = [];
  function step<T>(name: keyof SetupCalls, value: T) {
    return async (id?: string) => {
      log.push(id === undefined ? name : `${name} ${id}`);
      if (name === failing) throw new Error(name);
      return value;
    };
  }
  const calls: SetupCalls = {
    submitSurvey: step('submitSurvey', null),
    createOrganization: step('createOrganization', { id: 'acme' }),
    assignOrganization: step('assignOrganization', null),
    createSite: step('createSite', null),
  };
  const progress = {
    onPhase: (phase: string) => log.push(phase),
    onOrganization: (id: string) => log.push(`has ${id}`),
  };
  return { log, calls, progress };
}

describe('set-up', () => {
  it('calls in the order of the spec (spec 98)', async () => {
    const { log, calls, progress } = recorded();
    await setUp(calls, null, progress);
    expect(log).toEqual([
      'submitting',
      'submitSurvey',
      'creating',
      'createOrganization',
      'has acme',
      'assignOrganization acme',
      'createSite acme',
    ]);
  });

  it('swallows a failed survey (spec 109)', async () => {
    const { log, calls, progress } = recorded('submitSurvey');
    await setUp(calls, null, progress);
    expect(log.at(-1)).toBe('createSite acme');
  });

  it('continues with an existing organization', async () => {
    const { log, calls, progress } = recorded();
    await setUp(calls, 'earlier', progress);
    expect(log).not.toContain('createOrganization');
    expect(log.at(-1)).toBe('createSite earlier');
  });

  it.each([
    ['createOrganization', 'organization'],
    ['assignOrganization', 'organization'],
    ['createSite', 'site'],
  ] as const)('says which part a failed %s belongs to', async (failing, part) => {
    const { calls, progress } = recorded(failing);
    await expect(setUp(calls, null, progress)).rejects.toSatisfy(
      (error) => error instanceof SetupError && error.part === part,
    );
  });
});
