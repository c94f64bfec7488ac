import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Account } from '#contract/accounts.ts';
import { isSameAddress } from '#contract/email-key.ts';
import type { Offer } from '#contract/members.ts';
import { Button } from '#web/ui/Button.tsx';
import { FormError } from '#web/ui/FormError.tsx';
import { LinkButton } from '#web/ui/LinkButton.tsx';
import { Notice } from '#web/ui/Notice.tsx';
import { logOut } from '../../session/session.ts';
import { accept, type Enter } from './invitation.api.ts';

interface JoinProps {
  offer: Offer;
  token: string;
  onJoined: (keep: Enter) => void;
  account: Account;
  /** The account has an organization already. */
  isTaken: boolean;
}

/** For logged-in people: accept with this account, or switch accounts. */
export function Join({ offer, token, onJoined, account, isTaken }: JoinProps) {
  const { t } = useTranslation('team');
  const [isPending, setIsPending] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const { organization_name: organization, email: invited } = offer;
  const { email } = account;
  const isOther = !isSameAddress(email, invited);

  async function join() {
    setIsPending(true);
    setError(null);
    try {
      onJoined(await accept(token, isOther ? email : undefined));
    } catch (cause) {
      setError(cause);
      setIsPending(false);
    }
  }

  return (
    <div className="flex flex-col gap-4">
      {isTaken ? (
        <Notice tone="warning">{t('accept.taken', { email })}</Notice>
      ) : (
        <>
          {isOther && <Notice tone="warning">{t('accept.other', { invited, email })}</Notice>}
          <FormError error={error} />
          <Button variant="primary" isFullWidth isPending={isPending} onPress={() => void join()}>
            {isOther ? t('accept.join_as', { email }) : t('accept.join', { organization })}
          </Button>
        </>
      )}
      {(isTaken || isOther) && (
        <Button isFullWidth onPress={() => void logOut()}>
          {t('accept.other_account')}
        </Button>
      )}
      {isTaken && <LinkButton to="/dashboard">{t('accept.to_dashboard')}</LinkButton>}
    </div>
  );
}
