import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import {
  Building2,
  CircleUserRound,
  Download,
  KeyRound,
  ScrollText,
  ShieldCheck,
  SunMoon,
  Users,
} from 'lucide-react';
import type { ComponentType, ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { ErrorState } from '#web/ui/ErrorState.tsx';
import { PageHeader } from '#web/ui/PageHeader.tsx';
import { SelectField } from '#web/ui/SelectField.tsx';
import { Skeleton } from '#web/ui/Skeleton.tsx';
import { useAccount } from '../../account/account.ts';
import { usePermission } from '../../account/permissions.ts';
import { NeedsRole } from '../../components/NeedsRole.tsx';
import { KeysSection } from './api-keys/KeysSection.tsx';
import { AppearanceCard } from './AppearanceCard.tsx';
import { AuditLogSection } from './audit-log/AuditLogSection.tsx';
import { YourDataSection } from './your-data/YourDataSection.tsx';
import { OrganizationSection } from './organization/OrganizationSection.tsx';
import { ProfileSection } from './ProfileSection.tsx';
import type { SectionProps } from './section-props.ts';
import { SECTION_NEEDS } from './section-needs.ts';
import type { SectionId } from './sections.ts';
import { SecuritySection } from './security/SecuritySection.tsx';
import { TeamSection } from './team/TeamSection.tsx';

interface Section {
  id: SectionId;
  icon: ReactNode;
  Content: ComponentType<SectionProps>;
}

const PROFILE: Section = { id: 'profile', icon: <CircleUserRound />, Content: ProfileSection };

const SECTIONS: readonly Section[] = [
  PROFILE,
  { id: 'security', icon: <ShieldCheck />, Content: SecuritySection },
  { id: 'appearance', icon: <SunMoon />, Content: AppearanceCard },
  { id: 'organization', icon: <Building2 />, Content: OrganizationSection },
  { id: 'team', icon: <Users />, Content: TeamSection },
  { id: 'api-keys', icon: <KeyRound />, Content: KeysSection },
  { id: 'audit-log', icon: <ScrollText />, Content: AuditLogSection },
  { id: 'data', icon: <Download />, Content: YourDataSection },
];

/** The sections that the owner's role allows, and the one they ask for. */
function useSections(asked: SectionId): readonly Section[] {
  const isAdmin = usePermission('admin');
  return SECTIONS.filter(({ id }) => SECTION_NEEDS[id] === undefined || isAdmin || id === asked);
}

export function AccountSettingsScreen() {
  const { t } = useTranslation('account');
  const { section } = useSearch({ from: '/shell/account-settings' });
  const account = useAccount();
  const { id, Content } = SECTIONS.find((one) => one.id === section) ?? PROFILE;
  const sections = useSections(id);
  const needs = SECTION_NEEDS[id];
  const mayOpen = usePermission(needs ?? 'viewer');
  return (
    <>
      <PageHeader title={t('title')} description={t('description')} />
      <div className="grid gap-x-10 gap-y-6 lg:grid-cols-[14rem_minmax(0,42rem)]">
        <SectionSelect id={id} sections={sections} />
        <SectionLinks id={id} sections={sections} />
        <div className="min-w-0">
          {account.isPending && <Skeleton shape="panels" count={2} />}
          {account.isLoadingError && (
            <ErrorState error={account.error} onRetry={() => void account.refetch()} />
          )}
          {account.data && needs && <NeedsRole needs={needs} />}
          {account.data && mayOpen && <Content key={id} account={account.data} />}
        </div>
      </div>
    </>
  );
}

interface SectionsProps {
  id: SectionId;
  sections: readonly Section[];
}

/** From this width there is room for a list beside the section. */
function SectionLinks({ id, sections }: SectionsProps) {
  const { t } = useTranslation('settings');
  return (
    <nav aria-label={t('sections_label')} className="hidden lg:block">
      <ul className="sticky top-20 flex flex-col gap-0.5">
        {sections.map((section) => (
          <li key={section.id}>
            <Link
              to="/account-settings"
              search={{ section: section.id }}
              aria-current={section.id === id ? 'page' : undefined}
              className="flex min-h-9 items-center gap-2.5 rounded-lg px-3 py-1.5 font-medium text-ink-muted no-underline hover:bg-hover hover:text-ink aria-[current=page]:bg-hover aria-[current=page]:text-ink [&_svg]:size-4 [&_svg]:shrink-0"
            >
              {section.icon}
              {t(`sections.${section.id}`)}
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  );
}

function SectionSelect({ id, sections }: SectionsProps) {
  const { t } = useTranslation('settings');
  const navigate = useNavigate();
  return (
    <div className="lg:hidden">
      <SelectField
        label={t('sections_label')}
        isLabelHidden
        options={sections.map((section) => ({
          value: section.id,
          label: t(`sections.${section.id}`),
        }))}
        value={id}
        onChange={(next) => void navigate({ to: '/account-settings', search: { section: next } })}
      />
    </div>
  );
}
