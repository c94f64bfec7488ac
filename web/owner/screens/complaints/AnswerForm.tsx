import { useState } from 'react';
import { Controller, useForm } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { ApiError } from '#contract/client.ts';
import {
  type Complaint,
  COMPLAINT_OUTCOMES,
  type ComplaintOutcome,
  MAX_COMPLAINT_ANSWER,
} from '#contract/complaints.ts';
import { Button } from '#web/ui/Button.tsx';
import { Card } from '#web/ui/Card.tsx';
import { ConfirmDialog } from '#web/ui/ConfirmDialog.tsx';
import { Form } from '#web/ui/Form.tsx';
import { RadioCards } from '#web/ui/RadioCards.tsx';
import { TextAreaField } from '#web/ui/TextAreaField.tsx';
import { toast } from '#web/ui/toast.tsx';
import { RestoredNotice } from '../../drafts/RestoredNotice.tsx';
import { useUnsavedGuard } from '../../drafts/unsaved-guard.tsx';
import { useFormDraft } from '../../drafts/use-form-draft.ts';
import { useLanguage } from '../../i18n/i18n.ts';
import { languageName } from '../../i18n/language-name.ts';
import { useAnswerComplaint } from './complaints.api.ts';

interface Values {
  outcome: ComplaintOutcome | null;
  answer: string;
}

interface Props {
  complaint: Complaint;
  /** Somebody else answered first: what was typed here, and not sent. */
  onConflict: (answer: string) => void;
}

/** Answers and closes a complaint, after a question: the answer is an email, which nobody can take back. */
export function AnswerForm({ complaint, onConflict }: Props) {
  const { t } = useTranslation('complaints');
  const shown = useLanguage();
  const { id, language } = complaint;
  const email = complaint.email ?? '';
  const form = useForm<Values>({ defaultValues: { outcome: null, answer: '' } });
  const { control, handleSubmit, formState } = form;
  const draft = useFormDraft(`complaint:${id}`, form);
  const guard = useUnsavedGuard(formState.isDirty, draft.evict);
  const answer = useAnswerComplaint(id);
  const [sending, setSending] = useState<{ outcome: ComplaintOutcome; answer: string } | null>(null);

  const ask = handleSubmit(({ outcome, answer: text }) => {
    if (outcome !== null) setSending({ outcome, answer: text.trim() });
  });

  async function send() {
    if (sending === null) return;
    try {
      await answer.mutateAsync(sending);
      toast(t('answer.done'));
    } catch (error) {
      if (!(error instanceof ApiError) || error.status !== 409) throw error;
      onConflict(sending.answer);
    }
    guard.allow();
    draft.evict();
  }

  return (
    <Form onSubmit={() => ask()}>
      <Card
        title={t('answer.form')}
        description={t('answer.help', { email })}
        footer={
          <Button type="submit" variant="primary">
            {t('answer.button')}
          </Button>
        }
      >
        <div className="flex flex-col gap-4">
          <RestoredNotice isShown={draft.isRestored} onDiscard={draft.discard} />
          <Controller
            control={control}
            name="outcome"
            rules={{ validate: (value) => value !== null || t('answer.outcome_missing') }}
            render={({ field, fieldState }) => (
              <RadioCards<ComplaintOutcome>
                label={t('answer.outcome')}
                description={t('answer.outcome_help')}
                options={COMPLAINT_OUTCOMES.map((value) => ({ value, label: t(`outcome.${value}`) }))}
                value={field.value}
                onChange={field.onChange}
                columns={3}
                errorMessage={fieldState.error?.message}
              />
            )}
          />
          <Controller
            control={control}
            name="answer"
            rules={{ validate: (value) => value.trim() !== '' || t('answer.text_missing') }}
            render={({ field, fieldState }) => (
              <TextAreaField
                label={t('answer.text')}
                description={t('answer.text_help', { language: languageName(language, shown) })}
                rows={6}
                maxLength={MAX_COMPLAINT_ANSWER}
                value={field.value}
                onChange={field.onChange}
                onBlur={field.onBlur}
                ref={field.ref}
                errorMessage={fieldState.error?.message}
              />
            )}
          />
        </div>
      </Card>
      <ConfirmDialog
        isOpen={sending !== null}
        onOpenChange={() => setSending(null)}
        variant="primary"
        title={t('answer.ask')}
        description={t('answer.ask_text', { email })}
        confirmLabel={t('answer.button')}
        onConfirm={send}
      />
      {guard.dialog}
    </Form>
  );
}
