import { useEffect, useRef, type ReactNode } from 'react';
import type { Operator } from '#contract/operator.ts';
import type { PublicPage } from '#contract/preference-pages.ts';
import { breakable } from '#web/ui/breakable.tsx';
import { LanguageSwitch } from './LanguageSwitch.tsx';
import { usePage } from './page-context.tsx';
import { actionOf, CHOICES_FORM, subtitleOf } from './view.ts';

const PRODUCT_NAME = 'Sayso';

type Props = {
  children: ReactNode;
  /** For steps with a heading of their own. */
  title?: string;
  subtitle?: string;
  focusHeading?: boolean;
  hasBar?: boolean;
  /** The content begins with a panel, which the stacked template moves up into its band. */
  isLifted?: boolean;
  /** The content that replaces the loader is taller and would shift the badge. */
  isLoading?: boolean;
};

const LOGO_HEIGHT = 48;

/** Matches the style sheet, so that nothing shifts when the logo loads. */
function logoWidth({ logo_size: size }: PublicPage): number | undefined {
  return size === null ? undefined : Math.round((LOGO_HEIGHT * size.width) / size.height);
}

/** The frame of every step: logo, heading, badge. The two templates differ here. */
export function PageFrame({
  children,
  title,
  subtitle,
  focusHeading = false,
  hasBar = false,
  isLifted = false,
  isLoading = false,
}: Props) {
  const { view, service, t } = usePage();
  const { page } = view;
  const heading = useRef<HTMLHeadingElement>(null);
  const template = page.attrs.template_id === 'stacked_marketer_template' ? 'stacked' : 'calm';

  useEffect(() => {
    // An embedded page that looks its visitor up automatically must not scroll the page around it.
    if (focusHeading && (!service.isFramed || document.hasFocus())) heading.current?.focus();
  }, [focusHeading, service]);

  return (
    <div className={`pp pp-${template}`} data-bar={hasBar || undefined} data-lifted={isLifted || undefined}>
      <header className="pp-head">
        <div className="pp-wrap">
          {/* Enter in the form presses its first button: that has to be the one that saves. */}
          {hasBar && (
            <button
              type="submit"
              form={CHOICES_FORM}
              className="pp-hidden"
              tabIndex={-1}
              aria-hidden="true"
            />
          )}
          <LanguageSwitch hasChoices={hasBar} />
          {page.logo && (
            <img className="pp-logo" src={page.logo} alt="" width={logoWidth(page)} height={LOGO_HEIGHT} />
          )}
          <h1 ref={heading} tabIndex={-1}>
            {breakable(title ?? (page.attrs.tag_subject || t('pref_template.title')))}
          </h1>
          <p className="pp-subtitle">{subtitle ?? (page.name && subtitleOf(page, t('pref_template.for')))}</p>
        </div>
      </header>
      <main className="pp-main pp-wrap">{children}</main>
      {!isLoading && <Foot />}
    </div>
  );
}

/** The operator, the badge and the link that reports the page; the style sheet hides an empty foot. */
function Foot() {
  const { view, t } = usePage();
  const { operator, attrs } = view.page;
  return (
    <footer className="pp-foot pp-wrap">
      {operator && <OperatorLines operator={operator} />}
      {!attrs.remove_badge && <p>{t('badge', { product: PRODUCT_NAME })}</p>}
      {view.custom_path && <OuterLink to={'/report' + actionOf(view)}>{t('report.title')}</OuterLink>}
    </footer>
  );
}

function OperatorLines({ operator }: { operator: Operator }) {
  const { t } = usePage();
  const { legal_name: name, postal_address: address, privacy_url: privacy, imprint_url: imprint } = operator;
  const lines = [name, address].filter(Boolean).join('\n');
  return (
    <>
      {lines && <address>{lines}</address>}
      {(privacy || imprint) && (
        <p className="pp-foot-links">
          {privacy && <OuterLink to={privacy}>{t('operator.privacy')}</OuterLink>}
          {imprint && <OuterLink to={imprint}>{t('operator.imprint')}</OuterLink>}
        </p>
      )}
    </>
  );
}

/** The URL may contain a personal link, so no referrer is sent. Opens a new tab, so unsaved choices stay. */
export function OuterLink({ to, children }: { to: string; children: ReactNode }) {
  return (
    <a href={to} target="_blank" rel="noopener noreferrer">
      {children}
    </a>
  );
}
