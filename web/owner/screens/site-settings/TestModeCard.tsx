import { useState } from 'react';
import { Controller } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { MAX_TEST_EMAILS } from '#contract/sites.ts';
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
import { SettingsCard, useSettingsForm } from './SettingsForm.tsx';

/** Whether anything is sent, and whose changes never are. */
export function TestModeCard() {
  const { t } = useTranslation('test-mode');
  const { site } = useSite();
  const form = useSettingsForm({ emails: site.test_emails.join('\n') }, (typed) => {
    const { emails } = parseTestEmails(typed.emails);
    return {
      changes: { test_emails: emails },
      values: { emails: emails.join('\n') },
      done: t('card.saved'),
    };
  });

  function validate(typed: string) {
    const { emails, wrongLine } = parseTestEmails(typed);
    if (wrongLine !== null) return t('card.invalid', { line: wrongLine });
    return emails.length <= MAX_TEST_EMAILS || t('card.too_many', { limit: MAX_TEST_EMAILS });
  }

  return (
    <SettingsCard
      title={t('card.title')}
      description={t('card.description')}
      form={form}
      saveLabel={t('card.save')}
    >
      <div className="flex flex-col gap-5">
        <ModeSwitch />
        <Controller
          control={form.control}
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
        <FormError error={form.error} />
      </div>
    </SettingsCard>
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
