import { useNavigate } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Button } from '#web/ui/Button.tsx';
import { Dialog } from '#web/ui/Dialog.tsx';
import { FormError } from '#web/ui/FormError.tsx';
import { TextField } from '#web/ui/TextField.tsx';
import { toast } from '#web/ui/toast.tsx';
import { useAppSettings } from '../../../api/app-settings.ts';
import { leaveUnsaved } from '../../../drafts/unsaved-guard.tsx';
import { useSite } from '../../../site/current-site.tsx';
import { DomainField } from '../../survey/DomainField.tsx';
import { fullDomain } from '../../survey/survey.api.ts';
import { useCreateSite } from './organization.api.ts';

const FORM = 'create-site';

export function CreateSiteDialog({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation('settings');
  const navigate = useNavigate();
  const { select } = useSite();
  const siteDomain = useAppSettings()?.site_domain ?? '';
  const [name, setName] = useState('');
  const [domain, setDomain] = useState('');
  const [isFree, setIsFree] = useState(false);
  const create = useCreateSite();

  function submit(event: FormEvent) {
    event.preventDefault();
    create.mutate(
      { domain_name: fullDomain(domain, siteDomain), name: name.trim() },
      {
        onSuccess: (site) => {
          toast(t('sites.created', { name: site.name }), {
            action: {
              label: t('sites.switch'),
              onPress: () =>
                leaveUnsaved(() => {
                  select(site.id);
                  void navigate({ to: '/dashboard', ignoreBlocker: true });
                }),
            },
          });
          onClose();
        },
      },
    );
  }

  return (
    <Dialog
      isOpen
      onOpenChange={onClose}
      title={t('sites.new')}
      description={t('sites.create_text')}
      footer={
        <>
          <Button onPress={onClose}>{t('cancel')}</Button>
          <Button
            type="submit"
            form={FORM}
            variant="primary"
            isPending={create.isPending}
            isDisabled={!isFree || name.trim() === ''}
          >
            {t('sites.create')}
          </Button>
        </>
      }
    >
      <form id={FORM} noValidate onSubmit={submit} className="flex flex-col gap-5">
        <TextField
          label={t('sites.name')}
          value={name}
          onChange={setName}
          maxLength={100}
          autoFocus
          autoComplete="off"
        />
        <DomainField
          label={t('sites.subdomain')}
          description={t('sites.subdomain_hint')}
          value={domain}
          onChange={setDomain}
          onResult={setIsFree}
          siteDomain={siteDomain}
        />
        <FormError error={create.error} />
      </form>
    </Dialog>
  );
}
