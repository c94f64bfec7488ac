import { Fingerprint } from 'lucide-react';
import { type FormEvent, type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { ApiError } from '#contract/client.ts';
import type { PasskeyAssertion, PasskeyRequestOptions } from '#contract/second-factors.ts';
import { Button } from '#web/ui/Button.tsx';
import { FormError, FormErrorText } from '#web/ui/FormError.tsx';
import { TextField } from '#web/ui/TextField.tsx';
import { askPasskey, Dismissed, hasPasskeys } from './webauthn.ts';

export type ProofWay = 'passkey' | 'totp' | 'recovery_code' | 'password';

export type GivenProof =
  | { way: 'passkey'; assertion: PasskeyAssertion }
  | { way: 'totp'; code: string }
  | { way: 'recovery_code'; code: string }
  | { way: 'password'; password: string };

interface FactorFormProps {
  ways: readonly ProofWay[];
  passkey: PasskeyRequestOptions | null;
  submitLabel: string;
  /** Rejects where the proof is wrong. */
  onProof: (given: GivenProof) => Promise<void>;
}

/** Asks for one of the proofs that an account has, the most convenient one first. */
export function FactorForm({ ways, passkey, submitLabel, onProof }: FactorFormProps) {
  const { t } = useTranslation('second-factor');
  const usable = ways.filter((way) => way !== 'passkey' || (passkey !== null && hasPasskeys()));
  const [chosen, setChosen] = useState<ProofWay | null>(null);
  const [error, setError] = useState<unknown>(null);
  const [isPending, setIsPending] = useState(false);
  const way = chosen ?? usable[0];
  const others = usable.filter((one) => one !== way);

  async function prove(work: () => Promise<GivenProof>) {
    setError(null);
    setIsPending(true);
    try {
      await onProof(await work());
    } catch (cause) {
      setError(cause);
      setIsPending(false);
    }
  }

  if (way === undefined) return <p>{t('step.no_way')}</p>;
  return (
    <div className="flex flex-col gap-5">
      {way === 'passkey' && passkey !== null ? (
        <>
          <p className="text-pretty">{t('step.passkey_text')}</p>
          <ProofError error={error} way={way} />
          <Button
            variant="primary"
            isFullWidth
            icon={<Fingerprint />}
            isPending={isPending}
            autoFocus
            onPress={() => void prove(async () => ({ way, assertion: await askPasskey(passkey) }))}
          >
            {t('step.use_passkey')}
          </Button>
        </>
      ) : (
        way !== 'passkey' && (
          <TypedProof
            key={way}
            way={way}
            submitLabel={submitLabel}
            isPending={isPending}
            error={<ProofError error={error} way={way} />}
            onProof={(given) => void prove(async () => given)}
          />
        )
      )}
      {others.length > 0 && (
        <div className="flex flex-col gap-2 border-t border-line pt-4">
          <p className="text-[13px] text-ink-muted">{t('step.other')}</p>
          {others.map((other) => (
            <Button
              key={other}
              size="sm"
              isFullWidth
              onPress={() => {
                setError(null);
                setChosen(other);
              }}
            >
              {t(`step.choose.${other}`)}
            </Button>
          ))}
        </div>
      )}
    </div>
  );
}

interface TypedProofProps {
  way: Exclude<ProofWay, 'passkey'>;
  submitLabel: string;
  isPending: boolean;
  error: ReactNode;
  onProof: (given: GivenProof) => void;
}

const FIELDS = {
  totp: { autoComplete: 'one-time-code', inputMode: 'numeric', type: 'text' },
  recovery_code: { autoComplete: 'off', inputMode: 'text', type: 'text' },
  password: { autoComplete: 'current-password', inputMode: 'text', type: 'password' },
} as const;

function TypedProof({ way, submitLabel, isPending, error, onProof }: TypedProofProps) {
  const { t } = useTranslation('second-factor');
  const [value, setValue] = useState('');
  const [isMissing, setIsMissing] = useState(false);

  function submit(event: FormEvent) {
    event.preventDefault();
    if (isPending) return;
    const isGiven = way === 'totp' ? /^\d{6}$/.test(value.replaceAll(/\s/g, '')) : value.trim() !== '';
    setIsMissing(!isGiven);
    if (!isGiven) return;
    onProof(way === 'password' ? { way, password: value } : { way, code: value });
  }

  return (
    <form noValidate onSubmit={submit} className="flex flex-col gap-5">
      <TextField
        key={way}
        label={t(`step.field.${way}`)}
        description={way === 'password' ? undefined : t(`step.hint.${way}`)}
        value={value}
        onChange={(next) => {
          setValue(next);
          setIsMissing(false);
        }}
        errorMessage={isMissing ? t(`step.missing.${way}`) : undefined}
        maxLength={way === 'password' ? 200 : 40}
        autoCapitalize="none"
        spellCheck="false"
        autoFocus
        {...FIELDS[way]}
      />
      {error}
      <Button type="submit" variant="primary" isFullWidth isPending={isPending}>
        {submitLabel}
      </Button>
    </form>
  );
}

function ProofError({ error, way }: { error: unknown; way: ProofWay }) {
  const { t } = useTranslation('second-factor');
  if (error === null) return null;
  const isWrong =
    error instanceof ApiError &&
    ['second_factor_wrong', 'invalid_field'].includes(error.errors[0]?.code ?? '');
  if (error instanceof Dismissed) return <FormErrorText>{t('step.dismissed')}</FormErrorText>;
  if (isWrong) return <FormErrorText>{t(`step.wrong.${way}`)}</FormErrorText>;
  return <FormError error={error} />;
}
