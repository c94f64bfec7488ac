import { type Control, Controller, useWatch } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { Button } from '#web/ui/Button.tsx';
import { ComboBoxField } from '#web/ui/ComboBoxField.tsx';
import { Skeleton } from '#web/ui/Skeleton.tsx';
import { type ToolResourceKind, useToolResources } from '../../queries/integration-queries.ts';
import { ToolError } from '../../components/ToolError.tsx';
import { type ActionForm, isEndpoint } from './actions.logic.ts';

interface TargetFieldProps {
  control: Control<ActionForm>;
  integrationId: string;
  tool: string;
  kind: ToolResourceKind;
}

/** Chosen by name from the tool's current resources. */
export function TargetField({ control, integrationId, tool, kind }: TargetFieldProps) {
  const { t } = useTranslation(['actions', 'ui']);
  const query = useToolResources(integrationId, kind);
  const chosen = useWatch({ control, name: 'target' });
  // An existing action's target is known before the tool's list has loaded.
  if (query.isPending && chosen === null) return <Skeleton shape="form" count={1} />;
  if (query.isLoadingError) {
    return (
      <div className="flex flex-col items-start gap-2">
        <ToolError error={query.error} tool={tool} />
        <Button onPress={() => void query.refetch()}>{t('ui:try_again')}</Button>
      </div>
    );
  }
  return (
    <Controller
      control={control}
      name="target"
      rules={{
        validate: (value, form) =>
          isEndpoint(form.receiver) || value !== null || t(`error.target.${kind}`, { tool }),
      }}
      render={({ field, fieldState }) => {
        // A target that was since deleted in the tool is still the action's target.
        const resources = withChosen(query.data ?? [], field.value);
        return (
          <ComboBoxField
            label={t('builder.target', { kind: t(`kind.${kind}`), tool })}
            placeholder={t(`kind.${kind}`)}
            options={resources.map(({ id, name }) => ({ value: id, label: name }))}
            value={field.value?.id ?? null}
            onChange={(id) => field.onChange(resources.find((one) => one.id === id) ?? null)}
            onBlur={field.onBlur}
            ref={field.ref}
            emptyText={t('builder.no_targets', { tool })}
            isLoading={query.isPending}
            errorMessage={fieldState.error?.message}
          />
        );
      }}
    />
  );
}

type Resource = NonNullable<ActionForm['target']>;

function withChosen(resources: readonly Resource[], chosen: Resource | null): readonly Resource[] {
  const isKnown = chosen === null || resources.some(({ id }) => id === chosen.id);
  return isKnown ? resources : [chosen, ...resources];
}
