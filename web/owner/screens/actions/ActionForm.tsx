import { overlapping } from '#contract/action-overlaps.ts';
import { type Control, Controller, useFormContext, useWatch } from 'react-hook-form';
import { Trans, useTranslation } from 'react-i18next';
import { type ChoiceEvent, isAboutLists } from '#contract/choices.ts';
import { FormTextField } from '#web/ui/FormTextField.tsx';
import { Notice } from '#web/ui/Notice.tsx';
import { MultiSelectField } from '#web/ui/MultiSelectField.tsx';
import { SelectField } from '#web/ui/SelectField.tsx';
import { SwitchField } from '#web/ui/SwitchField.tsx';
import { listFormat } from '../../i18n/formats.ts';
import { useLanguage } from '../../i18n/i18n.ts';
import { useActions } from '../../queries/action-queries.ts';
import { useLists } from '../../queries/list-queries.ts';
import {
  type ActionForm as ActionValues,
  ANY_LIST,
  capabilityOf,
  chosenLists,
  toolOperationsOf,
  EVENTS,
  likelyOperation,
  triggerOf,
  ruleOf,
} from './actions.logic.ts';
import { ThenFields } from './ThenFields.tsx';
import { useSuggestedName } from './use-suggested-name.ts';
import { useTriggerWords } from './trigger-words.ts';
import { useConnectorOf } from './use-connector-of.ts';

interface ActionFormProps {
  control: Control<ActionValues>;
  /** Of an existing action, whose type and receiver cannot be changed. */
  id: string | null;
}

type FieldProps = Pick<ActionFormProps, 'control'>;

/** The form reads as the sentence that describes the rule. */
export function ActionForm({ control, id }: ActionFormProps) {
  const { t } = useTranslation('actions');
  const event = useWatch({ control, name: 'event' });
  const suggestion = useSuggestedName(control);
  const isNew = id === null;
  return (
    <>
      <div className="flex flex-wrap items-baseline gap-x-2 gap-y-3">
        <Trans
          t={t}
          i18nKey={isAboutLists(event) ? 'builder.with_lists' : 'builder.plain'}
          components={{
            event: <EventField control={control} isNew={isNew} />,
            lists: <ListsField control={control} />,
            // The comma stays with the field before it.
            last: (
              <span className="flex max-w-full items-baseline gap-0.5 whitespace-nowrap *:whitespace-normal" />
            ),
            deed: <ThenFields control={control} isNew={isNew} />,
          }}
        />
      </div>
      <OverlapNote control={control} id={id} />
      {event === 'global_unsubscribed' && <Notice>{t('builder.everything_note')}</Notice>}
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

/** Other actions with the same list of the tool. It is no error: both lists may be meant to be one there. */
function OverlapNote({ control, id }: ActionFormProps) {
  const { t } = useTranslation('actions');
  const format = listFormat(useLanguage());
  const form = useWatch({ control }) as ActionValues;
  const { tool } = useConnectorOf(form.receiver);
  const { data: actions = [] } = useActions();
  const { data: lists = [] } = useLists();
  const others = overlapping(ruleOf(form, id), actions, lists);
  return (
    <div aria-live="polite" className="empty:hidden">
      {others.length > 0 && (
        <Notice tone="warning">
          {t('builder.overlap', {
            count: others.length,
            target: form.target?.name,
            tool,
            actions: format.format(others.map(({ name }) => name)),
          })}
        </Notice>
      )}
    </div>
  );
}

function EventField({ control, isNew }: FieldProps & { isNew: boolean }) {
  const { t } = useTranslation('actions');
  const follow = useFollowingDeed(control);
  return (
    <Controller
      control={control}
      name="event"
      render={({ field, fieldState }) => (
        <SelectField
          deferRender
          isLabelHidden
          label={t('builder.event')}
          options={EVENTS.map((value) => ({ value, label: t(`event.${value}`) }))}
          value={field.value}
          onChange={(chosen) => {
            if (isNew) follow(field.value, chosen);
            field.onChange(chosen);
          }}
          onBlur={field.onBlur}
          ref={field.ref}
          errorMessage={fieldState.error?.message}
        />
      )}
    />
  );
}

/** The operation follows the event until something else is chosen. */
function useFollowingDeed(control: Control<ActionValues>) {
  const { getValues, setValue } = useFormContext<ActionValues>();
  const { connector } = useConnectorOf(useWatch({ control, name: 'receiver' }));
  return (before: ChoiceEvent, now: ChoiceEvent) => {
    const operations = toolOperationsOf(connector);
    const toolOperation = getValues('toolOperation');
    const next = likelyOperation(now, operations);
    if (operations.length === 0 || toolOperation !== likelyOperation(before, operations)) return;
    const isSameKind =
      capabilityOf(connector, toolOperation)?.target === capabilityOf(connector, next)?.target;
    if (!isSameKind) setValue('target', null);
    setValue('toolOperation', next);
  };
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
      rules={{ validate: (chosen) => chosen.length > 0 || t('error.lists') }}
      render={({ field, fieldState }) => (
        <div className="max-w-full min-w-0">
          <MultiSelectField
            deferRender
            isLabelHidden
            label={t('builder.lists')}
            options={[
              { value: ANY_LIST, label: t('builder.any_list') },
              ...lists.map((list) => ({ value: list.id, label: list.name })),
            ]}
            value={field.value}
            onChange={(chosen) => field.onChange(chosenLists(field.value, chosen))}
            summary={
              field.value.length === 0
                ? t('builder.choose_lists')
                : wordsOf(triggerOf({ event, list_ids: field.value }), lists)
            }
            errorMessage={fieldState.error?.message}
          />
        </div>
      )}
    />
  );
}
