import { KeyRound, Smartphone } from 'lucide-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { AddedFactor } from '#contract/second-factors.ts';
import { Button } from '#web/ui/Button.tsx';
import { FormError } from '#web/ui/FormError.tsx';
import { AddAppDialog } from './AddAppDialog.tsx';
import { AddPasskeyDialog } from './AddPasskeyDialog.tsx';
import { NotShown, useRecentProof } from './ReauthenticationDialog.tsx';
import { RecoveryCodesDialog } from './RecoveryCodesDialog.tsx';
import { type PasskeyStart, startPasskeyOf, startTotpOf, type TotpStart } from './second-factor.api.ts';
import { hasPasskeys } from './webauthn.ts';

type Adding = { what: 'passkey'; start: PasskeyStart } | { what: 'app'; start: TotpStart };

interface FactorButtonsProps {
  accountId: string;
  hasApp: boolean;
  isFullWidth?: boolean;
  /** The factor is there, and its recovery codes were seen. */
  onAdded: () => void;
}

/** The ways to add a second factor, each with its dialogs. */
export function FactorButtons({ accountId, hasApp, isFullWidth = false, onAdded }: FactorButtonsProps) {
  const { t } = useTranslation('second-factor');
  const { adding, pending, error, begin, end, proofDialog } = useAdding(accountId);
  const [codes, setCodes] = useState<string[] | null>(null);
  const canAddPasskey = hasPasskeys();

  function finish({ recovery_codes }: AddedFactor) {
    end();
    if (recovery_codes === null) onAdded();
    else setCodes(recovery_codes);
  }

  const shared = { accountId, onAdded: finish, onClose: end };
  return (
    <div className="flex w-full flex-col gap-3">
      <FormError error={error} />
      <div className={isFullWidth ? 'flex flex-col gap-3' : 'flex flex-wrap justify-end gap-2'}>
        <Button
          icon={<KeyRound />}
          isFullWidth={isFullWidth}
          isPending={pending === 'passkey'}
          isDisabled={!canAddPasskey}
          onPress={() => void begin('passkey')}
        >
          {t('passkey.add')}
        </Button>
        {!hasApp && (
          <Button
            icon={<Smartphone />}
            isFullWidth={isFullWidth}
            isPending={pending === 'app'}
            onPress={() => void begin('app')}
          >
            {t('app.add')}
          </Button>
        )}
      </div>
      {!canAddPasskey && <p className="text-[13px] text-ink-muted">{t('passkey.unsupported')}</p>}
      {proofDialog}
      {adding?.what === 'passkey' && <AddPasskeyDialog {...shared} start={adding.start} />}
      {adding?.what === 'app' && <AddAppDialog {...shared} start={adding.start} />}
      {codes !== null && (
        <RecoveryCodesDialog
          codes={codes}
          onClose={() => {
            setCodes(null);
            onAdded();
          }}
        />
      )}
    </div>
  );
}

/** Starts adding a factor on the server, which may ask for a recent proof first. */
function useAdding(accountId: string) {
  const { withProof, dialog } = useRecentProof(accountId);
  const [pending, setPending] = useState<Adding['what'] | null>(null);
  const [adding, setAdding] = useState<Adding | null>(null);
  const [error, setError] = useState<unknown>(null);

  async function begin(what: Adding['what']) {
    setError(null);
    setPending(what);
    try {
      setAdding(
        what === 'passkey'
          ? { what, start: await withProof(() => startPasskeyOf(accountId)) }
          : { what, start: await withProof(() => startTotpOf(accountId)) },
      );
    } catch (cause) {
      if (!(cause instanceof NotShown)) setError(cause);
    } finally {
      setPending(null);
    }
  }

  return { adding, pending, error, begin, end: () => setAdding(null), proofDialog: dialog };
}
