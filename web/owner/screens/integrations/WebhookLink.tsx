import { useTranslation } from 'react-i18next';
import { TextLink } from '#web/ui/Link.tsx';

/** To where an integration's webhook is set up. */
export function WebhookLink({ id }: { id: string }) {
  const { t } = useTranslation('integrations');
  return (
    <TextLink to="/integrations/$id" params={{ id }} search={{ tab: 'technical' }}>
      {t('inbound.set_up')}
    </TextLink>
  );
}
