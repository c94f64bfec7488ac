import { PasswordCard } from '../PasswordCard.tsx';
import type { SectionProps } from '../section-props.ts';
import { SecondFactorCard } from '../../second-factor/SecondFactorCard.tsx';
import { GoogleCard } from './GoogleCard.tsx';
import { SessionsCard } from './SessionsCard.tsx';

export function SecuritySection({ account }: SectionProps) {
  return (
    <div className="flex flex-col gap-6">
      <PasswordCard account={account} />
      <SecondFactorCard accountId={account.id} />
      <GoogleCard account={account} />
      <SessionsCard account={account} />
    </div>
  );
}
