import { Send } from 'lucide-react';
import { useState } from 'react';
import { useForm } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { STRICT_EMAIL } from '#contract/fields.ts';
import type { TestEmail } from '#contract/sites.ts';
import { Button } from '#web/ui/Button.tsx';
import { Card } from '#web/ui/Card.tsx';
import { FormError } from '#web/ui/FormError.tsx';
import { FormTextField } from '#web/ui/FormTextField.tsx';
import { Notice } from '#web/ui/Notice.tsx';
import { toast } from '#web/ui/toast.tsx';
import { NeedsEmail } from '../../components/NeedsEmail.tsx';
import { useChangeSite } from '../../queries/site-queries.ts';
import { useSite } from '../../site/current-site.tsx';
import { useSendTestEmail } from './sender.api.ts';

/** Who emails to customers are from, and whether they arrive. */
export function SenderCard() {
  const { t } = useTranslation('site');
  const { site } = useSite();
  const change = useChangeSite();
  const test = useSendTestEmail();
  const [error, setError] = useState<unknown>(null);
  const { control, handleSubmit, formState, reset } = useForm({
    defaultValues: { sender_name: site.sender_name, reply_to: site.reply_to },
  });

  const submit = handleSubmit(async (typed) => {
    setError(null);
    const sender = { sender_name: typed.sender_name.trim(), reply_to: typed.reply_to.trim() };
    try {
      await change.mutateAsync(sender);
      reset(sender);
      toast(t('email.saved'));
    } catch (cause) {
      setError(cause);
    }
  });

  return (
    <form noValidate onSubmit={(event) => void submit(event)}>
      <Card
        title={t('email.title')}
        description={t('email.description')}
        footer={
          <>
            <Button
              icon={<Send />}
              isPending={test.isPending}
              // The test email uses the saved sender.
              isDisabled={formState.isDirty}
              onPress={() => test.mutate()}
            >
              {t('email.test')}
            </Button>
            <Button type="submit" variant="primary" isPending={formState.isSubmitting}>
              {t('email.save')}
            </Button>
          </>
        }
      >
        <div className="flex flex-col gap-4">
          <NeedsEmail />
          <FormTextField
            control={control}
            name="sender_name"
            label={t('email.sender_name')}
            description={t('email.sender_name_hint')}
            autoComplete="off"
            maxLength={100}
          />
          <FormTextField
            control={control}
            name="reply_to"
            rules={{ validate: (value) => isReplyTo(value) || t('email.reply_to_invalid') }}
            label={t('email.reply_to')}
            description={t('email.reply_to_hint')}
            type="email"
            autoComplete="off"
            maxLength={254}
          />
          <FormError error={error ?? test.error} />
          <div role="status">{test.data && !test.isPending && <Outcome of={test.data} />}</div>
        </div>
      </Card>
    </form>
  );
}

const isReplyTo = (typed: string) => typed.trim() === '' || STRICT_EMAIL.test(typed.trim());

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
