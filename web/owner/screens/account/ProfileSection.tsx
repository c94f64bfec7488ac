import { AvatarCard } from './AvatarCard.tsx';
import { AccountEmailCard } from './AccountEmailCard.tsx';
import { ProfileCard } from './ProfileCard.tsx';
import type { SectionProps } from './section-props.ts';

export function ProfileSection({ account }: SectionProps) {
  return (
    <div className="flex flex-col gap-6">
      <AvatarCard account={account} />
      <ProfileCard account={account} />
      <AccountEmailCard account={account} />
    </div>
  );
}
