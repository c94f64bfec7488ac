import { KeyRound, LifeBuoy, Pencil, Smartphone, Trash2 } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Passkey, SecondFactors } from '#contract/second-factors.ts';
import { RECOVERY_CODES } from '#contract/second-factors.ts';
import { Badge } from '#web/ui/Badge.tsx';
import { Button } from '#web/ui/Button.tsx';
import { Card } from '#web/ui/Card.tsx';
import { ConfirmDialog } from '#web/ui/ConfirmDialog.tsx';
import { useErrorText } from '#web/ui/error-text.ts';
import { ErrorState } from '#web/ui/ErrorState.tsx';
import { IconButton } from '#web/ui/IconButton.tsx';
import { Skeleton } from '#web/ui/Skeleton.tsx';
import { toast } from '#web/ui/toast.tsx';
import { useDay, RelativeTime } from '../../components/RelativeTime.tsx';
import { FactorButtons } from './FactorButtons.tsx';
import { NotShown, useRecentProof } from './ReauthenticationDialog.tsx';
import { RecoveryCodesDialog } from './RecoveryCodesDialog.tsx';
import { RenamePasskeyDialog } from './RenamePasskeyDialog.tsx';
import { newCodesOf, removePasskeyOf, removeTotpOf, useSecondFactors } from './second-factor.api.ts';

/** Below this many, new recovery codes are due. */
const FEW_CODES = 3;

/** The second factors of an account, to add and remove. */
export function SecondFactorCard({ accountId }: { accountId: string }) {
  const { t } = useTranslation('second-factor');
  const factors = useSecondFactors(accountId);
  return (
    <Card
      title={t('card.title')}
      description={t(factors.data?.is_required ? 'card.required' : 'card.description')}
      isPadded={false}
      footer={
        factors.data && (
          <FactorButtons
            accountId={accountId}
            hasApp={factors.data.totp !== null}
            onAdded={() => toast(t('card.added'))}
          />
        )
      }
    >
      {factors.isPending && (
        <div className="p-5">
          <Skeleton shape="text" count={2} />
        </div>
      )}
      {factors.isLoadingError && (
        <div className="p-5">
          <ErrorState error={factors.error} onRetry={() => void factors.refetch()} />
        </div>
      )}
      {factors.data && <Factors accountId={accountId} factors={factors.data} />}
    </Card>
  );
}

function Factors({ accountId, factors }: { accountId: string; factors: SecondFactors }) {
  const { t } = useTranslation('second-factor');
  const { passkeys, totp, recovery_codes: codes } = factors;
  if (passkeys.length === 0 && totp === null) {
    return <p className="p-5 text-ink-muted">{t('card.none')}</p>;
  }
  return (
    <ul className="divide-y divide-line">
      {passkeys.map((passkey) => (
        <PasskeyRow key={passkey.id} accountId={accountId} passkey={passkey} />
      ))}
      {totp !== null && <AppRow accountId={accountId} totp={totp} />}
      {codes !== null && <CodesRow accountId={accountId} left={codes.left} createdAt={codes.created_at} />}
    </ul>
  );
}

interface RowProps {
  icon: ReactNode;
  name: ReactNode;
  badge?: ReactNode;
  details: ReactNode;
  /** Its action has words, and goes below where there is no room beside. */
  isWide?: boolean;
  children: ReactNode;
}

function Row({ icon, name, badge, details, isWide = false, children }: RowProps) {
  return (
    <li className={`flex items-center gap-x-4 gap-y-2 px-5 py-3 ${isWide ? 'flex-wrap' : ''}`}>
      <span aria-hidden className="shrink-0 text-ink-muted [&_svg]:size-5">
        {icon}
      </span>
      <div className={`min-w-0 flex-1 ${isWide ? 'basis-48' : ''}`}>
        <p className="flex flex-wrap items-center gap-x-2 gap-y-1 font-medium">
          <span className="min-w-0 break-words">{name}</span>
          {badge}
        </p>
        <p className="text-[13px] text-ink-muted">{details}</p>
      </div>
      <div className={`flex shrink-0 items-center gap-1 ${isWide ? 'max-sm:w-full max-sm:pl-9' : ''}`}>
        {children}
      </div>
    </li>
  );
}

function Uses({ createdAt, lastUsedAt }: { createdAt: string; lastUsedAt: string | null }) {
  const { t } = useTranslation('second-factor');
  const day = useDay();
  return (
    <>
      {t('card.since', { day: day(createdAt) })} ·{' '}
      {lastUsedAt === null ? (
        t('card.never_used')
      ) : (
        <>
          {t('card.last_used')} <RelativeTime at={lastUsedAt} />
        </>
      )}
    </>
  );
}

