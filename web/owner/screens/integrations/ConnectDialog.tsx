import { useNavigate } from '@tanstack/react-router';
import { KeyRound, LogIn } from 'lucide-react';
import { useState } from 'react';
import { Controller, useForm } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { ApiError } from '#contract/client.ts';
import type { FieldError } from '#contract/errors.ts';
import type { ConnectorInfo, Integration } from '#contract/integrations.ts';
import { Button } from '#web/ui/Button.tsx';
import { CheckboxField } from '#web/ui/CheckboxField.tsx';
import { Dialog } from '#web/ui/Dialog.tsx';
import { FormTextField } from '#web/ui/FormTextField.tsx';
import { RadioCards } from '#web/ui/RadioCards.tsx';
import { toast } from '#web/ui/toast.tsx';
import { useConnectorText } from '../../i18n/connector-texts.ts';
import { type ConnectForm, CredentialFields } from './CredentialFields.tsx';
import { useConnect, useLoginAtTool } from './integrations.api.ts';
import { fieldOfRefusal, secretOf, sentenceOf } from './integrations.logic.ts';
import { hasErrorCode } from '../../api/error-codes.ts';
import { ToolError } from '../../components/ToolError.tsx';

interface ConnectDialogProps {
  connector: ConnectorInfo;
  /** The integration that gets new credentials; undefined: connects a new one. */
  integration?: Integration;
  onClose: () => void;
}

type Way = 'login' | 'credentials';

const FORM_ID = 'connect';

export function ConnectDialog({ connector, integration, onClose }: ConnectDialogProps) {
  const { t } = useTranslation(['integrations', 'ui']);
  const tool = connector.name;
  const [way, setWay] = useState<Way>(connector.oauth ? 'login' : 'credentials');
  const { form, submit, error, otherAccount } = useConnectForm(connector, integration ?? null, way, onClose);
  const isAsking = form.formState.isSubmitting;
  const secret = secretOf(way === 'login' ? 'oauth' : 'credentials', connector);
  return (
    <Dialog
      isOpen
      size="md"
      onOpenChange={onClose}
      title={
        integration
          ? t(`secret.${secret}.new_of`, { name: integration.name })
          : t('gallery.connect_of', { tool })
      }
      description={t(`secret.${secret}.text`, { tool })}
      footer={
        <>
          <Button onPress={onClose}>{t('ui:cancel')}</Button>
          <Button type="submit" form={FORM_ID} variant="primary" isPending={isAsking}>
            {way === 'login'
              ? t('connect.login', { tool })
              : t(integration ? `secret.${secret}.save` : 'gallery.connect')}
          </Button>
        </>
      }
    >
      <form id={FORM_ID} noValidate onSubmit={(event) => void submit(event)} className="flex flex-col gap-5">
        {connector.oauth && <WayField connector={connector} way={way} onChange={setWay} />}
        <CredentialFields connector={connector} control={form.control} isLogin={way === 'login'} />
        {!integration && (
          <FormTextField
            control={form.control}
            name="name"
            label={t('field.name')}
            description={t('field.name_help')}
            placeholder={tool}
            maxLength={100}
            autoComplete="off"
          />
        )}
        <p role="status" className="text-ink-muted empty:sr-only">
          {isAsking ? t('connect.asking', { tool }) : ''}
        </p>
        <ToolError error={error} tool={tool} />
        {integration && (way === 'login' || otherAccount !== null) && (
          <Controller
            control={form.control}
            name="mayBeOther"
            render={({ field: { value, onChange } }) => (
              <CheckboxField
                label={
                  otherAccount === null
                    ? t('connect.other_account', { tool })
                    : t('connect.switch_to', { account: otherAccount })
                }
                description={t('connect.other_account_help')}
                isSelected={value}
                onChange={onChange}
              />
            )}
          />
        )}
      </form>
    </Dialog>
  );
}

interface WayFieldProps {
  connector: ConnectorInfo;
  way: Way;
  onChange: (way: Way) => void;
}

