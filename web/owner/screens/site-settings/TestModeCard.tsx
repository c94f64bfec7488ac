import { useState } from 'react';
import { Controller, useForm } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { MAX_TEST_EMAILS } from '#contract/sites.ts';
import { Button } from '#web/ui/Button.tsx';
import { Card } from '#web/ui/Card.tsx';
import { ConfirmDialog } from '#web/ui/ConfirmDialog.tsx';
import { FormError } from '#web/ui/FormError.tsx';
import { SwitchField } from '#web/ui/SwitchField.tsx';
import { TextAreaField } from '#web/ui/TextAreaField.tsx';
import { toast } from '#web/ui/toast.tsx';
import { GoLiveDialog } from '../../components/GoLiveDialog.tsx';
import { useHeldText } from '../../queries/held-queries.ts';
import { useChangeSite } from '../../queries/site-queries.ts';
import { useSite } from '../../site/current-site.tsx';
import { parseTestEmails } from './test-emails.logic.ts';

/** Whether anything is sent, and whose changes never are. */
export function TestModeCard() {
  const { t } = useTranslation('test-mode');
  const { site } = useSite();
  const change = useChangeSite();
  const [error, setError] = useState<unknown>(null);
  const { control, handleSubmit, formState, reset } = useForm({
    defaultValues: { emails: site.test_emails.join('\n') },
  });

  const submit = handleSubmit(async ({ emails: typed }) => {
    setError(null);
    const { emails } = parseTestEmails(typed);
    try {
      await change.mutateAsync({ test_emails: emails });
      reset({ emails: emails.join('\n') });
      toast(t('card.saved'));
    } catch (cause) {
      setError(cause);
    }
  });

  function validate(typed: string) {
    const { emails, wrongLine } = parseTestEmails(typed);
    if (wrongLine !== null) return t('card.invalid', { line: wrongLine });
    return emails.length <= MAX_TEST_EMAILS || t('card.too_many', { limit: MAX_TEST_EMAILS });
  }

  return (
    <form noValidate onSubmit={(event) => void submit(event)}>
      <Card
        title={t('card.title')}
        description={t('card.description')}
        footer={
          <Button type="submit" variant="primary" isPending={formState.isSubmitting}>
            {t('card.save')}
          </Button>
        }
      >
        <div className="flex flex-col gap-5">
          <ModeSwitch />
          <Controller
            control={control}
            name="emails"
            rules={{ validate }}
            render={({ field: { disabled: _, ...field }, fieldState }) => (
              <TextAreaField
                {...field}
                label={t('card.emails')}
                description={t('card.emails_hint')}
                errorMessage={fieldState.error?.message}
                autoComplete="off"
                spellCheck="false"
              />
            )}
          />
          <FormError error={error} />
        </div>
      </Card>
    </form>
  );
}

/** Each way asks first, because what customers change starts or stops being sent. */
function ModeSwitch() {
  const { t } = useTranslation('test-mode');
  const { site } = useSite();
  const change = useChangeSite();
  const held = useHeldText();
  const [asked, setAsked] = useState<'on' | 'live' | null>(null);
  return (
    <>
      <SwitchField
        label={t('card.switch')}
        description={site.test_mode && held !== null ? held : t('card.switch_hint')}
        isSelected={site.test_mode}
        onChange={(isOn) => setAsked(isOn ? 'on' : 'live')}
      />
      <ConfirmDialog
        isOpen={asked === 'on'}
        onOpenChange={() => setAsked(null)}
        title={t('turn_on.title')}
        description={t('turn_on.text')}
        confirmLabel={t('turn_on.action')}
        variant="primary"
        onConfirm={async () => {
          await change.mutateAsync({ test_mode: true });
          toast(t('turn_on.done'));
        }}
      />
      <GoLiveDialog isOpen={asked === 'live'} onOpenChange={() => setAsked(null)} />
    </>
  );
}
