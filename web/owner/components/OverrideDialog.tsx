import { CircleAlert } from 'lucide-react';
import { useId, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { type FailedCheck, LEAST_CONTRAST, MAX_OVERRIDE_REASON } from '#contract/page-checks.ts';
import { Button } from '#web/ui/Button.tsx';
import { Dialog } from '#web/ui/Dialog.tsx';
import { Form } from '#web/ui/Form.tsx';
import { TextAreaField } from '#web/ui/TextAreaField.tsx';
import { useLanguage } from '../i18n/i18n.ts';
import { languageName } from '../i18n/language-name.ts';
import { useListNames } from './use-list-names.ts';
import { useRatioText } from './use-ratio-text.ts';

interface OverrideDialogProps {
  checks: readonly FailedCheck[];
  /** The name of the page that is published, which the problems need not name. */
  page?: string;
  /** A list is saved, which pages show. */
  isList?: boolean;
  onClose: () => void;
  /** Closes the dialog once the server has answered. */
  onPublish: (reason: string) => Promise<void>;
}

/** Names what law or accessibility forbids about pages, and takes the reason why they are published all the same. */
export function OverrideDialog({ checks, page, isList = false, onClose, onPublish }: OverrideDialogProps) {
  const { t } = useTranslation('editor');
  const { t: ui } = useTranslation('ui');
  const form = useId();
  const [reason, setReason] = useState('');
  const [isPending, setIsPending] = useState(false);
  const sentence = useSentence();
  const names = useListNames();

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
      title={t(isList ? 'override.list.title' : 'override.title')}
      description={t(isList ? 'override.list.text' : 'override.text')}
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
            {t(isList ? 'override.list.save' : 'override.publish')}
          </Button>
        </>
      }
    >
      <Form id={form} className="flex flex-col gap-5" onSubmit={() => publish()}>
        <ul className="flex flex-col gap-2.5">
          {checks.map((one) => (
            <li key={`${one.field} ${one.check} ${one.language}`} className="flex items-start gap-3">
              <CircleAlert size={16} aria-hidden className="mt-0.5 shrink-0 text-danger" />
              <div className="min-w-0 flex-1 break-words">
                <p className="text-pretty">{sentence(one)}</p>
                {one.pages.some((name) => name !== page) && (
                  <p className="text-[13px] text-ink-muted">
                    {t('override.pages', { pages: names(one.pages) })}
                  </p>
                )}
              </div>
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
      </Form>
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
