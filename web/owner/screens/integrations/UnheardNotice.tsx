import { useTranslation } from 'react-i18next';
import type { Integration } from '#contract/integrations.ts';
import { Button } from '#web/ui/Button.tsx';
import { TextLink } from '#web/ui/Link.tsx';
import { toast } from '#web/ui/toast.tsx';
import { usePermission } from '../../account/permissions.ts';
import { ToolError } from '../../components/ToolError.tsx';
import { useSetUpWebhook } from './integrations.api.ts';

interface UnheardNoticeProps {
  integration: Integration;
  /** Its name. */
  tool: string;
}

/** What people do in the tool doesn't reach us: why, and one click that sets it up, or the way by hand. */
export function UnheardNotice({ integration: { id, webhook_reason: reason }, tool }: UnheardNoticeProps) {
  const { t } = useTranslation('integrations');
  const canSetUp = usePermission('editor');
  const setUp = useSetUpWebhook(id);

  async function setUpNow() {
    const seen = await setUp.mutateAsync().catch(() => null);
    if (seen?.webhook_state === 'registered') toast(t('unheard.done', { tool }));
  }

  return (
    <div className="flex flex-col gap-2 rounded-lg bg-warning-soft px-3 py-2 text-[13px] text-warning">
      <p className="font-medium text-pretty">{t('unheard.text', { tool })}</p>
      {reason !== null && (
        <p lang="en" className="break-words">
          {reason}
        </p>
      )}
      {canSetUp && (
        <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
          <Button size="sm" isPending={setUp.isPending} onPress={() => void setUpNow()}>
            {t('unheard.set_up')}
          </Button>
          {reason !== null && (
            <TextLink to="/integrations/$id" params={{ id }} search={{ tab: 'technical' }}>
              {t('unheard.by_hand')}
            </TextLink>
          )}
        </div>
      )}
      <ToolError error={setUp.error} tool={tool} />
    </div>
  );
}
