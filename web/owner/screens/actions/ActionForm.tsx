import { type Control, Controller, useWatch } from 'react-hook-form';
import { Trans, useTranslation } from 'react-i18next';
import { FormTextField } from '#web/ui/FormTextField.tsx';
import { MultiSelectField } from '#web/ui/MultiSelectField.tsx';
import { SelectField } from '#web/ui/SelectField.tsx';
import { SwitchField } from '#web/ui/SwitchField.tsx';
import { useLists } from '../lists/lists.api.ts';
import { type ActionForm as ActionValues, EVENTS, takesLists } from './actions.logic.ts';
import { ThenFields } from './ThenFields.tsx';
import { useSuggestedName } from './suggested-name.ts';
import { useTriggerWords } from './trigger-words.ts';

interface ActionFormProps {
  control: Control<ActionValues>;
  /** What it does, and where, stays as it was made. */
  isNew: boolean;
}

type FieldProps = Pick<ActionFormProps, 'control'>;

/** The rule is built in the sentence that it will read as. */
export function ActionForm({ control, isNew }: ActionFormProps) {
  const { t } = useTranslation('actions');
  const event = useWatch({ control, name: 'event' });
  const suggestion = useSuggestedName(control);
  return (
    <>
      <div className="flex flex-wrap items-center gap-x-2 gap-y-3">
        <Trans
          t={t}
          i18nKey={takesLists(event) ? 'builder.with_lists' : 'builder.plain'}
          components={{
            event: <EventField control={control} />,
            lists: <ListsField control={control} />,
            deed: <ThenFields control={control} isNew={isNew} />,
          }}
        />
      </div>
      <FormTextField
        control={control}
        name="name"
        label={t('builder.name')}
        description={t('builder.name_help')}
        placeholder={suggestion}
        maxLength={100}
      />
      <Controller
        control={control}
        name="enabled"
        render={({ field }) => (
          <SwitchField
            label={t('builder.enabled')}
            description={t('builder.enabled_help')}
            isSelected={field.value}
            onChange={field.onChange}
          />
        )}
      />
    </>
  );
}

function EventField({ control }: FieldProps) {
  const { t } = useTranslation('actions');
  return (
    <Controller
      control={control}
      name="event"
      render={({ field, fieldState }) => (
        <SelectField
          isLabelHidden
          label={t('builder.event')}
          options={EVENTS.map((value) => ({ value, label: t(`event.${value}`) }))}
          value={field.value}
          onChange={field.onChange}
          onBlur={field.onBlur}
          ref={field.ref}
          errorMessage={fieldState.error?.message}
        />
      )}
    />
  );
}

function ListsField({ control }: FieldProps) {
  const { t } = useTranslation('actions');
  const wordsOf = useTriggerWords();
  const event = useWatch({ control, name: 'event' });
  const lists = useLists().data ?? [];
  return (
    <Controller
      control={control}
      name="list_ids"
      render={({ field, fieldState }) => (
        <div className="max-w-full">
          <MultiSelectField
            isLabelHidden
            label={t('builder.lists')}
            options={lists.map((list) => ({ value: list.id, label: list.name }))}
            value={field.value}
            onChange={field.onChange}
            summary={wordsOf({ event, list_ids: field.value }, lists)}
            errorMessage={fieldState.error?.message}
          />
        </div>
      )}
    />
  );
}
