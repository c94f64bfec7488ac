import { useState } from 'react';
import { Controller, useForm } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { readEmail } from '#contract/email-address.ts';
import type { SentInvitation } from '#contract/members.ts';
import { isAtLeast, type Role, ROLES } from '#contract/roles.ts';
import { Button } from '#web/ui/Button.tsx';
import { Dialog } from '#web/ui/Dialog.tsx';
import { useErrorText } from '#web/ui/error-text.ts';
import { showFieldErrors } from '#web/ui/form-errors.ts';
import { Form } from '#web/ui/Form.tsx';
import { FormError } from '#web/ui/FormError.tsx';
import { FormTextField } from '#web/ui/FormTextField.tsx';
import { Notice } from '#web/ui/Notice.tsx';
import { RadioCards } from '#web/ui/RadioCards.tsx';
import { useSendsEmail } from '../../../api/app-settings.ts';
import { useRole } from '../../../account/permissions.ts';
import { listFormat } from '../../../i18n/formats.ts';
import { useLanguage } from '../../../i18n/i18n.ts';
import { useSite } from '../../../site/current-site.tsx';
import { useOrganization } from '../../../queries/organization-queries.ts';
import { useInvite } from './team.api.ts';

const FORM_ID = 'invite';

/** More sites are counted. */
const MOST_NAMED = 3;

/** What somebody who accepts will see, whatever the role. */
function Access() {
  const { t } = useTranslation('team');
  const { sites } = useSite();
  const language = useLanguage();
  const organization = useOrganization().data?.name;
  const [first, ...others] = sites.map(({ name }) => name);
  if (first === undefined) return null;
  if (others.length === 0) return <Notice>{t('invite.access_site', { site: first })}</Notice>;
  if (organization === undefined) return null;
  if (sites.length > MOST_NAMED) {
    return <Notice>{t('invite.access_count', { organization, count: sites.length })}</Notice>;
  }
  const names = listFormat(language).format([first, ...others]);
  return <Notice>{t('invite.access_sites', { organization, sites: names })}</Notice>;
}

interface InviteDialogProps {
  onClose: () => void;
  onSent: (invitation: SentInvitation) => void;
}

export function InviteDialog({ onClose, onSent }: InviteDialogProps) {
  const { t } = useTranslation(['team', 'ui']);
  const errorText = useErrorText();
  const invite = useInvite();
  const sendsEmail = useSendsEmail();
  const own = useRole() ?? 'admin';
  const [error, setError] = useState<unknown>(null);
  const form = useForm<{ email: string; role: Role }>({ defaultValues: { email: '', role: 'editor' } });

  const submit = form.handleSubmit(async ({ email, role }) => {
    setError(null);
    try {
      onSent(await invite.mutateAsync({ email: email.trim(), role }));
    } catch (cause) {
      if (!showFieldErrors(cause, ['email', 'role'], form.setError, errorText)) setError(cause);
    }
  });

  return (
    <Dialog
      isOpen
      onOpenChange={onClose}
      title={t('invite.title')}
      description={t(sendsEmail ? 'invite.text' : 'invite.text_link')}
      footer={
        <>
          <Button onPress={onClose}>{t('ui:cancel')}</Button>
          <Button type="submit" form={FORM_ID} variant="primary" isPending={form.formState.isSubmitting}>
            {t(sendsEmail ? 'invite.send' : 'invite.create')}
          </Button>
        </>
      }
    >
      <Form id={FORM_ID} onSubmit={submit} className="flex flex-col gap-5">
        <FormTextField
          control={form.control}
          name="email"
          rules={{ validate: (value) => readEmail(value) !== null || t('invite.email_problem') }}
          label={t('invite.email')}
          type="email"
          autoComplete="off"
          placeholder="nora@example.com"
        />
        <Access />
        <Controller
          control={form.control}
          name="role"
          render={({ field, fieldState }) => (
            <RadioCards
              label={t('invite.role')}
              options={ROLES.filter((one) => isAtLeast(own, one)).map((one) => ({
                value: one,
                label: t(`role.${one}`),
                description: t(`may.${one}`),
              }))}
              value={field.value}
              onChange={field.onChange}
              errorMessage={fieldState.error?.message}
            />
          )}
        />
        <FormError error={error} />
      </Form>
    </Dialog>
  );
}
