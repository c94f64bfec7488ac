import { useQuery } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { ApiError } from '#contract/client.ts';
import { Dialog } from '#web/ui/Dialog.tsx';
import { ErrorState } from '#web/ui/ErrorState.tsx';
import { Skeleton } from '#web/ui/Skeleton.tsx';
import { FactorForm, type GivenProof } from './FactorForm.tsx';
import { reauthenticateAs, startReauthenticationOf } from './second-factor.api.ts';

interface ReauthenticationDialogProps {
  accountId: string;
  onDone: () => void;
  onCancel: () => void;
}

/** Asks for the password or a second factor before sensitive changes. */
function ReauthenticationDialog({ accountId, onDone, onCancel }: ReauthenticationDialogProps) {
  const { t } = useTranslation('second-factor');
  const start = useQuery({
    queryKey: ['reauthentication', accountId],
    queryFn: () => startReauthenticationOf(accountId),
    staleTime: 0,
    gcTime: 0,
  });

  async function prove(given: GivenProof) {
    const ticket = start.data?.ticket ?? '';
    await reauthenticateAs(accountId, given.way === 'password' ? given : { ticket, ...given });
    onDone();
  }

  return (
    <Dialog isOpen onOpenChange={onCancel} title={t('again.title')} description={t('again.text')}>
      {start.isPending && <Skeleton shape="text" count={2} />}
      {start.isLoadingError && <ErrorState error={start.error} onRetry={() => void start.refetch()} />}
      {start.data &&
        (start.data.ways.length === 0 ? (
          <p>{t('again.no_way')}</p>
        ) : (
          <FactorForm
            ways={start.data.ways}
            passkey={start.data.passkey}
            submitLabel={t('again.submit')}
            onProof={prove}
          />
        ))}
    </Dialog>
  );
}

function isAsked(error: unknown): boolean {
  return error instanceof ApiError && error.errors[0]?.code === 'reauthentication_required';
}

/** Thrown when the person dismissed the dialog: there is nothing to report. */
export class NotShown extends Error {}

interface Asking {
  done: () => void;
  cancel: () => void;
}

/**
 * Runs what needs a recent proof: asks for one if it is missing, and retries.
 * @returns also the dialog, which has to be rendered
 */
export function useRecentProof(accountId: string) {
  const [asking, setAsking] = useState<Asking | null>(null);
  const current = useRef<Asking | null>(null);

  function ask(): Promise<void> {
    return new Promise((resolve, reject) => {
      const close = (then: () => void) => () => {
        current.current = null;
        setAsking(null);
        then();
      };
      current.current = { done: close(resolve), cancel: close(() => reject(new NotShown())) };
      setAsking(current.current);
    });
  }

  /** @throws NotShown */
  async function withProof<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if (!isAsked(error)) throw error;
      await ask();
      return work();
    }
  }

  const dialog =
    asking === null ? null : (
      <ReauthenticationDialog accountId={accountId} onDone={asking.done} onCancel={asking.cancel} />
    );
  return { withProof, dialog };
}
