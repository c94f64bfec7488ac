import { type FormEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { AddedFactor } from '#contract/second-factors.ts';
import { Button } from '#web/ui/Button.tsx';
import { Dialog } from '#web/ui/Dialog.tsx';
import { Form } from '#web/ui/Form.tsx';
import { FormError } from '#web/ui/FormError.tsx';
import { TextField } from '#web/ui/TextField.tsx';
import { addPasskeyOf, type PasskeyStart } from './second-factor.api.ts';
import { AlreadyThere, createPasskey, Dismissed } from './webauthn.ts';

const FORM = 'add-passkey';

interface AddPasskeyDialogProps {
  accountId: string;
  start: PasskeyStart;
  onAdded: (added: AddedFactor) => void;
  onClose: () => void;
}

export function AddPasskeyDialog({ accountId, start, onAdded, onClose }: AddPasskeyDialogProps) {
  const { t } = useTranslation(['second-factor', 'ui']);
  const [name, setName] = useState('');
  const [isMissing, setIsMissing] = useState(false);
  const [isPending, setIsPending] = useState(false);
  const [error, setError] = useState<unknown>(null);

  async function submit(event: FormEvent) {
    event.preventDefault();
    setIsMissing(name.trim() === '');
    if (name.trim() === '' || isPending) return;
    setError(null);
    setIsPending(true);
    try {
      const attestation = await createPasskey(start.options);
      onAdded(await addPasskeyOf(accountId, { setup: start.setup, name: name.trim(), attestation }));
    } catch (cause) {
      setError(cause);
      setIsPending(false);
    }
  }

  return (
    <Dialog
      isOpen
      onOpenChange={onClose}
      title={t('passkey.add')}
      description={t('passkey.add_text')}
      footer={
        <>
          <Button onPress={onClose}>{t('ui:cancel')}</Button>
          <Button type="submit" form={FORM} variant="primary" isPending={isPending}>
            {t('passkey.create')}
          </Button>
        </>
      }
    >
      <Form id={FORM} onSubmit={submit} className="flex flex-col gap-4">
        <TextField
          label={t('passkey.name')}
          description={t('passkey.name_hint')}
          value={name}
          onChange={(next) => {
            setName(next);
            setIsMissing(false);
          }}
          errorMessage={isMissing ? t('passkey.name_missing') : undefined}
          maxLength={60}
          autoFocus
          autoComplete="off"
        />
        <CreationError error={error} />
      </Form>
    </Dialog>
  );
}

function CreationError({ error }: { error: unknown }) {
  const { t } = useTranslation('second-factor');
  const isOwn = error instanceof Dismissed || error instanceof AlreadyThere;
  if (!isOwn) return <FormError error={error} />;
  return (
    <p role="alert" className="text-danger">
      {t(error instanceof Dismissed ? 'step.dismissed' : 'passkey.already_there')}
    </p>
  );
}
