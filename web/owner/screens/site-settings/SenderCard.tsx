import { Send } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { readEmail } from '#contract/email-address.ts';
import type { TestEmail } from '#contract/sites.ts';
import { Button } from '#web/ui/Button.tsx';
import { FormError } from '#web/ui/FormError.tsx';
import { FormTextField } from '#web/ui/FormTextField.tsx';
import { Notice } from '#web/ui/Notice.tsx';
import { NeedsEmail } from '../../components/NeedsEmail.tsx';
import { useSite } from '../../site/current-site.tsx';
import { useSendTestEmail } from './sender.api.ts';
import { SettingsCard, useSettingsForm } from './SettingsForm.tsx';

/** Who emails to customers are from, and whether they arrive. */
export function SenderCard() {
  const { t } = useTranslation('site');
  const { site } = useSite();
  const test = useSendTestEmail();
  const start = { sender_name: site.sender_name, reply_to: site.reply_to };
  const form = useSettingsForm(start, (typed) => {
    const sender = { sender_name: typed.sender_name.trim(), reply_to: typed.reply_to.trim() };
    return { changes: sender, values: sender, done: t('email.saved') };
  });

  return (
    <SettingsCard
      title={t('email.title')}
      description={t('email.description')}
      form={form}
      saveLabel={t('email.save')}
      action={
        <Button
          icon={<Send />}
          isPending={test.isPending}
          // The test email uses the saved sender.
          isDisabled={form.isDirty}
          onPress={() => test.mutate()}
        >
          {t('email.test')}
        </Button>
      }
    >
      <div className="flex flex-col gap-4">
        <NeedsEmail />
        <FormTextField
          control={form.control}
          name="sender_name"
          label={t('email.sender_name')}
          description={t('email.sender_name_hint')}
          autoComplete="off"
          maxLength={100}
        />
        <FormTextField
          control={form.control}
          name="reply_to"
          rules={{ validate: (value) => isReplyTo(value) || t('email.reply_to_invalid') }}
          label={t('email.reply_to')}
          description={t('email.reply_to_hint')}
          type="email"
          autoComplete="off"
          maxLength={254}
        />
        <FormError error={form.error ?? test.error} />
        <div role="status">{test.data && !test.isPending && <Outcome of={test.data} />}</div>
      </div>
    </SettingsCard>
  );
}

const isReplyTo = (typed: string) => typed.trim() === '' || readEmail(typed) !== null;

function Outcome({ of: { outcome, email, reply } }: { of: TestEmail }) {
  const { t } = useTranslation('site');
  const tone = outcome === 'accepted' ? 'success' : outcome === 'kept' ? 'neutral' : 'danger';
  return (
    <Notice tone={tone}>
      <p className="text-pretty">{t(`email.outcome.${outcome}`, { email })}</p>
      {reply && (
        <p className="mt-1 text-[13px]">
          {t('email.reply')} <code className="font-mono wrap-anywhere">{reply.text}</code>
        </p>
      )}
    </Notice>
  );
}
