import { useNavigate } from '@tanstack/react-router';
import {
  BookOpen,
  Building2,
  FileUp,
  Keyboard,
  LayoutDashboard,
  Link2,
  List,
  ListChecks,
  LogOut,
  MailCheck,
  MessageSquareWarning,
  type LucideIcon,
  PanelsTopLeft,
  PlugZap,
  Plus,
  ScrollText,
  Settings,
  Settings2,
  SunMoon,
  UserRound,
  Users,
  Zap,
} from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { usePermission } from '../account/permissions.ts';
import { ActionTypeIcon } from '../components/action-icons.tsx';
import { useCopyViewLink } from '../components/use-copy-view-link.ts';
import { chooseTheme } from '../preferences/preferences.ts';
import type { CommandLayer } from './open-layer.ts';
import { hasKeyboard } from './has-keyboard.ts';
import { GO_KEYS, type GoPath } from './shortcuts.logic.ts';
import type { TitleKey } from '../routing/titles.ts';
import { leaveUnsaved } from '../drafts/unsaved-guard.tsx';
import { useSite } from '../site/current-site.tsx';
import { hostOf } from '../site/site-host.ts';
import { useHasSiteSettings } from '../site/use-has-site-settings.ts';
import { THEMES, useTheme } from '../preferences/theme.ts';
import type { useCommandSearch } from './commands.api.ts';
import type { Command } from './command.ts';
import { useAccountSections, useSiteSections } from './section-commands.tsx';

export const SCREENS: Record<GoPath, { title: TitleKey; icon: LucideIcon }> = {
  '/dashboard': { title: 'dashboard', icon: LayoutDashboard },
  '/integrations': { title: 'integrations', icon: PlugZap },
  '/lists': { title: 'lists', icon: ListChecks },
  '/actions': { title: 'actions', icon: Zap },
  '/preference-pages': { title: 'preference_pages', icon: PanelsTopLeft },
  '/customers': { title: 'customers', icon: Users },
  '/deliveries': { title: 'deliveries', icon: ScrollText },
  '/imports': { title: 'imports', icon: FileUp },
  '/site-settings': { title: 'site_settings', icon: Settings2 },
  '/account-settings': { title: 'account_settings', icon: Settings },
};

export const PATHS = Object.keys(SCREENS) as GoPath[];

/** The letter that goes to a screen after `g`. */
export function shortcutOf(path: GoPath): string {
  return Object.entries(GO_KEYS).find(([, to]) => to === path)?.[0] ?? '';
}

interface Openers {
  onOpen: (layer: CommandLayer) => void;
  onCreateSite: () => void;
}

/** Everything that can be done from anywhere. */
export function useFixedCommands({ onOpen, onCreateSite }: Openers): Command[] {
  return [
    ...useGoCommands(),
    useEmailCheckCommand(),
    useComplaintsCommand(),
    ...useCreateCommands(onCreateSite),
    ...useViewCommands(),
    ...useSiteCommands(),
    ...useSettingsCommands(onOpen),
    ...useAccountSections(),
    ...useSiteSections(),
  ];
}

function useGoCommands(): Command[] {
  const { t } = useTranslation(['commands', 'shell']);
  const navigate = useNavigate();
  const hasSiteSettings = useHasSiteSettings();
  return PATHS.filter((path) => path !== '/site-settings' || hasSiteSettings).map((path): Command => {
    const { title, icon: Icon } = SCREENS[path];
    return {
      id: `go:${path}`,
      group: 'go',
      label: t(`shell:titles.${title}`),
      keywords: path === '/actions' ? `${t('words.go')} ${t('words.actions')}` : t('words.go'),
      icon: <Icon />,
      keys: ['g', shortcutOf(path)],
      run: () => void navigate({ to: path }),
    };
  });
}

function useEmailCheckCommand(): Command {
  const { t } = useTranslation(['commands', 'shell']);
  const navigate = useNavigate();
  return {
    id: 'go:/email-check',
    group: 'go',
    label: t('shell:titles.email_check'),
    keywords: `${t('words.go')} ${t('words.email_check')}`,
    icon: <MailCheck />,
    run: () => void navigate({ to: '/email-check' }),
  };
}

function useComplaintsCommand(): Command {
  const { t } = useTranslation(['commands', 'shell']);
  const navigate = useNavigate();
  return {
    id: 'go:/complaints',
    group: 'go',
    label: t('shell:titles.complaints'),
    keywords: `${t('words.go')} ${t('shell:titles.customers')}`,
    icon: <MessageSquareWarning />,
    run: () => void navigate({ to: '/complaints' }),
  };
}

