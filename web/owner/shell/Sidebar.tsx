import { Link, useMatches } from '@tanstack/react-router';
import {
  BookOpen,
  LayoutDashboard,
  Lightbulb,
  ListChecks,
  type LucideIcon,
  PanelsTopLeft,
  PlugZap,
  Send,
  Settings2,
  Users,
  Zap,
} from 'lucide-react';
import { lazy, type ReactNode, Suspense } from 'react';
import { useTranslation } from 'react-i18next';
import { useAppSettings } from '../api/app-settings.ts';
import { entryOf, MAIN_ENTRIES, RECORD_ENTRIES, type ShellEntry } from './entries.logic.ts';
import { Logo } from '../components/Logo.tsx';
import { ENTRY, ROW } from './sidebar-row.ts';
import { SiteSwitcher } from './SiteSwitcher.tsx';
import { useHasSiteSettings } from '../site/use-has-site-settings.ts';
import type { TitleKey } from '../routing/titles.ts';

const GetStarted = lazy(async () => ({ default: (await import('./GetStarted.tsx')).GetStarted }));

/** The shell's navigation: beside the screen where there is room, else in the slide-over. */
export function Sidebar({ onNavigate }: { onNavigate?: () => void }) {
  const { t } = useTranslation('shell');
  const settings = useAppSettings();
  const hasSiteSettings = useHasSiteSettings();
  return (
    <nav aria-label={t('navigation')} className="flex h-full flex-col gap-5 overflow-y-auto p-4">
      <Link
        to="/dashboard"
        onClick={() => onNavigate?.()}
        className="mx-2 mt-1 self-start rounded-lg no-underline"
      >
        <Logo />
      </Link>
      <div className="flex flex-col gap-0.5">
        <SiteSwitcher />
        {hasSiteSettings && <Entries of={['/site-settings']} onNavigate={onNavigate} />}
      </div>
      <Entries of={MAIN_ENTRIES} onNavigate={onNavigate} />
      <Entries of={RECORD_ENTRIES} onNavigate={onNavigate} />
      <div className="mt-auto">
        <Suspense>
          <GetStarted onNavigate={onNavigate} />
        </Suspense>
      </div>
      <ul className="flex flex-col gap-0.5 border-t border-line pt-4">
        {settings?.feature_request_url && (
          <HelpLink href={settings.feature_request_url} icon={<Lightbulb />} label={t('feature_request')} />
        )}
        {settings?.docs_url && (
          <HelpLink href={settings.docs_url} icon={<BookOpen />} label={t('documentation')} />
        )}
      </ul>
    </nav>
  );
}

const LOOKS = {
  '/dashboard': { icon: LayoutDashboard, title: 'dashboard' },
  '/integrations': { icon: PlugZap, title: 'integrations' },
  '/lists': { icon: ListChecks, title: 'lists' },
  '/actions': { icon: Zap, title: 'actions' },
  '/preference-pages': { icon: PanelsTopLeft, title: 'preference_pages' },
  '/customers': { icon: Users, title: 'customers' },
  '/deliveries': { icon: Send, title: 'deliveries' },
  '/site-settings': { icon: Settings2, title: 'site_settings' },
} as const satisfies Record<ShellEntry, { icon: LucideIcon; title: TitleKey }>;

interface EntriesProps {
  of: readonly ShellEntry[];
  onNavigate: (() => void) | undefined;
}

function Entries({ of, onNavigate }: EntriesProps) {
  const { t } = useTranslation('shell');
  const current = useMatches({ select: (matches) => entryOf(matches.at(-1)?.pathname ?? '') });
  return (
    <ul className="flex flex-col gap-0.5">
      {of.map((to) => {
        const { icon: Icon, title } = LOOKS[to];
        return (
          <li key={to}>
            <Link
              to={to}
              onClick={() => onNavigate?.()}
              className={ENTRY}
              aria-current={to === current ? 'page' : undefined}
            >
              <Icon />
              {t(`titles.${title}`)}
            </Link>
          </li>
        );
      })}
    </ul>
  );
}

function HelpLink({ href, icon, label }: { href: string; icon: ReactNode; label: string }) {
  return (
    <li>
      <a href={href} target="_blank" rel="noreferrer" className={ROW}>
        {icon}
        {label}
      </a>
    </li>
  );
}
