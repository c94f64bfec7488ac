import { useNavigate } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { NO_ORGANIZATION } from '#contract/accounts.ts';
import { ConfirmDialog } from '#web/ui/ConfirmDialog.tsx';
import { toast } from '#web/ui/toast.tsx';
import { queryClient } from '../../../api/query-client.ts';
import { storeOrganization } from '../../../session/session.ts';
import { useSite } from '../../../site/current-site.tsx';
import { useOrganization } from '../../../queries/organization-queries.ts';
import { leave } from './team.api.ts';

interface LeaveDialogProps {
  isOpen: boolean;
  onOpenChange: (isOpen: boolean) => void;
}

/** Afterwards the account has no organization, as after signing up. */
export function LeaveDialog({ isOpen, onOpenChange }: LeaveDialogProps) {
  const { t } = useTranslation('team');
  const navigate = useNavigate();
  const site = useSite();
  const organization = useOrganization().data?.name ?? site.site.name;

  async function confirm() {
    await leave(site);
    await queryClient.invalidateQueries({ queryKey: ['account'] });
    storeOrganization(NO_ORGANIZATION);
    toast(t('leave.done', { organization }));
    await navigate({ to: '/signup-survey', replace: true });
  }

  return (
    <ConfirmDialog
      isOpen={isOpen}
      onOpenChange={onOpenChange}
      title={t('leave.title', { organization })}
      description={t('leave.text')}
      typedConfirmation={organization}
      confirmLabel={t('leave.open')}
      onConfirm={confirm}
    />
  );
}
