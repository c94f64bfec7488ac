import { useTranslation } from 'react-i18next';
import { Card } from '#web/ui/Card.tsx';
import { ErrorState } from '#web/ui/ErrorState.tsx';
import { PageHeader } from '#web/ui/PageHeader.tsx';
import { RadioCards } from '#web/ui/RadioCards.tsx';
import { Skeleton } from '#web/ui/Skeleton.tsx';
import { useAccount } from '../../account.ts';
import { chooseTheme } from '../../preferences.ts';
import { LanguagePicker } from '../../shell/LanguagePicker.tsx';
import { THEMES, useTheme } from '../../theme.ts';
import { ApiKeysSection } from './api-keys/ApiKeysSection.tsx';
import { PasswordCard } from './PasswordCard.tsx';
import { ProfileCard } from './ProfileCard.tsx';
import { TeamSection } from './team/TeamSection.tsx';

export function AccountSettingsScreen() {
  const { t } = useTranslation('account');
  const account = useAccount();
  return (
    <div className="max-w-2xl">
      <PageHeader title={t('title')} description={t('description')} />
      {account.isPending && <Skeleton shape="form" count={4} />}
      {account.isError && <ErrorState error={account.error} onRetry={() => void account.refetch()} />}
      {account.data && (
        <div className="flex flex-col gap-6">
          <ProfileCard account={account.data} />
          <AppearanceCard />
          <PasswordCard account={account.data} />
          <TeamSection />
          <ApiKeysSection />
        </div>
      )}
    </div>
  );
}

/** Holds at once, without a save button. */
function AppearanceCard() {
  const { t } = useTranslation('account');
  const theme = useTheme();
  return (
    <Card title={t('appearance.title')} description={t('appearance.description')}>
      <div className="flex flex-col gap-5">
        <LanguagePicker />
        <RadioCards
          label={t('appearance.theme')}
          columns={3}
          value={theme}
          onChange={chooseTheme}
          options={THEMES.map((one) => ({ value: one, label: t(`appearance.themes.${one}`) }))}
        />
      </div>
    </Card>
  );
}
