import { Link, useMatches } from '@tanstack/react-router';
import {
  BookOpen,
  LayoutDashboard,
  Lightbulb,
  ListChecks,
  PanelsTopLeft,
  PlugZap,
  Settings2,
  Zap,
} from 'lucide-react';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { useSettings } from '../settings.ts';
import { entryOf, type ShellEntry } from './entries.logic.ts';
import { Logo } from './Logo.tsx';
import { SiteSwitcher } from './SiteSwitcher.tsx';

const ROW =
  'flex min-h-9 items-center gap-3 rounded-lg px-3 py-1.5 font-medium text-ink-muted no-underline transition-colors duration-100 hover:bg-hover hover:text-ink aria-[current=page]:bg-accent-soft aria-[current=page]:text-accent pointer-coarse:min-h-11 [&_svg]:size-4.5 [&_svg]:shrink-0';

/** The shell's navigation: at the side on wide screens, in the slide-over on others. */
export function Sidebar({ onNavigate }: { onNavigate?: () => void }) {
  const { t } = useTranslation('shell');
  const settings = useSettings();
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
        <ul>
          <Entry
            to="/site-settings"
            icon={<Settings2 />}
            label={t('titles.site_settings')}
            onNavigate={onNavigate}
          />
        </ul>
      </div>
      <ul className="flex flex-col gap-0.5">
        <Entry
          to="/dashboard"
          icon={<LayoutDashboard />}
          label={t('titles.dashboard')}
          onNavigate={onNavigate}
        />
        <Entry
          to="/integrations"
          icon={<PlugZap />}
          label={t('titles.integrations')}
          onNavigate={onNavigate}
        />
        <Entry to="/lists" icon={<ListChecks />} label={t('titles.lists')} onNavigate={onNavigate} />
        <Entry to="/actions" icon={<Zap />} label={t('titles.actions')} onNavigate={onNavigate} />
        <Entry
          to="/preference-pages"
          icon={<PanelsTopLeft />}
          label={t('titles.preference_pages')}
          onNavigate={onNavigate}
        />
      </ul>
      <ul className="mt-auto flex flex-col gap-0.5 border-t border-line pt-4">
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

interface EntryProps {
  to: ShellEntry;
  icon: ReactNode;
  label: string;
  onNavigate: (() => void) | undefined;
}

function Entry({ to, icon, label, onNavigate }: EntryProps) {
  const isCurrent = useMatches({ select: (matches) => entryOf(matches.at(-1)?.pathname ?? '') === to });
  return (
    <li>
      <Link
        to={to}
        onClick={() => onNavigate?.()}
        className={ROW}
        aria-current={isCurrent ? 'page' : undefined}
      >
        {icon}
        {label}
      </Link>
    </li>
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