function useCreateCommands(onCreateSite: () => void): Command[] {
  const { t } = useTranslation('commands');
  const navigate = useNavigate();
  const { site_id } = useSite();
  const canEdit = usePermission('editor');
  const canCreateSite = usePermission('admin');
  if (!canEdit) return [];
  return [
    {
      id: 'create:list',
      group: 'create',
      label: t('create.list'),
      keywords: t('words.create'),
      icon: <Plus />,
      run: () => void navigate({ to: '/create-list/$id', params: { id: 'new' } }),
    },
    {
      id: 'create:page',
      group: 'create',
      label: t('create.page'),
      keywords: t('words.create'),
      icon: <Plus />,
      run: () => void navigate({ to: '/create-preference-page/$site', params: { site: site_id } }),
    },
    {
      id: 'create:action',
      group: 'create',
      label: t('create.action'),
      keywords: `${t('words.create')} ${t('words.actions')}`,
      icon: <Plus />,
      run: () => void navigate({ to: '/actions', search: { edit: 'new' } }),
    },
    ...(canCreateSite
      ? [
          {
            id: 'create:site',
            group: 'create',
            label: t('create.site'),
            keywords: t('words.create'),
            icon: <Plus />,
            run: onCreateSite,
            isDialog: true,
          } as const,
        ]
      : []),
  ];
}

function useViewCommands(): Command[] {
  const { t } = useTranslation(['commands', 'ui']);
  const copy = useCopyViewLink();
  return [
    {
      id: 'view:copy',
      group: 'view',
      label: t('ui:copy_view'),
      keywords: t('words.copy_view'),
      icon: <Link2 />,
      run: () => void copy(),
    },
  ];
}

function useSiteCommands(): Command[] {
  const { t } = useTranslation(['commands', 'shell']);
  const navigate = useNavigate();
  const { site_id, sites, select } = useSite();
  return sites
    .filter((one) => one.id !== site_id)
    .map((one) => ({
      id: `site:${one.id}`,
      group: 'sites',
      label: t('switch_to', { name: one.name }),
      hint: hostOf(one),
      keywords: `${t('shell:switch_site')} ${one.domain_name} ${one.custom_domain ?? ''}`,
      icon: <Building2 />,
      run: () =>
        leaveUnsaved(() => {
          select(one.id);
          void navigate({ to: '/dashboard', ignoreBlocker: true });
        }),
    }));
}

function useSettingsCommands(onOpen: (layer: CommandLayer) => void): Command[] {
  const { t } = useTranslation(['commands', 'shell']);
  const navigate = useNavigate();
  const theme = useTheme();
  return [
    ...THEMES.filter((one) => one !== theme).map((one): Command => ({
      id: `theme:${one}`,
      group: 'settings',
      label: t('theme', { theme: t(`shell:themes.${one}`) }),
      icon: <SunMoon />,
      run: () => chooseTheme(one),
    })),
    ...(hasKeyboard()
      ? [
          {
            id: 'shortcuts',
            group: 'settings',
            label: t('shell:shortcuts'),
            icon: <Keyboard />,
            keys: ['?'],
            run: () => onOpen('shortcuts'),
          } as const,
        ]
      : []),
    {
      id: 'sign-out',
      group: 'settings',
      label: t('shell:sign_out'),
      keywords: t('words.sign_out'),
      icon: <LogOut />,
      run: () => void navigate({ to: '/login', state: { signOut: true } }),
    },
  ];
}

/** The lists, pages, actions and customers of the site, and pages of the handbook. */
export function useThingCommands({
  lists,
  pages,
  actions,
  customers,
  searchForMore,
  handbook,
}: ReturnType<typeof useCommandSearch>): Command[] {
  const { t } = useTranslation('commands');
  const navigate = useNavigate();
  const { site_id } = useSite();
  const canEdit = usePermission('editor');
  return [
    ...customers.map(({ id, email }): Command => ({
      id: `customer:${id}`,
      group: 'customers',
      label: email,
      icon: <UserRound />,
      run: () => void navigate({ to: '/customers/$id', params: { id } }),
    })),
    ...(searchForMore === null
      ? []
      : [
          {
            id: 'customers:all',
            group: 'customers',
            label: t('show_all_customers', { text: searchForMore }),
            icon: <Users />,
            run: () => void navigate({ to: '/customers', search: { search: searchForMore } }),
          } as const,
        ]),
    ...lists.map(({ id, name }): Command => ({
      id: `list:${id}`,
      group: 'lists',
      label: name,
      icon: <List />,
      // Without the right to change it, the screen of one list has nothing to show.
      run: () => void navigate(canEdit ? { to: '/create-list/$id', params: { id } } : { to: '/lists' }),
    })),
    ...pages.map(({ id, name, custom_path }): Command => ({
      id: `page:${id}`,
      group: 'pages',
      label: name,
      keywords: custom_path,
      icon: <PanelsTopLeft />,
      run: () =>
        void navigate(
          canEdit
            ? { to: '/edit-preference-page/$site/$id', params: { site: site_id, id } }
            : { to: '/preference-pages' },
        ),
    })),
    ...actions.map(({ id, name, type }): Command => ({
      id: `action:${id}`,
      group: 'actions',
      label: name,
      icon: <ActionTypeIcon type={type} />,
      run: () => void navigate({ to: '/actions', ...(canEdit ? { search: { edit: id } } : { hash: id }) }),
    })),
    ...handbook.map(({ url, part, page, heading }): Command => ({
      id: `handbook:${url}`,
      group: 'handbook',
      label: heading === '' ? page : `${page}: ${heading}`,
      ...(heading === '' && part !== '' ? { hint: part } : {}),
      icon: <BookOpen />,
      run: () => window.open(url, '_blank', 'noreferrer'),
    })),
  ];
}
