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
  /** Only the fields that supplement a login, all optional. */
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
      // Keeps browsers from offering or saving the key as the owner's password.
      autoComplete={secret ? 'new-password' : 'off'}
      autoCapitalize="none"
      spellCheck="false"
    />
  ));
}
