import { useNavigate } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { DeletionPlan } from '#contract/account-data.ts';
import type { Account } from '#contract/accounts.ts';
import { ApiError } from '#contract/client.ts';
import { Button } from '#web/ui/Button.tsx';
import { Dialog } from '#web/ui/Dialog.tsx';
import { ErrorState } from '#web/ui/ErrorState.tsx';
import { Form } from '#web/ui/Form.tsx';
import { FormError } from '#web/ui/FormError.tsx';
import { LinkButton } from '#web/ui/LinkButton.tsx';
import { Notice } from '#web/ui/Notice.tsx';
import { Skeleton } from '#web/ui/Skeleton.tsx';
import { TextField } from '#web/ui/TextField.tsx';
import { clearAuth } from '../../../session/session.ts';
import { NotShown, useRecentProof } from '../../second-factor/ReauthenticationDialog.tsx';
import { deleteAccountOf, useDeletionPlan } from '../account.api.ts';

interface DeleteAccountDialogProps {
  account: Account;
  onClose: () => void;
}

/** Lists what will be deleted, and asks for the username and, if there is one, the password. */
export function DeleteAccountDialog({ account, onClose }: DeleteAccountDialogProps) {
  const { t } = useTranslation(['settings', 'ui']);
  const plan = useDeletionPlan(account.id);
  const blocking = plan.data?.organizations.filter(({ fate }) => fate === 'in_the_way') ?? [];
  const isBlocked = blocking.length > 0;
  const form = useDeletion(account);
  return (
    <Dialog
      isOpen
      role="alertdialog"
      onOpenChange={onClose}
      title={t(isBlocked ? 'deletion.blocked_title' : 'deletion.ask')}
      footer={
        <>
          <Button onPress={onClose}>{isBlocked ? t('ui:close') : t('cancel')}</Button>
          {isBlocked ? (
            <LinkButton to="/account-settings" search={{ section: 'team' }} variant="primary">
              {t('deletion.to_team')}
            </LinkButton>
          ) : (
            <Button
              type="submit"
              form={FORM}
              variant="danger"
              isPending={form.isPending}
              isDisabled={!form.isComplete || plan.data === undefined}
            >
              {t('deletion.confirm')}
            </Button>
          )}
        </>
      }
    >
      {plan.isPending && <Skeleton shape="text" count={4} />}
      {plan.isLoadingError && <ErrorState error={plan.error} onRetry={() => void plan.refetch()} />}
      {isBlocked && <Blocked names={blocking.map(({ name }) => name)} />}
      {plan.data && !isBlocked && (
        <div className="flex flex-col gap-5">
          <Consequences plan={plan.data} />
          <ConfirmForm account={account} form={form} />
        </div>
      )}
      {form.proofDialog}
    </Dialog>
  );
}

const FORM = 'delete-account';

function Blocked({ names }: { names: string[] }) {
  const { t } = useTranslation('settings');
  return (
    <Notice tone="warning">
      <p>{t('deletion.blocked', { names: names.join(', ') })}</p>
    </Notice>
  );
}

function Consequences({ plan }: { plan: DeletionPlan }) {
  const { t } = useTranslation('settings');
  const deleted = plan.organizations.filter(({ fate }) => fate === 'deleted');
  const hosts = deleted.flatMap(({ sites }) => sites.map((site) => site.domain_name));
  return (
    <div className="flex flex-col gap-3 text-pretty">
      <p>{t('deletion.warning')}</p>
      {deleted.map(({ id, name }) => (
        <p key={id}>{t('deletion.organization', { name })}</p>
      ))}
      {hosts.length > 0 && (
        <>
          <ul>
            {hosts.map((host) => (
              <li key={host} className="font-medium wrap-anywhere">
                {host}
              </li>
            ))}
          </ul>
          <p className="text-[13px] text-ink-muted">{t('deletion.hosts')}</p>
        </>
      )}
    </div>
  );
}

type Deletion = ReturnType<typeof useDeletion>;

function ConfirmForm({ account, form }: { account: Account; form: Deletion }) {
  const { t } = useTranslation('settings');
  return (
    <Form id={FORM} onSubmit={form.submit} className="flex flex-col gap-4">
      <TextField
        label={t('deletion.type_name', { name: account.username })}
        value={form.username}
        onChange={form.setUsername}
        autoComplete="off"
        autoCapitalize="none"
        spellCheck="false"
        errorMessage={form.fieldOf('username') ? t('deletion.wrong_name') : undefined}
      />
      {account.has_usable_password && (
        <TextField
          label={t('deletion.password')}
          type="password"
          value={form.password}
          onChange={form.setPassword}
          autoComplete="current-password"
          errorMessage={form.fieldOf('password') ? t('deletion.wrong_password') : undefined}
        />
      )}
      {form.error !== null && !form.fieldOf('username') && !form.fieldOf('password') && (
        <FormError error={form.error} />
      )}
    </Form>
  );
}

function useDeletion({ id, username: name, has_usable_password: hasPassword }: Account) {
  const navigate = useNavigate();
  const [username, setUsername] = useState('');
  const [password, setPassword] = useState('');
  const [isPending, setIsPending] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const { withProof, dialog: proofDialog } = useRecentProof(id);
  const isComplete = username.trim() === name && (password !== '' || !hasPassword);

  async function submit(event: FormEvent) {
    event.preventDefault();
    if (!isComplete || isPending) return;
    setIsPending(true);
    setError(null);
    try {
      await withProof(() => deleteAccountOf(id, { username, ...(hasPassword ? { password } : {}) }));
      clearAuth();
      await navigate({ to: '/login', search: { notice: 'account-deleted' }, replace: true });
    } catch (cause) {
      if (!(cause instanceof NotShown)) setError(cause);
      setIsPending(false);
    }
  }

  const fieldOf = (field: string) =>
    error instanceof ApiError && error.errors.some((one) => one.field === field);
  return {
    username,
    setUsername,
    password,
    setPassword,
    isPending,
    isComplete,
    error,
    submit,
    fieldOf,
    proofDialog,
  };
}
