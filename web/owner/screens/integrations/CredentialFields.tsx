import type { Control } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import type { ConnectorInfo } from '#contract/integrations.ts';
import { FormTextField } from '#web/ui/FormTextField.tsx';

export interface ConnectForm {
  name: string;
  credentials: Record<string, string>;
}

interface CredentialFieldsProps {
  connector: ConnectorInfo;
  control: Control<ConnectForm>;
  /** Only what may be given along with a login, and none of it has to be. */
  isLogin: boolean;
}

export function CredentialFields({ connector, control, isLogin }: CredentialFieldsProps) {
  const { t } = useTranslation('integrations');
  const shown = connector.credentials.filter(({ name }) => !isLogin || connector.oauth_takes.includes(name));
  return shown.map(({ name, label, help, secret, example }) => (
    <FormTextField
      key={name}
      control={control}
      name={`credentials.${name}`}
      rules={{
        validate: (_, form) =>
          isLogin || form.credentials[name]?.trim() !== '' || t('error.missing', { label }),
      }}
      label={isLogin ? t('field.optional', { label }) : label}
      description={<span lang="en">{help}</span>}
      placeholder={example}
      type={secret ? 'password' : 'text'}
      // No browser may offer, or keep, a key as if it were the owner's password here.
      autoComplete={secret ? 'new-password' : 'off'}
      autoCapitalize="none"
      spellCheck="false"
    />
  ));
}
