import { Controller, type Control } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import type { ConnectorInfo } from '#contract/integrations.ts';
import { FormTextField } from '#web/ui/FormTextField.tsx';
import { SelectField } from '#web/ui/SelectField.tsx';
import { ConnectorText } from '../../components/ConnectorText.tsx';
import { useConnectorText } from '../../i18n/connector-texts.ts';

export interface ConnectForm {
  name: string;
  credentials: Record<string, string>;
  mayBeOther: boolean;
}

interface CredentialFieldsProps {
  connector: ConnectorInfo;
  control: Control<ConnectForm>;
  /** Only the fields that supplement a login, all optional. */
  isLogin: boolean;
}

export function CredentialFields({ connector, control, isLogin }: CredentialFieldsProps) {
  const { t } = useTranslation('integrations');
  const textOf = useConnectorText(connector.id);
  const shown = connector.credentials.filter(({ name }) => !isLogin || connector.oauth_takes.includes(name));
  return shown.map(({ name, help, secret, example, choices, ...field }) => {
    const label = textOf(`credentials.${name}.label`, field.label).text;
    const description = (
      <ConnectorText connector={connector} place={`credentials.${name}.help`}>
        {help}
      </ConnectorText>
    );
    if (choices !== null) {
      const options = Object.entries(choices).map(([value, english]) => ({
        value,
        label: textOf(`credentials.${name}.choices.${value}`, english).text,
      }));
      return (
        <Controller
          key={name}
          control={control}
          name={`credentials.${name}`}
          render={({ field: { ref, ...bound }, fieldState }) => (
            <SelectField
              {...bound}
              ref={ref}
              label={label}
              description={description}
              options={options}
              errorMessage={fieldState.error?.message}
            />
          )}
        />
      );
    }
    return (
      <FormTextField
        key={name}
        control={control}
        name={`credentials.${name}`}
        rules={{
          validate: (_, form) =>
            isLogin || form.credentials[name]?.trim() !== '' || t('error.missing', { label }),
        }}
        label={isLogin ? t('field.optional', { label }) : label}
        description={description}
        placeholder={example}
        type={secret ? 'password' : 'text'}
        // Keeps browsers from offering or saving the key as the owner's password.
        autoComplete={secret ? 'new-password' : 'off'}
        autoCapitalize="none"
        spellCheck="false"
      />
    );
  });
}
