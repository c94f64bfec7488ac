import { useQuery } from '@tanstack/react-query';
import { check } from '#contract/checkers.ts';
import { createOrganization } from '#contract/organizations.ts';
import { createSite } from '#contract/sites.ts';
import { AUDIENCE_BUCKETS, submitSurvey, SURVEY_VERSION } from '#contract/survey.ts';
import { updateAccount } from '../../account.ts';
import { call } from '../../api.ts';
import { readAuth, storeOrganization } from '../../session.ts';
import type { SetupCalls } from './setup.logic.ts';
import { type Answers, type Availability, toolsOf } from './survey.logic.ts';

type Checked = { organization_name: string } | { site_domain: string };

/** Asks the checker about a value once typing has stopped; null asks nothing. */
export function useAvailability(checked: Checked | null): { availability: Availability; retry: () => void } {
  const query = useQuery({
    queryKey: ['checker', checked],
    queryFn: ({ signal }) => call(check, { query: checked ?? {} }, { signal }),
    enabled: checked !== null,
    staleTime: 0,
    gcTime: 0,
    retry: 1,
  });
  return { availability: availabilityOf(query), retry: () => void query.refetch() };
}

function availabilityOf(query: {
  fetchStatus: string;
  isError: boolean;
  data: readonly { error: boolean }[] | undefined;
}): Availability {
  if (query.fetchStatus !== 'idle') return 'checking';
  if (query.isError) return 'failed';
  const first = query.data?.[0];
  if (!first) return 'unknown';
  return first.error ? 'taken' : 'free';
}

export function createFirstSite(organizationId: string, label: string, siteDomain: string, name: string) {
  return call(createSite, {
    params: { organization_id: organizationId },
    body: { domain_name: fullDomain(label, siteDomain), name },
  });
}

export function fullDomain(label: string, siteDomain: string): string {
  return `${label}.${siteDomain}`;
}

/** The calls of the last step for these answers. */
export function setupCalls(answers: Answers, siteDomain: string): SetupCalls {
  const userId = readAuth()?.id ?? '';
  const name = answers.name.trim();
  const contacts = AUDIENCE_BUCKETS.find((bucket) => bucket.value === answers.contacts)?.value ?? 1;
  return {
    submitSurvey: () =>
      call(submitSurvey, {
        params: { id: userId },
        body: {
          version: SURVEY_VERSION,
          data: {
            name,
            domain: fullDomain(answers.domain, siteDomain),
            integrations: toolsOf(answers),
            contacts,
          },
        },
      }),
    createOrganization: () => call(createOrganization, { body: { name } }),
    assignOrganization: async (organization) => {
      await updateAccount(userId, { organization });
      storeOrganization(organization);
    },
    createSite: (organizationId) => createFirstSite(organizationId, answers.domain, siteDomain, name),
  };
}
