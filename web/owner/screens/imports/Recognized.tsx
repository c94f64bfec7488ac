import { useTranslation } from 'react-i18next';
import type { ImportDetail } from '#contract/imports.ts';
import { Notice } from '#web/ui/Notice.tsx';

/** Which tool wrote the file, and how sure we are. */
export function Recognized({ item: { recognized } }: { item: Pick<ImportDetail, 'recognized'> }) {
  const { t } = useTranslation('imports');
  if (recognized === null) return <Notice>{t('recognized.unknown')}</Notice>;
  const { tool, part, is_certain: isCertain } = recognized;
  return (
    <Notice tone={isCertain ? 'success' : 'warning'}>
      {t(isCertain ? 'recognized.certain' : 'recognized.likely', {
        tool,
        part: t(`recognized.part.${part}`),
      })}
    </Notice>
  );
}
