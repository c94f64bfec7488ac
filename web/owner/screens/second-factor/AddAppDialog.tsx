import { type FormEvent, useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { encode } from 'uqr';
import { ApiError } from '#contract/client.ts';
import type { AddedFactor } from '#contract/second-factors.ts';
import { Button } from '#web/ui/Button.tsx';
import { CopyButton } from '#web/ui/CopyButton.tsx';
import { Dialog } from '#web/ui/Dialog.tsx';
import { Form } from '#web/ui/Form.tsx';
import { FormError } from '#web/ui/FormError.tsx';
import { TextAnchor } from '#web/ui/Link.tsx';
import { TextField } from '#web/ui/TextField.tsx';
import { addTotpOf, type TotpStart } from './second-factor.api.ts';

const FORM = 'add-authenticator-app';
const QUIET_ZONE = 4;

interface AddAppDialogProps {
  accountId: string;
  start: TotpStart;
  onAdded: (added: AddedFactor) => void;
  onClose: () => void;
}

export function AddAppDialog({ accountId, start, onAdded, onClose }: AddAppDialogProps) {
  const { t } = useTranslation(['second-factor', 'ui']);
  const [code, setCode] = useState('');
  const [isMissing, setIsMissing] = useState(false);
  const [isPending, setIsPending] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const isWrong = error instanceof ApiError && error.errors.some(({ field }) => field === 'code');

  async function submit(event: FormEvent) {
    event.preventDefault();
    const isGiven = /^\d{6}$/.test(code.replaceAll(/\s/g, ''));
    setIsMissing(!isGiven);
    setError(null);
    if (!isGiven || isPending) return;
    setIsPending(true);
    try {
      onAdded(await addTotpOf(accountId, { setup: start.setup, code }));
    } catch (cause) {
      setError(cause);
      setIsPending(false);
    }
  }

  const problem = isMissing ? t('step.missing.totp') : isWrong ? t('app.wrong') : undefined;
  return (
    <Dialog
      isOpen
      onOpenChange={onClose}
      title={t('app.add')}
      description={t('app.add_text')}
      footer={
        <>
          <Button onPress={onClose}>{t('ui:cancel')}</Button>
          <Button type="submit" form={FORM} variant="primary" isPending={isPending}>
            {t('app.submit')}
          </Button>
        </>
      }
    >
      <Form id={FORM} onSubmit={submit} className="flex flex-col gap-4">
        <Secret {...start} />
        <TextField
          label={t('step.field.totp')}
          description={t('step.hint.totp')}
          value={code}
          onChange={(next) => {
            setCode(next);
            setIsMissing(false);
            setError(null);
          }}
          errorMessage={problem}
          autoComplete="one-time-code"
          inputMode="numeric"
          maxLength={12}
        />
        {error !== null && !isWrong && <FormError error={error} />}
      </Form>
    </Dialog>
  );
}

/** For the app's camera, to type, or to open in an app on this device. */
function Secret({ uri, secret }: Pick<TotpStart, 'uri' | 'secret'>) {
  const { t } = useTranslation('second-factor');
  return (
    <div className="flex flex-col items-center gap-3 sm:flex-row sm:items-start sm:gap-5">
      <QrCode text={uri} label={t('app.qr')} />
      <div className="flex min-w-0 flex-col gap-2">
        <p className="text-[13px] text-pretty text-ink-muted">{t('app.by_hand')}</p>
        <p className="flex items-center gap-1">
          <code className="min-w-0 font-mono text-[13px] wrap-anywhere">{grouped(secret)}</code>
          <CopyButton value={secret} label={t('app.copy')} />
        </p>
        <p className="text-[13px]">
          <TextAnchor href={uri}>{t('app.open')}</TextAnchor>
        </p>
      </div>
    </div>
  );
}

/** In groups of four, as people read it aloud. */
function grouped(secret: string): string {
  return secret.replaceAll(/(.{4})(?=.)/g, '$1 ');
}

/** Dark on light even in the dark theme: many apps cannot read an inverted code. */
function QrCode({ text, label }: { text: string; label: string }) {
  const { size, path } = useMemo(() => {
    const { data, size } = encode(text, { ecc: 'M', border: QUIET_ZONE });
    const modules = data.flatMap((row, y) =>
      row.flatMap((isDark, x) => (isDark ? [`M${x} ${y}h1v1h-1z`] : [])),
    );
    return { size, path: modules.join('') };
  }, [text]);
  return (
    <svg
      role="img"
      aria-label={label}
      viewBox={`0 0 ${size} ${size}`}
      shapeRendering="crispEdges"
      className="size-44 shrink-0 rounded-lg border border-line"
    >
      <rect width={size} height={size} fill="white" />
      <path d={path} fill="black" />
    </svg>
  );
}
