import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Member } from '#contract/members.ts';
import { CheckboxField } from '#web/ui/CheckboxField.tsx';
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
  const [revokesKeys, setRevokesKeys] = useState(true);
  const name = nameOf(member);

  useEffect(() => {
    if (!isOpen) setRevokesKeys(true);
  }, [isOpen]);

  return (
    <ConfirmDialog
      isOpen={isOpen}
      onOpenChange={onOpenChange}
      title={t('remove.title', { name })}
      description={t('remove.text')}
      typedConfirmation={member.username}
      confirmLabel={t('remove.confirm')}
      onConfirm={async () => {
        await remove.mutateAsync({ id: member.id, apiKeys: revokesKeys ? 'revoke' : 'keep' });
        toast(t('remove.done', { name }));
      }}
    >
      <CheckboxField
        label={t('remove.keys')}
        description={t('remove.keys_help')}
        isSelected={revokesKeys}
        onChange={setRevokesKeys}
      />
    </ConfirmDialog>
  );
}
