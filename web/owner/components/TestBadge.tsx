import { FlaskConical } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { Badge } from '#web/ui/Badge.tsx';

/** On what test customers are, and leave behind. */
export function TestBadge() {
  const { t } = useTranslation('test-mode');
  return (
    <Badge tone="accent" icon={<FlaskConical />}>
      {t('badge')}
    </Badge>
  );
}
