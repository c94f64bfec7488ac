import { useMutation } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { Button } from '#web/ui/Button.tsx';
import { FormError } from '#web/ui/FormError.tsx';
import { Notice } from '#web/ui/Notice.tsx';

/** Somebody else changed what a form is about: saving it would take their change back. */
export function ChangedMeanwhile({ onReload }: { onReload: () => Promise<void> }) {
  const { t } = useTranslation('editing');
  const reload = useMutation({ mutationFn: onReload });
  return (
    <div role="alert">
      <Notice tone="warning">
        <p className="text-pretty">{t('conflict.text')}</p>
        <div className="mt-2 flex flex-col items-start gap-2">
          <Button size="sm" isPending={reload.isPending} onPress={() => reload.mutate()}>
            {t('conflict.load')}
          </Button>
          <FormError error={reload.error} />
        </div>
      </Notice>
    </div>
  );
}
