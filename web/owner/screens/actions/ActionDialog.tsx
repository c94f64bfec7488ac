import { useState } from 'react';
import { type Control, FormProvider, useForm, useWatch } from 'react-hook-form';
import { Trans, useTranslation } from 'react-i18next';
import { directionOf } from '#contract/action-overlaps.ts';
import type { Action } from '#contract/actions.ts';
import { ApiError } from '#contract/client.ts';
import { Button } from '#web/ui/Button.tsx';
import { Dialog } from '#web/ui/Dialog.tsx';
import { useErrorText } from '#web/ui/error-text.ts';
import { Form } from '#web/ui/Form.tsx';
import { FormError } from '#web/ui/FormError.tsx';
import { TextLink } from '#web/ui/Link.tsx';
import { Notice } from '#web/ui/Notice.tsx';
import { toast } from '#web/ui/toast.tsx';
import { hasErrorCode } from '../../api/error-codes.ts';
import { ChangedMeanwhile } from '../../components/ChangedMeanwhile.tsx';
import { useFormDraft } from '../../drafts/use-form-draft.ts';
import { RestoredNotice } from '../../drafts/RestoredNotice.tsx';
import { useUnsavedGuard } from '../../drafts/unsaved-guard.tsx';
import { useSite } from '../../site/current-site.tsx';
import { useSaveAction } from './actions.api.ts';
import {
  type ActionForm as ActionValues,
  changedFields,
  formFieldOf,
  isEndpoint,
  ruleOf,
} from './actions.logic.ts';
import { ActionForm } from './ActionForm.tsx';
import { StaleTargets, useStaleTargets } from './StaleTargets.tsx';
import type { FreshSecret } from './SecretDialog.tsx';
import { useConnectorOf } from './use-connector-of.ts';
import { useDerivedName } from './use-derived-name.ts';
import { useRetarget } from './use-retarget.ts';
import { useSavedToast } from './use-saved-toast.ts';
import { useSuggestedName } from './use-suggested-name.ts';

interface ActionDialogProps {
  /** The initial form. */
  start: ActionValues;
  /** As it was read when the dialog opened; none: a new one. */
  action?: Action;
  /** The action that a new one is like. */
  original?: Action;
  /** Opens the dialog again with the action as it is now. */
  onReload?: () => Promise<void>;
  onClose: () => void;
  onSecret: (secret: FreshSecret) => void;
}

const FORM_ID = 'action';

/** A draft of an action that was changed since is not restored: it would take that change back. */
function draftName({ action, original }: ActionDialogProps, siteId: string): string {
  if (action) return `action:${action.id}:${action.updated_at}`;
  return `action:${original ? `copy:${original.id}` : `new:${siteId}`}`;
}

