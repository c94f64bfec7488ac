import { useQuery } from '@tanstack/react-query';
import { check } from '#contract/checkers.ts';
import { createOrganization } from '#contract/organizations.ts';
import { ApiError } from '#contract/client.ts';
import { createSite, listSitesV1_1, type Site } from '#contract/sites.ts';
import { AUDIENCE_BUCKETS, submitSurvey, SURVEY_VERSION } from '#contract/survey.ts';
import { updateAccount } from '../../account/account.ts';
import { call } from '../../api/call.ts';
import { readAuth, storeOrganization } from '../../session/session.ts';
import type { SetupCalls } from './setup.logic.ts';
import { type Answers, type Availability, toolsOf } from './survey.logic.ts';

type Checked = { organization_name: string } | { site_domain: string };

/** Asks the checker about a value once typing has stopped; null asks nothing. */
export function useAvailability(checked: Checked | null): {
  availability: Availability;
  /** Taken by the product itself. */
  isReserved: boolean;
  retry: () => void;
} {
  const query = useQuery({
    queryKey: ['checker', checked],
    queryFn: ({ signal }) => call(check, { query: checked ?? {} }, { signal }),
    enabled: checked !== null,
    staleTime: 0,
    gcTime: 0,
    retry: 1,
  });
  return {
    availability: availabilityOf(query),
    isReserved: query.data?.[0]?.reserved === true,
    retry: () => void query.refetch(),
  };
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

/** Makes the organization, or goes on with the one that an earlier try made without telling. */
async function createOwnOrganization(name: string): Promise<{ id: string }> {
  try {
    return await call(createOrganization, { body: { name } });
  } catch (error) {
    const id = error instanceof ApiError ? error.data?.['organization_id'] : undefined;
    if (typeof id === 'string') return { id };
    throw error;
  }
}

/** The organization's first site; the one that an earlier try made, if its answer was lost. */
export async function createFirstSite(
  organizationId: string,
  label: string,
  siteDomain: string,
  name: string,
): Promise<Site> {
  const params = { organization_id: organizationId };
  const sites = async () => (await call(listSitesV1_1, { params })).results;
  const [made] = await sites();
  if (made) return made;
  try {
    return await call(createSite, { params, body: { domain_name: fullDomain(label, siteDomain), name } });
  } catch (error) {
    // Two windows at once: the other one was first.
    const [theirs] = error instanceof ApiError && error.status === 409 ? await sites() : [];
    if (theirs) return theirs;
    throw error;
  }
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
    createOrganization: () => createOwnOrganization(name),
    assignOrganization: async (organization) => {
      await updateAccount(userId, { organization });
      storeOrganization(organization);
    },
    createSite: (organizationId) => createFirstSite(organizationId, answers.domain, siteDomain, name),
  };
}
