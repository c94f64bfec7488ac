import { type Control, Controller, useFormContext, useWatch } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { FormTextField } from '#web/ui/FormTextField.tsx';
import { TextLink } from '#web/ui/Link.tsx';
import { SelectField } from '#web/ui/SelectField.tsx';
import { ConnectorText } from '../../components/ConnectorText.tsx';
import { NeedsEmail } from '../../components/NeedsEmail.tsx';
import { useConnectors, useIntegrations } from '../../queries/integration-queries.ts';
import {
  type ActionForm,
  capabilityOf,
  toolOperationsOf,
  ENDPOINTS,
  isAddressOf,
  isByEmail,
  isEndpoint,
  likelyOperation,
  noteOf,
  splitOperation,
} from './actions.logic.ts';
import { TargetField } from './TargetField.tsx';
import { useConnectorOf } from './use-connector-of.ts';

interface ThenFieldsProps {
  control: Control<ActionForm>;
  isNew: boolean;
}

/** The receiver, and the operation there. */
export function ThenFields({ control, isNew }: ThenFieldsProps) {
  const receiver = useWatch({ control, name: 'receiver' });
  return (
    <div className="flex basis-full flex-col gap-3">
      <ReceiverField control={control} isNew={isNew} />
      {isEndpoint(receiver) ? (
        <>
          <AddressField control={control} receiver={receiver} />
          <EvidenceByEmail control={control} />
        </>
      ) : (
        <ToolFields control={control} isNew={isNew} integrationId={receiver} />
      )}
    </div>
  );
}

function ReceiverField({ control, isNew }: ThenFieldsProps) {
  const { t } = useTranslation('actions');
  const { data: integrations } = useIntegrations();
  const { data: connectors = [] } = useConnectors();
  const { setValue, getValues } = useFormContext<ActionForm>();

  function choose(receiver: string) {
    const provider = integrations?.find(({ id }) => id === receiver)?.provider;
    const operations = toolOperationsOf(connectors.find(({ id }) => id === provider));
    setValue('receiver', receiver, { shouldDirty: true });
    setValue('toolOperation', likelyOperation(getValues('event'), operations), { shouldDirty: true });
    setValue('target', null, { shouldDirty: true });
  }

  const isAlone = integrations?.length === 0;
  return (
    <Controller
      control={control}
      name="receiver"
      render={({ field, fieldState }) => (
        <SelectField
          deferRender
          isLabelHidden
          label={t('builder.receiver')}
          options={[
            ...ENDPOINTS.map((value) => ({ value: value as string, label: t(`builder.to.${value}`) })),
            ...(integrations ?? []).map(({ id, name }) => ({
              value: id,
              label: t('builder.to.tool', { tool: name }),
            })),
          ]}
          value={field.value}
          onChange={choose}
          onBlur={field.onBlur}
          ref={field.ref}
          isDisabled={!isNew}
          errorMessage={fieldState.error?.message}
          description={
            isAlone && isNew ? (
              <TextLink to="/integrations">{t('builder.connect')}</TextLink>
            ) : (
              !isNew && t('builder.fixed')
            )
          }
        />
      )}
    />
  );
}

function AddressField({ control, receiver }: { control: Control<ActionForm>; receiver: string }) {
  const { t } = useTranslation('actions');
  const isEvidence = receiver === 'evidence';
  return (
    <FormTextField
      control={control}
      name="url"
      rules={{
        validate: (_, form) =>
          !isEndpoint(form.receiver) ||
          isAddressOf(form.receiver, form.url) ||
          t(form.receiver === 'evidence' ? 'error.evidence' : 'error.url'),
      }}
      isLabelHidden
      label={isEvidence ? t('builder.evidence_address') : t('builder.url')}
      description={t(isEvidence ? 'builder.about.evidence' : 'builder.about.webhook')}
      type={isEvidence ? 'text' : 'url'}
      autoComplete="off"
      spellCheck="false"
      placeholder={isEvidence ? 'records@example.com' : 'https://example.com/hooks'}
    />
  );
}

function EvidenceByEmail({ control }: { control: Control<ActionForm> }) {
  const [receiver, url] = useWatch({ control, name: ['receiver', 'url'] });
  return isByEmail({ receiver, url }) ? <NeedsEmail /> : null;
}

function ToolFields({ control, isNew, integrationId }: ThenFieldsProps & { integrationId: string }) {
  const { t } = useTranslation('actions');
  const { tool, connector } = useConnectorOf(integrationId);
  const toolOperation = useWatch({ control, name: 'toolOperation' });
  const { setValue } = useFormContext<ActionForm>();
  const capability = capabilityOf(connector, toolOperation);
  const note = noteOf(connector, toolOperation);
  const about = toolOperation === '' ? null : (`actions.${splitOperation(toolOperation).type}` as const);
  return (
    <>
      <Controller
        control={control}
        name="toolOperation"
        rules={{ validate: (value, form) => isEndpoint(form.receiver) || value !== '' || t('error.deed') }}
        render={({ field, fieldState }) => (
          <SelectField
            deferRender
            isLabelHidden
            label={t('builder.deed')}
            placeholder={t('builder.deed_placeholder')}
            options={toolOperationsOf(connector).map((value) => ({ value, label: t(`deed.${value}`) }))}
            value={field.value === '' ? null : field.value}
            onChange={(value) => {
              const kind = capabilityOf(connector, value)?.target;
              if (kind !== capability?.target) setValue('target', null, { shouldDirty: true });
              field.onChange(value);
            }}
            onBlur={field.onBlur}
            ref={field.ref}
            isDisabled={!isNew}
            errorMessage={fieldState.error?.message}
            description={
              note !== null &&
              about !== null && (
                <ConnectorText connector={connector} place={`${about}.note`}>
                  {note}
                </ConnectorText>
              )
            }
          />
        )}
      />
      {capability !== null && capability.target !== null && (
        <TargetField
          key={`${integrationId}:${capability.target}`}
          {...{ control, integrationId, tool }}
          kind={capability.target}
        />
      )}
      {about !== null && capability !== null && capability.irreversible !== null && (
        <p className="text-[13px] text-pretty text-warning">
          {t('builder.irreversible')}{' '}
          <ConnectorText connector={connector} place={`${about}.irreversible`}>
            {capability.irreversible}
          </ConnectorText>
        </p>
      )}
    </>
  );
}
