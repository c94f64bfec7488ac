import { useTranslation } from 'react-i18next';
import { EmptyState } from '#web/ui/EmptyState.tsx';
import { LinkButton } from '#web/ui/LinkButton.tsx';
import { usePermission } from '../../account/permissions.ts';
import { ActivityScene } from '../../components/scenes/scenes.tsx';

/** Until customers make choices. */
export function NoFigures() {
  const { t } = useTranslation('figures');
  const canImport = usePermission('editor');
  return (
    <EmptyState
      art={<ActivityScene />}
      title={t('empty.title')}
      text={t('empty.text')}
      example={t('empty.example')}
      action={canImport && <LinkButton to="/imports/new">{t('empty.action')}</LinkButton>}
    />
  );
}
