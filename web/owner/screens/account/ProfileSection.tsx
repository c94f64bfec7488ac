import { AvatarCard } from './AvatarCard.tsx';
import { EmailCard } from './EmailCard.tsx';
import { ProfileCard } from './ProfileCard.tsx';
import type { SectionProps } from './section-props.ts';

export function ProfileSection({ account }: SectionProps) {
  return (
    <div className="flex flex-col gap-6">
      <AvatarCard account={account} />
      <ProfileCard account={account} />
      <EmailCard account={account} />
    </div>
  );
}
