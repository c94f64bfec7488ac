import { Ellipsis, LogOut, UserMinus } from 'lucide-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Member } from '#contract/members.ts';
import { isAtLeast, type Role, ROLES } from '#contract/roles.ts';
import { Badge } from '#web/ui/Badge.tsx';
import { useErrorText } from '#web/ui/error-text.ts';
import { IconButton } from '#web/ui/IconButton.tsx';
import { Menu, MenuItem } from '#web/ui/Menu.tsx';
import { SelectField } from '#web/ui/SelectField.tsx';
import { toast } from '#web/ui/toast.tsx';
import { useAccount } from '../../../account/account.ts';
import { usePermission, useRole } from '../../../account/permissions.ts';
import { LeaveDialog } from './LeaveDialog.tsx';
import { RemoveDialog } from './RemoveDialog.tsx';
import { useSetRole } from './team.api.ts';
import { nameOf } from './team.logic.ts';

export function MemberRow({ member }: { member: Member }) {
  const { t } = useTranslation('team');
  const isSelf = useAccount().data?.id === member.id;
  const role = useRole();
  const canManage = usePermission('admin');
  const isReachable = canManage && !isSelf && role !== null && isAtLeast(role, member.role);
  return (
    <li className="flex flex-wrap items-center gap-x-4 gap-y-2 px-5 py-3">
      <div className="min-w-0 flex-1 basis-48">
        <p className="flex flex-wrap items-center gap-2 font-medium">
          <span className="min-w-0 wrap-anywhere">{nameOf(member)}</span>
          {isSelf && <Badge tone="accent">{t('you')}</Badge>}
        </p>
        <p className="text-[13px] wrap-anywhere text-ink-muted">{member.email}</p>
      </div>
      <div className="flex items-center gap-1 max-sm:w-full max-sm:justify-between">
        {isReachable ? (
          <RoleSelect member={member} own={role} />
        ) : (
          <span className="text-ink-muted sm:px-2">{t(`role.${member.role}`)}</span>
        )}
        {(isReachable || isSelf) && <MemberMenu member={member} isSelf={isSelf} />}
      </div>
    </li>
  );
}

/** Up to the own role, because nobody can grant more than they have. */
function RoleSelect({ member, own }: { member: Member; own: Role }) {
  const { t } = useTranslation('team');
  const errorText = useErrorText();
  const set = useSetRole();
  const name = nameOf(member);

  function give(role: Role) {
    if (role === member.role) return;
    set.mutate(
      { id: member.id, role },
      {
        onSuccess: () => toast(t(`role_changed.${role}`, { name })),
        onError: (error) => toast(errorText(error), { tone: 'error' }),
      },
    );
  }

  return (
    <div className="w-32">
      <SelectField
        label={t('role_of', { name })}
        isLabelHidden
        options={ROLES.filter((one) => isAtLeast(own, one)).map((one) => ({
          value: one,
          label: t(`role.${one}`),
        }))}
        value={set.isPending ? set.variables.role : member.role}
        isDisabled={set.isPending}
        onChange={give}
      />
    </div>
  );
}

function MemberMenu({ member, isSelf }: { member: Member; isSelf: boolean }) {
  const { t } = useTranslation('team');
  const [isAsking, setIsAsking] = useState(false);
  const label = t('more', { name: nameOf(member) });
  return (
    <>
      <Menu label={label} trigger={<IconButton label={label} icon={<Ellipsis />} />}>
        <MenuItem
          icon={isSelf ? <LogOut /> : <UserMinus />}
          variant="danger"
          onAction={() => setIsAsking(true)}
        >
          {isSelf ? t('leave.open') : t('remove.open')}
        </MenuItem>
      </Menu>
      {isSelf ? (
        <LeaveDialog isOpen={isAsking} onOpenChange={setIsAsking} />
      ) : (
        <RemoveDialog member={member} isOpen={isAsking} onOpenChange={setIsAsking} />
      )}
    </>
  );
}
