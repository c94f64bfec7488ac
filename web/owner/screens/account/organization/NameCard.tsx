import { type FormEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Organization } from '#contract/organizations.ts';
import { Button } from '#web/ui/Button.tsx';
import { Card } from '#web/ui/Card.tsx';
import { FormError } from '#web/ui/FormError.tsx';
import { TextField } from '#web/ui/TextField.tsx';
import { toast } from '#web/ui/toast.tsx';
import { CheckFailed } from '../../survey/NameStep.tsx';
import { useAvailability } from '../../survey/survey.api.ts';
import { nameVerdict } from '../../survey/survey.logic.ts';
import { useDebounced } from '../../../components/use-debounced.ts';
import { useRenameOrganization } from './organization.api.ts';

/** Uses the survey's check; the own name in another case is not taken. */
export function NameCard({ organization }: { organization: Organization }) {
  const { t } = useTranslation('settings');
  const { t: words } = useTranslation('survey');
  const [name, setName] = useState(organization.name);
  const rename = useRenameOrganization(organization.id);
  const wish = name.trim();
  const isOwn = wish.toLowerCase() === organization.name.toLowerCase();
  const settled = useDebounced(name);
  const { availability, retry } = useAvailability(
    isOwn || settled.trim() === '' || settled.trim().length > 100
      ? null
      : { organization_name: settled.trim() },
  );
  const isChanged = wish !== organization.name;
  const checked = nameVerdict(name, settled, true, availability);
  const verdict = isOwn ? (isChanged ? 'free' : 'unknown') : checked;
  const errors = {
    empty: words('name.empty'),
    taken: words('name.taken'),
    too_long: words('name.too_long'),
  };

  function save(event: FormEvent) {
    event.preventDefault();
    if (verdict === 'free') rename.mutate(wish, { onSuccess: () => toast(t('organization.renamed')) });
  }

  return (
    <form noValidate onSubmit={save}>
      <Card
        title={t('organization.title')}
        description={t('organization.description')}
        footer={
          <Button
            type="submit"
            variant="primary"
            isPending={rename.isPending}
            isDisabled={verdict !== 'free'}
          >
            {t('organization.save')}
          </Button>
        }
      >
        <div className="flex flex-col gap-3">
          <TextField
            label={t('organization.name')}
            value={name}
            onChange={setName}
            autoComplete="organization"
            errorMessage={verdict in errors ? errors[verdict as keyof typeof errors] : undefined}
            successMessage={verdict === 'free' && !isOwn ? words('name.free') : undefined}
          />
          <CheckFailed isShown={verdict === 'failed'} onRetry={retry} />
          <FormError error={rename.error} />
        </div>
      </Card>
    </form>
  );
}
