import { type ReactNode, useState } from 'react';
import { type Control, type DefaultValues, type FieldValues, useForm } from 'react-hook-form';
import { Button } from '#web/ui/Button.tsx';
import { Card } from '#web/ui/Card.tsx';
import { Form } from '#web/ui/Form.tsx';
import { toast } from '#web/ui/toast.tsx';
import { type SiteChanges, useChangeSite } from '../../queries/site-queries.ts';

/** What the typed values mean. */
interface Reading<Values> {
  changes: SiteChanges;
  /** The fields show these once they are saved. */
  values: Values;
  /** The message then. */
  done: string;
}

interface SettingsForm<Values extends FieldValues> {
  control: Control<Values>;
  isDirty: boolean;
  isSaving: boolean;
  /** Of the last save; null if it succeeded. */
  error: unknown;
  save: () => Promise<void>;
}

/**
 * The form of one of the site settings' cards, each saved on its own.
 * @param start what the fields show before anything is typed
 * @param read is given values that the fields' rules have accepted
 */
export function useSettingsForm<Values extends FieldValues>(
  start: Values,
  read: (typed: Values) => Reading<Values>,
): SettingsForm<Values> {
  const change = useChangeSite();
  const [error, setError] = useState<unknown>(null);
  const { control, handleSubmit, formState, reset } = useForm<Values>({
    defaultValues: start as DefaultValues<Values>,
  });
  const save = handleSubmit(async (typed) => {
    setError(null);
    const { changes, values, done } = read(typed);
    try {
      await change.mutateAsync(changes);
      reset(values);
      toast(done);
    } catch (cause) {
      setError(cause);
    }
  });
  return { control, isDirty: formState.isDirty, isSaving: formState.isSubmitting, error, save };
}

interface SettingsCardProps {
  title: string;
  description: string;
  form: Pick<SettingsForm<FieldValues>, 'isSaving' | 'save'>;
  saveLabel: string;
  /** In front of the button that saves. */
  action?: ReactNode;
  children: ReactNode;
}

/** A card with a form of its own. */
export function SettingsCard({ title, description, form, saveLabel, action, children }: SettingsCardProps) {
  return (
    <Form onSubmit={() => form.save()}>
      <Card
        title={title}
        description={description}
        footer={
          <>
            {action}
            <Button type="submit" variant="primary" isPending={form.isSaving}>
              {saveLabel}
            </Button>
          </>
        }
      >
        {children}
      </Card>
    </Form>
  );
}
