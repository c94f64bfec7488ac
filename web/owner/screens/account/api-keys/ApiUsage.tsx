import { useTranslation } from 'react-i18next';
import { API_PREFIX } from '#contract/route.ts';
import { Copied } from '../../../components/Copied.tsx';
import { useSite } from '../../../site/current-site.tsx';

function useBaseUrl(): string {
  const { organization_id, site_id } = useSite();
  return `${window.location.origin}${API_PREFIX}/core/v1/organizations/${organization_id}/sites/${site_id}`;
}

/** What the paths of the current site's calls start with. */
export function BaseUrl() {
  const { t } = useTranslation('api-keys');
  return (
    <>
      <p className="text-pretty text-ink-muted">{t('usage.address')}</p>
      <Copied value={useBaseUrl()} label={t('usage.copy_address')} />
    </>
  );
}

/** A first call, to try a key with. */
export function ExampleCall() {
  const { t } = useTranslation('api-keys');
  return (
    <>
      <p className="text-pretty text-ink-muted">{t('usage.example')}</p>
      <Copied
        value={`curl -H "Authorization: Bearer sk_..." ${useBaseUrl()}/lists`}
        label={t('usage.copy_example')}
      />
    </>
  );
}