function WayField({ connector, way, onChange }: WayFieldProps) {
  const { t } = useTranslation('integrations');
  const tool = connector.name;
  return (
    <RadioCards
      label={t('connect.way')}
      value={way}
      onChange={onChange}
      options={[
        {
          value: 'login',
          label: t('connect.login', { tool }),
          description: t('connect.login_help'),
          icon: <LogIn size={16} aria-hidden />,
        },
        {
          value: 'credentials',
          label: t(`secret.${secretOf('credentials', connector)}.enter`),
          description: t('connect.key_help', { tool }),
          icon: <KeyRound size={16} aria-hidden />,
        },
      ]}
    />
  );
}

function useConnectForm(
  connector: ConnectorInfo,
  integration: Integration | null,
  way: Way,
  onClose: () => void,
) {
  const { t } = useTranslation('integrations');
  const textOf = useConnectorText(connector.id);
  const navigate = useNavigate();
  const connect = useConnect(connector.id, integration?.id ?? null);
  const login = useLoginAtTool(connector.id, integration?.id ?? null);
  const [error, setError] = useState<unknown>(null);
  const [other, setOther] = useState<OtherAccount | null>(null);
  const names = connector.credentials.map(({ name }) => name);
  const form = useForm<ConnectForm>({
    defaultValues: {
      name: '',
      mayBeOther: false,
      credentials: Object.fromEntries(
        connector.credentials.map(({ name, choices }) => [name, Object.keys(choices ?? {})[0] ?? '']),
      ),
    },
  });

  function wordsFor(one: FieldError, name: string): string {
    const field = connector.credentials.find((credential) => credential.name === name);
    if (one.code !== 'invalid_field' || !field) return sentenceOf(one);
    const { text: label } = textOf(`credentials.${name}.label`, field.label);
    return t('error.form', { tool: connector.name, label, example: field.example });
  }

  function placeErrors(cause: unknown): boolean {
    if (!(cause instanceof ApiError)) return false;
    const [one] = cause.errors;
    const name = one === undefined ? null : fieldOfRefusal(one.field, names);
    if (one === undefined || name === null) return false;
    form.setError(`credentials.${name}`, { message: wordsFor(one, name) }, { shouldFocus: true });
    return true;
  }

  async function send({ name, credentials, mayBeOther }: ConnectForm): Promise<void> {
    const wanted = way === 'login' ? connector.oauth_takes : names;
    const given = wanted.map((one) => [one, credentials[one]?.trim() ?? ''] as const);
    const input = {
      name: name.trim(),
      credentials: Object.fromEntries(given.filter(([, value]) => value !== '')),
      // Agreed to this account, and to no third one.
      mayBeOther: mayBeOther && (way === 'login' || isSame(credentials, other?.credentials)),
    };
    if (way === 'login') {
      window.location.assign(await login.mutateAsync(input));
      // Busy until the browser navigates away, but not after returning.
      await new Promise((resolve) => window.addEventListener('pageshow', resolve, { once: true }));
      return;
    }
    const { id, name: saved } = await connect.mutateAsync(input);
    toast(t(integration ? 'connect.again' : 'connect.done', { name: saved }));
    onClose();
    await navigate({ to: '/integrations/$id', params: { id } });
  }

  const submit = form.handleSubmit(async (values) => {
    setError(null);
    try {
      await send(values);
    } catch (cause) {
      if (hasErrorCode(cause, 'other_tool_account')) {
        form.setValue('mayBeOther', false);
        setOther({ name: accountIn(cause), credentials: values.credentials });
        setError(cause);
      } else if (!placeErrors(cause)) setError(cause);
    }
  });
  return { form, submit, error, otherAccount: other?.name ?? null };
}

/** Another account that the credentials turned out to be of. */
interface OtherAccount {
  name: string;
  credentials: ConnectForm['credentials'];
}

function isSame(one: ConnectForm['credentials'], other: ConnectForm['credentials'] | undefined): boolean {
  return other !== undefined && Object.entries(one).every(([name, value]) => other[name] === value);
}

function accountIn(error: unknown): string {
  const name = error instanceof ApiError ? error.data?.['account_name'] : undefined;
  return typeof name === 'string' ? name : '';
}
