import { useForm } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { Button } from '#web/ui/Button.tsx';
import { Dialog } from '#web/ui/Dialog.tsx';
import { randomId } from '#web/ui/random-id.ts';
import { ListFields, TranslationFields } from '../lists/ListFields.tsx';
import { type ListForm, listFieldsOf, listFormOf } from '../lists/lists.logic.ts';
import type { FormList } from './pages.logic.ts';

interface PageListDialogProps {
  /** None: a new one. */
  list?: FormList;
  onClose: () => void;
  onApply: (list: FormList) => void;
}

const FORM_ID = 'page-list';

export function PageListDialog({ list, onClose, onApply }: PageListDialogProps) {
  const { t } = useTranslation(['pages', 'lists', 'ui']);
  const { control, handleSubmit } = useForm<ListForm>({ defaultValues: listFormOf(list) });
  const apply = handleSubmit((form) => {
    const before = list ?? { createId: `new-${randomId()}`, show_order: 0 };
    onApply({ ...before, ...listFieldsOf(form) });
    onClose();
  });
  return (
    <Dialog
      isOpen
      size="lg"
      onOpenChange={onClose}
      title={list ? t('lists:editor.edit') : t('lists:editor.new')}
      {...(list?.id === undefined ? {} : { description: t('lists.everywhere') })}
      footer={
        <>
          <Button onPress={onClose}>{t('ui:cancel')}</Button>
          <Button type="submit" form={FORM_ID} variant="primary">
            {t(list ? 'lists.apply' : 'lists.add')}
          </Button>
        </>
      }
    >
      <form
        id={FORM_ID}
        noValidate
        onSubmit={(event) => {
          event.stopPropagation();
          void apply(event);
        }}
        className="flex flex-col gap-6"
      >
        <ListFields control={control} />
        <section>
          <h3 className="font-semibold">{t('lists:translations.title')}</h3>
          <p className="mb-2 text-[13px] text-ink-muted">{t('lists:translations.help')}</p>
          <div className="-mx-5">
            <TranslationFields control={control} />
          </div>
        </section>
      </form>
    </Dialog>
  );
}
