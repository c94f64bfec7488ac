import { CircleAlert } from 'lucide-react';
import { useId, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { type FailedCheck, LEAST_CONTRAST, MAX_OVERRIDE_REASON } from '#contract/page-checks.ts';
import { Button } from '#web/ui/Button.tsx';
import { Dialog } from '#web/ui/Dialog.tsx';
import { TextAreaField } from '#web/ui/TextAreaField.tsx';
import { useLanguage } from '../../i18n/i18n.ts';
import { languageName } from '../../i18n/language-name.ts';
import { useListNames } from './use-list-names.ts';
import { useRatioText } from './use-ratio-text.ts';

interface OverrideDialogProps {
  checks: readonly FailedCheck[];
  onClose: () => void;
  /** Closes the dialog once the server has answered. */
  onPublish: (reason: string) => Promise<void>;
}

/** Names what law or accessibility forbids about the page, and takes the reason why it is published all the same. */
export function OverrideDialog({ checks, onClose, onPublish }: OverrideDialogProps) {
  const { t } = useTranslation('editor');
  const { t: ui } = useTranslation('ui');
  const form = useId();
  const [reason, setReason] = useState('');
  const [isPending, setIsPending] = useState(false);
  const sentence = useSentence();

  async function publish() {
    if (reason.trim() === '') return;
    setIsPending(true);
    try {
      await onPublish(reason);
    } finally {
      setIsPending(false);
    }
  }

  return (
    <Dialog
      isOpen
      role="alertdialog"
      size="md"
      onOpenChange={onClose}
      title={t('override.title')}
      description={t('override.text')}
      footer={
        <>
          <Button onPress={onClose}>{ui('cancel')}</Button>
          <Button
            type="submit"
            form={form}
            variant="danger"
            isPending={isPending}
            isDisabled={reason.trim() === ''}
          >
            {t('override.publish')}
          </Button>
        </>
      }
    >
      <form
        id={form}
        className="flex flex-col gap-5"
        onSubmit={(event) => {
          event.preventDefault();
          void publish();
        }}
      >
        <ul className="flex flex-col gap-2.5">
          {checks.map((one) => (
            <li key={`${one.field} ${one.check} ${one.language}`} className="flex items-start gap-3">
              <CircleAlert size={16} aria-hidden className="mt-0.5 shrink-0 text-danger" />
              <p className="min-w-0 flex-1 text-pretty break-words">{sentence(one)}</p>
            </li>
          ))}
        </ul>
        <TextAreaField
          label={t('override.reason')}
          description={t('override.reason_help')}
          value={reason}
          onChange={setReason}
          maxLength={MAX_OVERRIDE_REASON}
          autoFocus
        />
      </form>
    </Dialog>
  );
}

function useSentence(): (failed: FailedCheck) => string {
  const { t } = useTranslation('editor');
  const language = useLanguage();
  const listNames = useListNames();
  const ratioText = useRatioText();
  return ({ check, field, lists, language: missing, ratio }) => {
    switch (check) {
      case 'no_unsubscribe_all':
        return t('lint.no_unsubscribe_all');
      case 'on_by_default':
        return t('lint.on_by_default', { lists: listNames(lists) });
      case 'untranslated':
        return t('lint.untranslated', {
          lists: listNames(lists),
          language: languageName(missing ?? 'en', language),
        });
      case 'low_contrast':
        return t(field === 'attrs.text_color' ? 'override.text_faint' : 'override.accent_faint', {
          ratio: ratioText(ratio ?? 1),
          minimum: ratioText(LEAST_CONTRAST),
        });
    }
  };
}
