import { useNavigate } from '@tanstack/react-router';
import { Settings, Settings2 } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { usePermission } from '../account/permissions.ts';
import { SECTION_NEEDS } from '../screens/account/section-needs.ts';
import { SECTION_IDS } from '../screens/account/sections.ts';
import { useSite } from '../site/current-site.tsx';
import type { Command } from './command.ts';

/** The sections of the account settings that the owner may open. */
export function useAccountSections(): Command[] {
  const { t } = useTranslation(['commands', 'settings']);
  const navigate = useNavigate();
  const isAdmin = usePermission('admin');
  return SECTION_IDS.filter((id) => SECTION_NEEDS[id] === undefined || isAdmin).map((id) => ({
    id: `section:${id}`,
    group: 'settings',
    label: t(`settings:sections.${id}`),
    keywords: t(`sections.${id}`),
    isTypedOnly: true,
    icon: <Settings />,
    run: () => void navigate({ to: '/account-settings', search: { section: id } }),
  }));
}

/** The settings of the site, by the part of the URL that leads to them. */
const SITE_SETTINGS = {
  name: 'site:name.title',
  domain: 'site:domain.title',
  operator: 'site:operator.title',
  sender: 'site:email.title',
  links: 'site:links.title',
  delivery_content: 'site:delivery_content.title',
  test_mode: 'test-mode:card.title',
} as const;

export function useSiteSections(): Command[] {
  const { t } = useTranslation(['commands', 'site', 'test-mode']);
  const navigate = useNavigate();
  const isAdmin = usePermission('admin');
  const hasDomain = useSite().site.custom_domain !== null;
  const ids = Object.keys(SITE_SETTINGS) as (keyof typeof SITE_SETTINGS)[];
  return ids
    .filter((id) => isAdmin || (id === 'domain' && hasDomain))
    .map((id) => ({
      id: `site-section:${id}`,
      group: 'settings',
      label: t(SITE_SETTINGS[id]),
      keywords: t(`sections.${id}`),
      isTypedOnly: true,
      icon: <Settings2 />,
      run: () => void navigate({ to: '/site-settings', hash: id }),
    }));
}
