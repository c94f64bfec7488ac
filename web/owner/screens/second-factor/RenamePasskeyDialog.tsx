import { type FormEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Passkey } from '#contract/second-factors.ts';
import { Button } from '#web/ui/Button.tsx';
import { Dialog } from '#web/ui/Dialog.tsx';
import { Form } from '#web/ui/Form.tsx';
import { FormError } from '#web/ui/FormError.tsx';
import { TextField } from '#web/ui/TextField.tsx';
import { renamePasskeyOf } from './second-factor.api.ts';

const FORM = 'rename-passkey';

interface RenamePasskeyDialogProps {
  accountId: string;
  passkey: Passkey;
  onClose: () => void;
}

export function RenamePasskeyDialog({ accountId, passkey, onClose }: RenamePasskeyDialogProps) {
  const { t } = useTranslation(['second-factor', 'ui']);
  const [name, setName] = useState(passkey.name);
  const [isPending, setIsPending] = useState(false);
  const [error, setError] = useState<unknown>(null);

  async function submit(event: FormEvent) {
    event.preventDefault();
    if (name.trim() === '' || isPending) return;
    setError(null);
    setIsPending(true);
    try {
      await renamePasskeyOf(accountId, passkey.id, name.trim());
      onClose();
    } catch (cause) {
      setError(cause);
      setIsPending(false);
    }
  }

  return (
    <Dialog
      isOpen
      onOpenChange={onClose}
      title={t('passkey.rename')}
      footer={
        <>
          <Button onPress={onClose}>{t('ui:cancel')}</Button>
          <Button
            type="submit"
            form={FORM}
            variant="primary"
            isPending={isPending}
            isDisabled={name.trim() === ''}
          >
            {t('passkey.rename')}
          </Button>
        </>
      }
    >
      <Form id={FORM} onSubmit={submit} className="flex flex-col gap-4">
        <TextField
          label={t('passkey.name')}
          value={name}
          onChange={setName}
          maxLength={60}
          autoFocus
          autoComplete="off"
        />
        <FormError error={error} />
      </Form>
    </Dialog>
  );
}
