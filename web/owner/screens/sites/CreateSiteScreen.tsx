import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Button } from '#web/ui/Button.tsx';
import { Form } from '#web/ui/Form.tsx';
import { FormError } from '#web/ui/FormError.tsx';
import { TextField } from '#web/ui/TextField.tsx';
import { useAppSettings } from '../../api/app-settings.ts';
import { AuthLayout } from '../auth/AuthLayout.tsx';
import { organizationQuery } from '../../queries/organization-queries.ts';
import { sitesQuery } from '../../site/current-site.tsx';
import { DomainField } from '../survey/DomainField.tsx';
import { readAuth } from '../../session/session.ts';
import { createFirstSite } from '../survey/survey.api.ts';
import { domainOfDraft } from '../survey/survey-draft.ts';

/** For an organization whose first site could not be made in the survey. */
export function CreateSiteScreen({ organizationId }: { organizationId: string }) {
  const { t } = useTranslation('survey');
  const cache = useQueryClient();
  const siteDomain = useAppSettings()?.site_domain ?? '';
  const organization = useQuery(organizationQuery(organizationId));
  const [name, setName] = useState('');
  const [domain, setDomain] = useState(() => domainOfDraft(readAuth()?.id ?? ''));
  const [isFree, setIsFree] = useState(false);
  const [isPending, setIsPending] = useState(false);
  const [error, setError] = useState<unknown>(null);

  const proposed = organization.data?.name ?? '';
  useEffect(() => setName((now) => now || proposed), [proposed]);

  async function create() {
    setIsPending(true);
    setError(null);
    try {
      await createFirstSite(organizationId, domain, siteDomain, name.trim());
      await cache.invalidateQueries({ queryKey: sitesQuery(organizationId).queryKey });
    } catch (cause) {
      setError(cause);
      setIsPending(false);
    }
  }

  return (
    <AuthLayout title={t('site.title')} text={t('site.text')}>
      <Form className="flex flex-col gap-5" onSubmit={() => create()}>
        <TextField label={t('site.name')} value={name} onChange={setName} maxLength={100} />
        <DomainField value={domain} onChange={setDomain} onResult={setIsFree} siteDomain={siteDomain} />
        <FormError error={error} />
        <Button
          type="submit"
          variant="primary"
          isFullWidth
          isPending={isPending}
          isDisabled={!isFree || name.trim() === ''}
        >
          {t('site.submit')}
        </Button>
      </Form>
    </AuthLayout>
  );
}