export function ActionDialog(props: ActionDialogProps) {
  const { start, action, original, onReload, onClose, onSecret } = props;
  const { t } = useTranslation(['actions', 'ui']);
  const errorText = useErrorText();
  const save = useSaveAction(action && { action, start });
  const behind = useStaleTargets(start, action?.id ?? null);
  const retarget = useRetarget();
  const [kept, setKept] = useState<ReadonlySet<string>>(new Set());
  const [error, setError] = useState<unknown>(null);
  const form = useForm<ActionValues>({ defaultValues: start });
  const suggestion = useSuggestedName(form.control);
  const showSavedToast = useSavedToast();
  useDerivedName(form, suggestion, original);
  const { site_id } = useSite();
  const draft = useFormDraft(draftName(props, site_id), form);
  const guard = useUnsavedGuard(form.formState.isDirty, draft.evict);

  function placeErrors(cause: unknown): boolean {
    if (hasErrorCode(cause, 'conflict') || !(cause instanceof ApiError) || cause.errors.length === 0)
      return false;
    const fields = cause.errors.map((one) => formFieldOf(one, form.getValues('receiver')));
    cause.errors.forEach((one, index) => {
      const field = fields[index];
      const single = new ApiError(cause.status, { message: one.message, meta: { errors: [one] } }, null);
      if (field) form.setError(field, { message: errorText(single) }, { shouldFocus: index === 0 });
    });
    return fields.every((field) => field !== null);
  }

  const isChangedMeanwhile = hasErrorCode(error, 'conflict');

  async function reload() {
    await onReload?.();
    draft.evict();
  }

  /** Those that would be left behind. What fails is said on its own: the action itself is saved. */
  async function changeToo(actions: readonly Action[], { target }: ActionValues, name: string) {
    if (target === null) return true;
    const changes = actions.map(async (one) => {
      try {
        await retarget(one, start.target, target);
        return true;
      } catch (cause) {
        const text = t('builder.also_failed', { name, action: one.name });
        toast(`${text} ${errorText(cause)}`, { tone: 'error' });
        return false;
      }
    });
    return (await Promise.all(changes)).every((isChanged) => isChanged);
  }

  const submit = form.handleSubmit(async (values) => {
    setError(null);
    const name = values.name.trim() || suggestion;
    try {
      const alsoChanged = behind(values).filter(({ id }) => !kept.has(id));
      const saved = await save.mutateAsync({ ...values, name });
      guard.allow();
      draft.evict();
      onClose();
      if (!(await changeToo(alsoChanged, values, saved.name))) return;
      if (saved.signing_secret) onSecret({ value: saved.signing_secret, isRotated: false });
      else if (isForWaiting(start, values)) void showSavedToast(saved);
      else toast(t(original && !saved.enabled ? 'duplicate.created_off' : 'saved', { name: saved.name }));
    } catch (cause) {
      if (!placeErrors(cause)) setError(cause);
    }
  });

  return (
    <Dialog
      isOpen
      size="md"
      onOpenChange={onClose}
      title={t(action ? 'builder.edit_title' : original ? 'duplicate.title' : 'builder.new_title')}
      footer={
        <>
          <Button onPress={onClose}>{t('ui:cancel')}</Button>
          <Button type="submit" form={FORM_ID} variant="primary" isPending={form.formState.isSubmitting}>
            {action ? t('ui:save') : t('builder.create')}
          </Button>
        </>
      }
    >
      <Form id={FORM_ID} onSubmit={submit} className="flex flex-col gap-6">
        <RestoredNotice isShown={draft.isRestored} onDiscard={draft.discard} />
        {original && <CopyNote control={form.control} />}
        <FormProvider {...form}>
          <ActionForm control={form.control} id={action?.id ?? null} />
          {action && (
            <>
              <StaleTargets
                control={form.control}
                start={start}
                id={action.id}
                kept={kept}
                onKept={setKept}
              />
              <WaitingNote start={start} control={form.control} />
              <StayNote start={start} control={form.control} />
            </>
          )}
        </FormProvider>
        {original && isEndpoint(start.receiver) && <Notice>{t('duplicate.secret')}</Notice>}
        {isChangedMeanwhile ? <ChangedMeanwhile onReload={reload} /> : <FormError error={error} />}
      </Form>
      {guard.dialog}
    </Dialog>
  );
}

/** Why the copy is off, while it is. */
function CopyNote({ control }: { control: Control<ActionValues> }) {
  const { t } = useTranslation('actions');
  const isOn = useWatch({ control, name: 'enabled' });
  return isOn ? null : <Notice>{t('duplicate.off')}</Notice>;
}

/** What happens to deliveries that wait, once something is changed that they depend on. */
function WaitingNote({ start, control }: { start: ActionValues; control: Control<ActionValues> }) {
  const { t } = useTranslation('actions');
  const now = useWatch({ control }) as ActionValues;
  return isForWaiting(start, now) ? <Notice>{t('builder.waiting')}</Notice> : null;
}

/** Do deliveries that wait depend on what was changed? */
function isForWaiting(start: ActionValues, now: ActionValues): boolean {
  const { trigger, target } = changedFields(start, now);
  return trigger !== undefined || target !== undefined;
}

/** A new list doesn't get the customers who were added to the one before. */
function StayNote({ start, control }: { start: ActionValues; control: Control<ActionValues> }) {
  const { t } = useTranslation('actions');
  const now = useWatch({ control }) as ActionValues;
  const { tool } = useConnectorOf(now.receiver);
  const isOfList = now.toolOperation === 'list_add' && directionOf(ruleOf(now, null)) === 'in';
  if (!isOfList || start.target === null || now.target === null) return null;
  if (start.target.id === now.target.id) return null;
  return (
    <Notice>
      <Trans
        t={t}
        i18nKey="builder.stay"
        values={{ before: start.target.name, target: now.target.name, tool }}
        components={{
          compare: (
            // In a tab of its own: the form isn't saved yet.
            <TextLink
              to="/integrations/$id"
              params={{ id: now.receiver }}
              search={{ tab: 'comparison' }}
              target="_blank"
            />
          ),
        }}
      />
    </Notice>
  );
}
