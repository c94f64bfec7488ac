import { ExternalLink } from 'lucide-react';
import { type MouseEvent, type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { ButtonAnchor } from '#web/ui/LinkButton.tsx';
import { usePermission } from '../account/permissions.ts';
import type { SiteParams } from '../site/site-params.ts';
import { ownLinkTo } from '../queries/own-link.ts';

interface OpenPageProps {
  site: SiteParams;
  page: { id: string; url: string };
  children: ReactNode;
}

/** A link to a page, which opens it with the owner's own personal link where they may have one. */
export function OpenPage({ site, page, children }: OpenPageProps) {
  const { t } = useTranslation('ui');
  const canOpenAsCustomer = usePermission('editor');
  const [isOpening, setIsOpening] = useState(false);

  async function openAsCustomer(event: MouseEvent) {
    if (!canOpenAsCustomer || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
    if (isOpening) return event.preventDefault();
    // At once: after the call, the browser would take it for a pop-up.
    const opened = window.open('', '_blank');
    // Blocked all the same: the browser follows the plain link.
    if (opened === null) return;
    event.preventDefault();
    opened.opener = null;
    setIsOpening(true);
    const url = await ownLinkTo(site, page.id).catch(() => page.url);
    setIsOpening(false);
    // Without a referrer, by the policy of this document; the page takes the challenge out of its URL.
    opened.location.replace(url);
  }

  return (
    <ButtonAnchor
      href={page.url}
      target="_blank"
      rel="noreferrer"
      icon={<ExternalLink />}
      {...(canOpenAsCustomer ? { title: t('opens_as_you') } : {})}
      onClick={(event) => void openAsCustomer(event)}
    >
      {children}
    </ButtonAnchor>
  );
}
