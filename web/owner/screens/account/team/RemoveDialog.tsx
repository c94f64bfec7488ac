import { useTranslation } from 'react-i18next';
import type { Member } from '#contract/members.ts';
import { ConfirmDialog } from '#web/ui/ConfirmDialog.tsx';
import { toast } from '#web/ui/toast.tsx';
import { useRemoveMember } from './team.api.ts';
import { nameOf } from './team.logic.ts';

interface RemoveDialogProps {
  member: Member;
  isOpen: boolean;
  onOpenChange: (isOpen: boolean) => void;
}

export function RemoveDialog({ member, isOpen, onOpenChange }: RemoveDialogProps) {
  const { t } = useTranslation('team');
  const remove = useRemoveMember();
  const name = nameOf(member);
  return (
    <ConfirmDialog
      isOpen={isOpen}
      onOpenChange={onOpenChange}
      title={t('remove.title', { name })}
      description={t('remove.text')}
      typedConfirmation={member.username}
      confirmLabel={t('remove.confirm')}
      onConfirm={async () => {
        await remove.mutateAsync(member.id);
        toast(t('remove.done', { name }));
      }}
    />
  );
}