function PasskeyRow({ accountId, passkey }: { accountId: string; passkey: Passkey }) {
  const { t } = useTranslation('second-factor');
  const [isRenaming, setIsRenaming] = useState(false);
  const { id, name, is_blocked: isBlocked } = passkey;
  return (
    <Row
      icon={<KeyRound />}
      name={name}
      badge={isBlocked && <Badge tone="danger">{t('passkey.blocked')}</Badge>}
      details={
        isBlocked ? (
          t('passkey.blocked_text')
        ) : (
          <Uses createdAt={passkey.created_at} lastUsedAt={passkey.last_used_at} />
        )
      }
    >
      <IconButton
        label={t('passkey.rename_of', { name })}
        icon={<Pencil />}
        onPress={() => setIsRenaming(true)}
      />
      <RemoveButton
        accountId={accountId}
        label={t('passkey.remove_of', { name })}
        title={t('passkey.remove_title', { name })}
        text={t('passkey.remove_text')}
        remove={() => removePasskeyOf(accountId, id)}
      />
      {isRenaming && (
        <RenamePasskeyDialog accountId={accountId} passkey={passkey} onClose={() => setIsRenaming(false)} />
      )}
    </Row>
  );
}

function AppRow({ accountId, totp }: { accountId: string; totp: NonNullable<SecondFactors['totp']> }) {
  const { t } = useTranslation('second-factor');
  return (
    <Row
      icon={<Smartphone />}
      name={t('app.title')}
      details={<Uses createdAt={totp.created_at} lastUsedAt={totp.last_used_at} />}
    >
      <RemoveButton
        accountId={accountId}
        label={t('app.remove')}
        title={t('app.remove_title')}
        text={t('app.remove_text')}
        remove={() => removeTotpOf(accountId)}
      />
    </Row>
  );
}

interface RemoveButtonProps {
  accountId: string;
  label: string;
  title: string;
  text: string;
  remove: () => Promise<void>;
}

function RemoveButton({ accountId, label, title, text, remove }: RemoveButtonProps) {
  const { t } = useTranslation('second-factor');
  const { withProof, dialog } = useRecentProof(accountId);
  const [isAsking, setIsAsking] = useState(false);

  async function confirm() {
    try {
      await withProof(remove);
      toast(t('card.removed'));
    } catch (error) {
      if (!(error instanceof NotShown)) throw error;
    }
  }

  return (
    <>
      <IconButton label={label} icon={<Trash2 />} onPress={() => setIsAsking(true)} />
      <ConfirmDialog
        isOpen={isAsking}
        onOpenChange={setIsAsking}
        title={title}
        description={text}
        confirmLabel={t('card.remove')}
        onConfirm={confirm}
      />
      {dialog}
    </>
  );
}

function CodesRow({ accountId, left, createdAt }: { accountId: string; left: number; createdAt: string }) {
  const { t } = useTranslation('second-factor');
  const day = useDay();
  const errorText = useErrorText();
  const { withProof, dialog } = useRecentProof(accountId);
  const [isAsking, setIsAsking] = useState(false);
  const [codes, setCodes] = useState<string[] | null>(null);

  async function create() {
    try {
      setCodes(await withProof(() => newCodesOf(accountId)));
    } catch (error) {
      if (!(error instanceof NotShown)) toast(errorText(error), { tone: 'error' });
    }
  }

  return (
    <Row
      isWide
      icon={<LifeBuoy />}
      name={t('codes.title')}
      badge={
        <Badge tone={left < FEW_CODES ? 'warning' : 'neutral'}>
          {t('codes.left', { left, all: RECOVERY_CODES })}
        </Badge>
      }
      details={t('codes.since', { day: day(createdAt) })}
    >
      <Button size="sm" onPress={() => setIsAsking(true)}>
        {t('codes.create')}
      </Button>
      <ConfirmDialog
        isOpen={isAsking}
        onOpenChange={setIsAsking}
        title={t('codes.create_title')}
        description={t('codes.create_text')}
        confirmLabel={t('codes.create')}
        variant="primary"
        onConfirm={create}
      />
      {dialog}
      {codes !== null && <RecoveryCodesDialog codes={codes} onClose={() => setCodes(null)} />}
    </Row>
  );
}
