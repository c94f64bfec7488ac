import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Button } from '#web/ui/Button.tsx';
import { Dialog } from '#web/ui/Dialog.tsx';
import { SelectField } from '#web/ui/SelectField.tsx';
import { Skeleton } from '#web/ui/Skeleton.tsx';
import { toast } from '#web/ui/toast.tsx';
import { useChangeIntegration } from './integrations.api.ts';
import { useToolResources } from '../../queries/integration-queries.ts';
import { ToolError } from '../../components/ToolError.tsx';

interface Field {
  id: string;
  name: string;
}

interface LinkFieldDialogProps {
  id: string;
  tool: string;
  current: Field | null;
  onClose: () => void;
}

export function LinkFieldDialog({ id, tool, current, onClose }: LinkFieldDialogProps) {
  const { t } = useTranslation(['integrations', 'ui']);
  const query = useToolResources(id, 'fields');
  const change = useChangeIntegration(id);
  const [chosenId, setChosenId] = useState(current?.id ?? null);
  const chosen = query.data?.find((field) => field.id === chosenId);

  async function save(field: Field) {
    const { id: fieldId, name } = field;
    const isSaved = await change.mutateAsync({ link_field: { id: fieldId, name } }).then(
      () => true,
      () => false,
    );
    if (!isSaved) return;
    toast(t('links.chosen', { field: name }));
    onClose();
  }

  return (
    <Dialog
      isOpen
      onOpenChange={onClose}
      title={t('links.choose')}
      description={t('links.choose_text', { tool })}
      footer={
        <>
          <Button onPress={onClose}>{t('ui:cancel')}</Button>
          <Button
            variant="primary"
            isDisabled={!chosen}
            isPending={change.isPending}
            onPress={() => {
              if (chosen) void save(chosen);
            }}
          >
            {t('ui:save')}
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-4">
        {query.isPending && <Skeleton shape="form" count={1} />}
        {query.isLoadingError && (
          <>
            <ToolError error={query.error} tool={tool} />
            <div>
              <Button onPress={() => void query.refetch()}>{t('ui:try_again')}</Button>
            </div>
          </>
        )}
        {query.data?.length === 0 && <p>{t('links.no_fields', { tool })}</p>}
        {query.data !== undefined && query.data.length > 0 && (
          <SelectField
            label={t('links.field_label', { tool })}
            options={query.data.map((field) => ({ value: field.id, label: field.name }))}
            value={chosen?.id ?? null}
            onChange={setChosenId}
            placeholder={t('links.placeholder')}
          />
        )}
        <ToolError error={change.error} tool={tool} />
      </div>
    </Dialog>
  );
}
